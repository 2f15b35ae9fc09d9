//! Closes or hides markup that is still being written, in a copy of the
//! open paragraph. Settled text is not touched.

use std::ops::Range;

use super::{rows, tex};

/// Text in brackets that is longer than this, in bytes, is taken for plain words, and its `[` is shown again.
const MAX_LINK_TEXT: usize = 120;
/// With more open delimiters than this, the text is noise and not markup.
/// Each new one is compared with those before.
const MAX_OPEN: usize = 64;

/// Whether a line that is still being written has nothing but markers, so that showing it would flash raw
/// markup (`-`, `##`, `1.`, `- [ ]`) or turn the paragraph above it into a heading.
pub(super) fn only_markers(line: &str) -> bool {
    let line = line.trim();
    if line.is_empty() {
        return false;
    }
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = line.len() - rest.len();
    if digits > 0 {
        return digits <= 3 && matches!(rest, "" | "." | ")");
    }
    let box_at = line.find('[').and_then(|at| line.split_at_checked(at));
    if let Some((bullet, marker)) = box_at
        && matches!(bullet.trim(), "-" | "*" | "+")
        && matches!(marker, "[" | "[ " | "[x" | "[X" | "[ ]" | "[x]" | "[X]")
    {
        return true;
    }
    line.chars().all(|c| {
        matches!(c, '#' | '-' | '*' | '+' | '_' | '=' | '~' | '`' | '>' | '|' | '[' | '!' | '<' | ' ' | '\t')
    })
}

/// A paragraph with its open markup closed and its half-written markup
/// hidden; `None` if it can be shown as it is.
pub(super) fn inline(text: &str) -> Option<String> {
    let mut scan = Scan { text, cuts: Vec::new(), open: Vec::new(), suffix: String::new() };
    scan.run();
    scan.finish()
}

/// Adds the delimiter row to a table that doesn't have it yet, so that its
/// head does not first appear as raw pipes.
pub(super) fn table(text: &str) -> Option<String> {
    let (head, rest) = text.split_once('\n').unwrap_or((text, ""));
    let started = rest.chars().all(|c| matches!(c, '|' | '-' | ':' | ' ' | '\t' | '\r'));
    let inner = head.trim().strip_prefix('|')?;
    if !started || inner.trim().is_empty() {
        return None;
    }
    let bars = rows::bars(inner, true);
    let columns = bars.iter().filter(|bar| bar.border).count();
    let closed = bars.last().is_some_and(|bar| bar.border && bar.at + 1 == inner.len());
    let columns = if closed { columns } else { columns + 1 };
    let head = if closed {
        head.trim_end().to_owned()
    } else {
        format!("{} |", inline(head).as_deref().unwrap_or(head).trim_end())
    };
    Some(format!("{head}\n|{}\n", "---|".repeat(columns)))
}

/// A delimiter that is not closed yet.
struct Open {
    mark: char,
    count: usize,
    at: usize,
}

struct Scan<'a> {
    text: &'a str,
    cuts: Vec<Range<usize>>,
    open: Vec<Open>,
    suffix: String,
}

