//! Cuts a command line into the simple commands that it runs, without running or expanding anything.
//! Variables and substitutions stay as they are written; the commands in a substitution are listed as well.

/// One simple command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Simple {
    /// Its words, without quotes.
    pub words: Vec<String>,
    /// Files that it writes by redirection.
    pub writes: Vec<String>,
    /// It reads the output of the command before it.
    pub piped: bool,
    /// It is in a substitution within another command.
    pub inner: bool,
}

/// How deep nested commands are followed; nobody writes deeper ones by hand.
const DEEPEST: usize = 6;

/// The simple commands of a line, in order; nested ones come right after the command that they are in.
pub fn commands(text: &str) -> Vec<Simple> {
    let mut found = Vec::new();
    cut(text, 0, &mut found);
    found
}

/// The scanner's state.
struct Cut<'a> {
    rest: &'a str,
    depth: usize,
    now: Simple,
    word: String,
    /// A word has begun; with quotes it may be empty.
    begun: bool,
    /// The next word is the target of a redirection: `true` for writing, `false` for reading.
    target: Option<bool>,
    /// Commands nested in the current one.
    inner: Vec<Simple>,
    /// The end markers of here-documents that begin on this line.
    heredocs: Vec<String>,
    heredoc_next: bool,
}

fn cut(text: &str, depth: usize, found: &mut Vec<Simple>) {
    if depth > DEEPEST {
        return;
    }
    let mut at = Cut {
        rest: text,
        depth,
        now: Simple::default(),
        word: String::new(),
        begun: false,
        target: None,
        inner: Vec::new(),
        heredocs: Vec::new(),
        heredoc_next: false,
    };
    while let Some(ch) = at.take() {
        match ch {
            '\'' => {
                let quoted = at.until('\'');
                at.add(&quoted);
            }
            '"' => at.double(),
            '\\' => {
                if let Some(next) = at.take().filter(|next| *next != '\n') {
                    at.add(next.encode_utf8(&mut [0; 4]));
                }
            }
            '`' => {
                let inside = at.until('`');
                at.run(&inside);
            }
            '$' | '<' | '>' if at.rest.starts_with('(') => {
                at.take();
                let inside = at.parenthesis();
                at.add(ch.encode_utf8(&mut [0; 4]));
                at.run(&inside);
            }
            '#' if !at.begun => {
                let end = at.rest.find('\n').unwrap_or(at.rest.len());
                at.rest = at.rest.get(end..).unwrap_or_default();
            }
            '>' | '<' => at.redirect(ch),
            '&' if at.rest.starts_with('>') => {
                at.end_word();
                at.take();
                at.redirect('>');
            }
            ' ' | '\t' | '\r' => at.end_word(),
            '|' => {
                let or = at.rest.starts_with('|');
                if or || at.rest.starts_with('&') {
                    at.take();
                }
                at.end_command(found);
                at.now.piped = !or;
            }
            '\n' => {
                at.end_command(found);
                at.skip_heredocs();
            }
            ';' | '&' | '(' | ')' => at.end_command(found),
            _ => at.add(ch.encode_utf8(&mut [0; 4])),
        }
    }
    at.end_command(found);
}

