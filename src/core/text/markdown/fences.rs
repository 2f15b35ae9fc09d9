//! Which lines are in a code fence. A fence with a language opens a level inside a fence of Markdown.
//!
//! `CommonMark` closes the outer fence with the first line of enough marks. Models show Markdown in a fence, with fences of
//! its own in it, and mean the levels.

/// What a line is to the fences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FenceLine {
    /// Not in a fence.
    Outside,
    /// Opens a fence.
    Opens,
    /// Is in a fence. It begins no level and ends none.
    Code,
    /// Is in a fence, and would close the outermost one by `CommonMark`, but belongs to a level inside of it.
    Inner,
    /// Closes the outermost fence.
    Closes,
}

/// A fence that is open.
#[derive(Clone, Copy, Debug)]
struct Fence {
    mark: char,
    length: usize,
    /// Whether a fence with a language opens a level in it.
    nests: bool,
    /// Whether its lines are those of a diff: one that stays has a blank before it, which belongs to no fence.
    is_diff: bool,
}

impl Fence {
    fn new(marks: &Marks<'_>, nests: bool) -> Self {
        let is_diff = is_language(marks.info, &["diff", "patch"]);
        Self { mark: marks.mark, length: marks.length, nests, is_diff }
    }
}

/// The fences that are open, the outermost first.
#[derive(Clone, Debug, Default)]
pub(super) struct Fences {
    open: Vec<Fence>,
    /// The column of the outermost fence, and what it is in.
    column: usize,
    quotes: usize,
    item: bool,
}

/// The marks of a fence at the beginning of a text.
struct Marks<'a> {
    mark: char,
    length: usize,
    info: &'a str,
}

fn marks(text: &str) -> Option<Marks<'_>> {
    let mark = text.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let info = text.trim_start_matches(mark);
    let length = text.len() - info.len();
    (length >= 3 && (mark == '~' || !info.contains('`'))).then(|| Marks { mark, length, info: info.trim() })
}

/// What stands before the text of a line: its width, how many `>` are in it, and whether a list's marker is.
struct Lead {
    width: usize,
    quotes: usize,
    item: bool,
    bytes: usize,
}

/// At most so many `>` are skipped, and markers of lists if `items`.
fn lead(line: &str, quotes: usize, items: bool) -> Lead {
    let mut lead = Lead { width: 0, quotes: 0, item: false, bytes: 0 };
    while let Some(rest) = line.get(lead.bytes..) {
        let Some(c) = rest.chars().next() else { break };
        match c {
            ' ' => lead.width += 1,
            '\t' => lead.width += 4 - lead.width % 4,
            '>' if lead.quotes < quotes => {
                lead.quotes += 1;
                lead.width = 0;
            }
            _ => {
                let marker = if items { list_marker(rest) } else { 0 };
                if marker == 0 {
                    break;
                }
                lead.item = true;
                lead.width += marker;
                lead.bytes += marker;
                continue;
            }
        }
        lead.bytes += 1;
    }
    lead
}

/// The length of the list's marker with which a text begins, in bytes; 0 if there is none.
pub(super) fn list_marker(text: &str) -> usize {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let rest = text.get(digits..).unwrap_or_default();
    let marker = if digits == 0 { ['-', '*', '+'].as_slice() } else { ['.', ')'].as_slice() };
    let blank = rest.strip_prefix(marker).is_some_and(|after| after.starts_with([' ', '\t']));
    if blank && digits <= 9 { digits + 1 } else { 0 }
}

impl Fences {
    pub(super) fn is_open(&self) -> bool {
        !self.open.is_empty()
    }

    /// Takes the next line, without its end. In a fence that opens without `nests` there are no levels, as in `CommonMark`.
    pub(super) fn take(&mut self, line: &str, nests: bool) -> FenceLine {
        let Some(outer) = self.open.first().copied() else {
            return self.begin(line, nests);
        };
        let lead = lead(line, self.quotes, false);
        let text = line.get(lead.bytes..).unwrap_or_default();
        let left = lead.quotes < self.quotes || self.item && lead.width < self.column && !text.is_empty();
        if left {
            self.open.clear();
            return self.begin(line, nests);
        }
        let Some(marks) = marks(text).filter(|_| lead.width <= self.column + 3) else {
            return FenceLine::Code;
        };
        let inner = self.open.last().copied().unwrap_or(outer);
        let closes =
            |fence: Fence| marks.info.is_empty() && marks.mark == fence.mark && marks.length >= fence.length;
        if inner.is_diff && lead.width > self.column {
            return within(closes(outer));
        }
        if closes(inner) {
            self.open.pop();
            return if self.open.is_empty() { FenceLine::Closes } else { within(closes(outer)) };
        }
        if inner.nests && !marks.info.is_empty() {
            self.open.push(Fence::new(&marks, nests_fences(marks.info)));
            return FenceLine::Code;
        }
        within(closes(outer))
    }