impl Scan<'_> {
    fn run(&mut self) {
        let mut at = 0;
        while let Some(c) = self.text.get(at..).and_then(|rest| rest.chars().next()) {
            at = match c {
                '\\' => self.escape(at),
                '`' => self.code(at),
                '*' | '_' | '~' => self.delimiter(at, c),
                '[' => {
                    self.wait(Open { mark: '[', count: 1, at });
                    at + 1
                }
                ']' => self.bracket(at),
                '<' => self.angle(at),
                '$' => self.formula(at),
                _ => at + c.len_utf8(),
            };
        }
    }

    fn wait(&mut self, open: Open) {
        if self.open.len() < MAX_OPEN {
            self.open.push(open);
        }
    }

    fn rest(&self, at: usize) -> &str {
        self.text.get(at..).unwrap_or_default()
    }

    fn before(&self, at: usize) -> Option<char> {
        self.text.get(..at).and_then(|text| text.chars().next_back())
    }

    fn escape(&mut self, at: usize) -> usize {
        if let tex::Bracket::Formula { end, .. } = tex::read(self.text, at) {
            return end;
        }
        match self.rest(at + 1).chars().next() {
            Some(next) => at + 1 + next.len_utf8(),
            None => self.cut_to_end(at),
        }
    }

    fn cut_to_end(&mut self, at: usize) -> usize {
        self.cut(at..self.text.len());
        self.text.len()
    }

    fn code(&mut self, at: usize) -> usize {
        let ticks = run_length(self.rest(at), '`');
        let mut from = at + ticks;
        while let Some(found) = self.rest(from).find('`') {
            let length = run_length(self.rest(from + found), '`');
            if length == ticks {
                return from + found + length;
            }
            from += found + length;
        }
        let content = self.rest(at + ticks).trim_end_matches('`');
        let end = at + ticks + content.trim_end().len();
        if content.trim().is_empty() {
            return self.cut_to_end(at);
        }
        self.cut_to_end(end);
        self.suffix.push_str(&"`".repeat(ticks));
        self.text.len()
    }

    /// There is no markup in TeX. `$$` at the start of a line is a formula that is
    /// still being written; a lone `$` may be money.
    fn formula(&mut self, at: usize) -> usize {
        let dollars = run_length(self.rest(at), '$').min(2);
        let from = at + dollars;
        let mark = if dollars == 2 { "$$" } else { "$" };
        let blank = |c: Option<char>| c.is_none_or(char::is_whitespace);
        if dollars == 1 && blank(self.rest(from).chars().next()) {
            return from;
        }
        if let Some(length) = self.rest(from).find(mark) {
            let closes = dollars == 2 || !blank(self.before(from + length));
            return if closes { from + length + dollars } else { from };
        }
        if dollars == 1 || !matches!(self.before(at), None | Some('\n')) {
            return from;
        }
        let tex = self.rest(from).trim_end_matches('$').trim_end();
        if tex.is_empty() {
            return self.cut_to_end(at);
        }
        let end = from + tex.len();
        // A formula with unbalanced braces can't be rendered.
        let braces = open_braces(tex);
        self.cut_to_end(end);
        self.suffix.push_str(&"}".repeat(braces));
        self.suffix.push_str(mark);
        self.text.len()
    }

    fn delimiter(&mut self, at: usize, mark: char) -> usize {
        let count = run_length(self.rest(at), mark);
        let end = at + count;
        let blank = |c: Option<char>| c.is_none_or(char::is_whitespace);
        let (before, after) = (self.before(at), self.rest(end).chars().next());
        let intraword = mark != '*'
            && before.is_some_and(char::is_alphanumeric)
            && after.is_some_and(char::is_alphanumeric);
        if intraword || (mark == '~' && count > 2) {
            return end;
        }
        let index = self.open.iter().rposition(|open| open.mark == mark);
        let opened = index.and_then(|index| self.open.get(index)).map_or(0, |open| open.count);
        if after.is_none() && !blank(before) && opened != count || after.is_none() && blank(before) {
            return self.cut_to_end(at);
        }
        if !blank(before) && opened > 0 && (mark != '~' || opened == count) {
            self.close(index, opened, count);
        } else if !blank(after) {
            self.wait(Open { mark, count, at });
        }
        end
    }

    fn close(&mut self, index: Option<usize>, opened: usize, count: usize) {
        let Some(index) = index else { return };
        if opened > count {
            if let Some(open) = self.open.get_mut(index) {
                open.count -= count;
            }
            self.open.truncate(index + 1);
        } else {
            self.open.truncate(index);
        }
    }

    fn bracket(&mut self, at: usize) -> usize {
        let Some(index) = self.open.iter().rposition(|open| open.mark == '[') else {
            return at + 1;
        };
        let start = self.open.get(index).map_or(at, |open| open.at);
        match self.rest(at + 1).chars().next() {
            Some('(') => {
                self.open.truncate(index);
                if let Some(length) = destination_end(self.rest(at + 2)) {
                    return at + 2 + length;
                }
                // The target is still being written: only the link's text is shown.
                self.cut(self.opening(start));
                self.cut_to_end(at)
            }
            None if self.withholds(start) => {
                self.open.truncate(index);
                self.cut(self.opening(start));
                self.cut_to_end(at)
            }
            _ => {
                self.open.truncate(index);
                at + 1
            }
        }
    }

    fn angle(&mut self, at: usize) -> usize {
        let rest = self.rest(at + 1);
        let address = rest.starts_with("http:") || rest.starts_with("https:");
        if rest.is_empty() || address && !rest.contains(['>', ' ', '\n']) {
            self.cut(at..at + 1);
        }
        at + 1
    }

    /// The bytes of `[` or `![`.
    fn opening(&self, at: usize) -> Range<usize> {
        let from = if self.before(at) == Some('!') { at - 1 } else { at };
        from..at + 1
    }

    /// True if a bracket may become a link. `a[0` is code in prose, and a long
    /// bracket, or one with a line break, is prose.
    fn withholds(&self, at: usize) -> bool {
        let inner = self.rest(at + 1);
        !self.before(at).is_some_and(char::is_alphanumeric)
            && inner.len() <= MAX_LINK_TEXT
            && !inner.contains('\n')
    }

    /// Cuts a piece out. The pieces stay in order; there are so few that inserting is cheap.
    fn cut(&mut self, piece: Range<usize>) {
        let place = self.cuts.partition_point(|cut| cut.start <= piece.start);
        self.cuts.insert(place, piece);
    }

    fn finish(mut self) -> Option<String> {
        let trailing: Vec<Open> = self.open.drain(..).collect();
        for open in trailing.iter().rev() {
            if open.mark != '[' {
                self.suffix.extend(std::iter::repeat_n(open.mark, open.count));
            } else if self.withholds(open.at) {
                let opening = self.opening(open.at);
                self.cut(opening);
            }
        }
        if self.cuts.is_empty() && self.suffix.is_empty() {
            return None;
        }
        let mut mended = String::with_capacity(self.text.len() + self.suffix.len());
        let mut from = 0;
        for cut in &self.cuts {
            mended.push_str(self.text.get(from..cut.start).unwrap_or_default());
            from = from.max(cut.end);
        }
        mended.push_str(self.rest(from));
        if !self.suffix.is_empty() {
            // A closing delimiter after a space would not close.
            mended.truncate(mended.trim_end().len());
            mended.push_str(&self.suffix);
        }
        Some(mended)
    }
}