impl Cut<'_> {
    fn take(&mut self) -> Option<char> {
        let ch = self.rest.chars().next()?;
        self.rest = self.rest.get(ch.len_utf8()..).unwrap_or_default();
        Some(ch)
    }

    fn until(&mut self, end: char) -> String {
        let (text, rest) = self.rest.split_once(end).unwrap_or((self.rest, ""));
        self.rest = rest;
        text.to_owned()
    }

    /// The text up to the parenthesis that closes the one just taken.
    fn parenthesis(&mut self) -> String {
        let mut depth = 1;
        let mut quote = None;
        let mut end = self.rest.len();
        for (at, ch) in self.rest.char_indices() {
            match (quote, ch) {
                (Some(open), _) if open == ch => quote = None,
                (None, '\'' | '"') => quote = Some(ch),
                (None, '(') => depth += 1,
                (None, ')') => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                end = at;
                break;
            }
        }
        let inside = self.rest.get(..end).unwrap_or_default().to_owned();
        self.rest = self.rest.get(end + 1..).unwrap_or_default();
        inside
    }

    fn double(&mut self) {
        self.begun = true;
        while let Some(ch) = self.take() {
            match ch {
                '"' => return,
                '\\' => match self.take() {
                    Some(next @ ('"' | '\\' | '$' | '`')) => self.word.push(next),
                    Some(next) => self.word.extend(['\\', next]),
                    None => {}
                },
                '`' => {
                    let inside = self.until('`');
                    self.run(&inside);
                }
                '$' if self.rest.starts_with('(') => {
                    self.take();
                    let inside = self.parenthesis();
                    self.add("$");
                    self.run(&inside);
                }
                _ => self.word.push(ch),
            }
        }
    }

    fn add(&mut self, text: &str) {
        self.begun = true;
        self.word.push_str(text);
    }

    /// Cuts a nested command; its text stays part of the word.
    fn run(&mut self, inside: &str) {
        self.add(&format!("({inside})"));
        let from = self.inner.len();
        cut(inside, self.depth + 1, &mut self.inner);
        for inner in self.inner.iter_mut().skip(from) {
            inner.inner = true;
        }
    }

    fn redirect(&mut self, ch: char) {
        // In `2>` the number is not a word.
        if self.word.bytes().all(|byte| byte.is_ascii_digit()) {
            self.word.clear();
            self.begun = false;
        }
        self.end_word();
        let heredoc = ch == '<' && self.rest.starts_with('<') && !self.rest.starts_with("<<");
        let doubled = self.rest.starts_with(ch);
        while self.rest.starts_with(['<', '>', '|', '-']) && !self.rest.starts_with(['>', '<'].map(|_| '(')) {
            self.take();
        }
        if self.rest.starts_with('&') && !doubled {
            // `2>&1` and `>&-` write to no file.
            self.take();
            let end = self.rest.find(|c: char| !c.is_ascii_digit() && c != '-').unwrap_or(self.rest.len());
            if end > 0 {
                self.rest = self.rest.get(end..).unwrap_or_default();
                return;
            }
        }
        self.heredoc_next = heredoc;
        self.target = Some(ch == '>');
    }

    fn end_word(&mut self) {
        if !std::mem::take(&mut self.begun) {
            return;
        }
        let word = std::mem::take(&mut self.word);
        match self.target.take() {
            Some(true) => self.now.writes.push(word),
            Some(false) if std::mem::take(&mut self.heredoc_next) => self.heredocs.push(word),
            Some(false) => {}
            None => self.now.words.push(word),
        }
    }

    fn end_command(&mut self, found: &mut Vec<Simple>) {
        self.end_word();
        self.target = None;
        let now = std::mem::take(&mut self.now);
        if !now.words.is_empty() || !now.writes.is_empty() {
            found.push(now);
        }
        found.append(&mut self.inner);
    }

    /// Skips the contents of here-documents, which are data.
    fn skip_heredocs(&mut self) {
        for end in std::mem::take(&mut self.heredocs) {
            while !self.rest.is_empty() {
                let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
                self.rest = rest;
                if line.trim_start_matches('\t') == end {
                    break;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<Vec<String>> {
        commands(text).into_iter().map(|command| command.words).collect()
    }

    #[test]
    fn a_line_is_cut_where_a_shell_would() {
        assert_eq!(
            words("a 'b c' \"d $e\"; f&&g\nh # i"),
            [vec!["a", "b c", "d $e"], vec!["f"], vec!["g"], vec!["h"]]
        );
        assert_eq!(words("sh -c \"$(curl x)\""), [vec!["sh", "-c", "$(curl x)"], vec!["curl", "x"]]);
        assert_eq!(words("cat <<'END' > out\nrm -rf /\nEND\nls"), [vec!["cat"], vec!["ls"]]);
    }

    #[test]
    fn pipes_and_files_are_known() {
        let found = commands("a 2>&1 | b >> ~/.zshrc 2>/dev/null");
        assert!(!found[0].piped && found[1].piped);
        assert_eq!(found[1].writes, ["~/.zshrc", "/dev/null"]);
        assert!(found[0].writes.is_empty());
        assert_eq!(commands("a || b").iter().filter(|command| command.piped).count(), 0);
        assert_eq!(commands("a &> x")[0].writes, ["x"]);
    }

    #[test]
    fn nothing_that_is_typed_can_break_it() {
        for text in
            ["'", "\"", "$(", "`", "\\", "<<", ">", "a >&", "((((((((((((((((", "<(", "|", "$($($($($($($($("]
        {
            commands(text);
        }
    }
}