    fn begin(&mut self, line: &str, nests: bool) -> FenceLine {
        let lead = lead(line, usize::MAX, true);
        let Some(marks) = marks(line.get(lead.bytes..).unwrap_or_default()) else {
            return FenceLine::Outside;
        };
        self.column = lead.width;
        self.quotes = lead.quotes;
        self.item = lead.item;
        self.open.push(Fence::new(&marks, nests && (marks.info.is_empty() || nests_fences(marks.info))));
        FenceLine::Opens
    }
}

/// A line of a level.
fn within(closes_outer: bool) -> FenceLine {
    if closes_outer { FenceLine::Inner } else { FenceLine::Code }
}

/// Languages that are Markdown, or no language: models show prompts and drafts in those.
const MARKDOWN: [&str; 10] =
    ["markdown", "md", "mdx", "mdc", "rmd", "qmd", "quarto", "text", "txt", "plaintext"];

fn nests_fences(info: &str) -> bool {
    is_language(info, &MARKDOWN)
}

fn is_language(info: &str, names: &[&str]) -> bool {
    let language = info.split([' ', '\t', ',', '{', ':']).next().unwrap_or_default();
    names.iter().any(|name| language.eq_ignore_ascii_case(name))
}

/// Whether a block that begins with a fence ends with the line that closes it.
pub(super) fn is_closed(block: &str) -> bool {
    let mut fences = Fences::default();
    block.trim_end().split('\n').map(|line| fences.take(line, true)).last() == Some(FenceLine::Closes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> String {
        let mut fences = Fences::default();
        let kind = |line| match fences.take(line, true) {
            FenceLine::Outside => '.',
            FenceLine::Opens => '<',
            FenceLine::Code => 'c',
            FenceLine::Inner => 'i',
            FenceLine::Closes => '>',
        };
        text.split('\n').map(kind).collect()
    }

    #[test]
    fn a_fence_with_a_language_is_a_level_in_a_fence_of_markdown() {
        for (text, lines) in [
            ("```markdown\n```bash\nx\n```\n```\nyou", "<cci>."),
            ("```\n```bash\nx\n```\nmore\n```js\n```\n```\nyou", "<ccicci>."),
            ("~~~md\n~~~bash\nx\n~~~\n~~~\nyou", "<cci>."),
            ("```md\n```md\n```bash\n```\n```\n```\nyou", "<ccii>."),
            ("````md\n```bash\nx\n```\n````\nyou", "<ccc>."),
            ("```md\n~~~bash\n```\n~~~\n```\nyou", "<cic>."),
            ("- ```md\n  ```bash\n  x\n  ```\n  ```\n- you", "<cci>."),
            ("> ```md\n> ```bash\n> x\n> ```\n> ```\n> you", "<cci>."),
            ("1. ```md\n   ```bash\nyou", "<c."),
            ("> ```md\n> ```bash\nyou", "<c."),
            ("```text\n```bash\nx\n```\n```\nyou", "<cci>."),
            ("```rmd\n```{r}\nx\n```\n```\nyou", "<cci>."),
            ("```diff\n ```bash\n-x\n+y\n ```\n```\nyou", "<ccci>."),
            ("```diff\n x\n ```\n```\nyou", "<ci>."),
            ("```md\n```diff\n ```js\n ```\n```\n```\nyou", "<ccii>."),
            ("- ```patch\n   ```\n  ```\nyou", "<i>."),
            // A language of code has no levels.
            ("```bash\n```js\n```\nyou", "<c>."),
            ("```rust\nx\n```\n```js\ny\n```", "<c><c>"),
            ("``` a`b\n```\n", ".<c"),
            ("```md\n    ```\n```", "<c>"),
            ("```\n> ```\n```", "<c>"),
        ] {
            assert_eq!(kinds(text), lines, "{text:?}");
        }
        assert!(is_closed("```md\n```bash\n```\n```\n"));
        assert!(!is_closed("```md\n```bash\n```\n"));
    }
}