fn run_length(text: &str, mark: char) -> usize {
    text.len() - text.trim_start_matches(mark).len()
}

/// How many braces are not closed.
fn open_braces(tex: &str) -> usize {
    let mut open = 0_usize;
    let mut escaped = false;
    for c in tex.chars() {
        match c {
            '{' if !escaped => open += 1,
            '}' if !escaped => open = open.saturating_sub(1),
            _ => {}
        }
        escaped = c == '\\' && !escaped;
    }
    open
}

/// The byte after the `)` of a link's target, counted from after its `(`; `None` if it is not there yet.
fn destination_end(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth == 0 => return Some(at + 1),
            ')' => depth -= 1,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_markup_is_closed_or_withheld() {
        let cases = [
            ("a **bold", "a **bold**"),
            ("a **bold*", "a **bold**"),
            ("a **bold ", "a **bold**"),
            ("a *it **both", "a *it **both***"),
            ("a _it", "a _it_"),
            ("a `co", "a `co`"),
            ("a ``co`", "a ``co``"),
            ("a ~~x", "a ~~x~~"),
            ("a [text](http://x", "a text"),
            ("a [text]", "a text"),
            ("a [te", "a te"),
            ("a ![alt](http://x/y", "a alt"),
            ("a **", "a "),
            ("a <https://b.c", "a https://b.c"),
            ("a \\", "a "),
            ("**[te](x", "**te**"),
            ("$$\nx_1 *", "$$\nx_1 *$$"),
            ("$$\nx$", "$$\nx$$"),
            ("$$\n\\frac{a", "$$\n\\frac{a}$$"),
            ("a\n$$", "a\n"),
        ];
        for (text, shown) in cases {
            assert_eq!(inline(text).as_deref(), Some(shown), "{text:?}");
        }
        for whole in [
            "a **b** c",
            "snake_case_name",
            "2 * 3 * 4",
            "a[0",
            "`**`",
            "[a](b)",
            "a \\* b",
            "f(x)",
            "**bold**",
            "$a * b_1$ c",
            "$$\na_1\n$$",
            "$5 and $10",
            "kill $$ now",
        ] {
            assert_eq!(inline(whole), None, "{whole:?}");
        }
    }

    #[test]
    fn lone_markers_wait() {
        for line in
            ["-", "#", "##", "`", "```", "1.", "12", "- ", "- [ ]", "- [x", "**", "===", ">", "> -", "|"]
        {
            assert!(only_markers(line), "{line:?}");
        }
        for line in ["", "  ", "a", "- a", "1. a", "2024", "...", "x-"] {
            assert!(!only_markers(line), "{line:?}");
        }
    }

    #[test]
    fn half_a_table_is_a_table() {
        assert_eq!(table("| a | b |").as_deref(), Some("| a | b |\n|---|---|\n"));
        assert_eq!(table("| a | **b").as_deref(), Some("| a | **b** |\n|---|---|\n"));
        assert_eq!(table("| a | b |\n|--").as_deref(), Some("| a | b |\n|---|---|\n"));
        assert_eq!(table("| a |\nwords"), None);
        assert_eq!(table("a | b"), None);
    }
}
