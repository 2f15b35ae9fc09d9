//! Terminal output as styled lines. Control sequences are ignored, except those that set styles, erase in a
//! line or from the cursor to the end, insert or delete characters, or move the cursor within the kept lines.
//! There is no screen: moves to a place on one are ignored, and what is written there comes where the cursor
//! is. Columns are counted as terminals do, by what a reader takes for one character (`cells.rs`).
//! `tests/terminal.rs` compares this with xterm.js.
//!
//! The parser is `vte` (no default features), which Alacritty uses. It depends only on `memchr` and
//! `arrayvec`, and with it this file adds 8 kB of brotli-compressed wasm. `anstyle-parse` is a fork of it
//! without the fast path for plain text.

use vte::{Params, Parser, Perform};

mod cells;
mod charset;
mod color;
mod commands;
mod plain;

use cells::Cells;
use charset::Charsets;
use color::extended;
pub use plain::{for_terminal, plain, printed_text};

/// Maximum number of stored lines; older ones are dropped and counted.
pub const MAX_LINES: usize = 10_000;
/// Longer lines wrap, because each write takes time in proportion to the length of the line.
const MAX_COLUMNS: usize = 8_192;
/// No terminal has more columns. Gaps that a move leaves before a text end here, because few bytes could make
/// many blanks. What is much longer has many rows on a screen, so that no program finds its way back into it:
/// it is not changed any more once the cursor has left it.
const WIDEST: usize = 500;
/// Lines are dropped in batches of at least this many, because each drop moves all stored lines.
const DROP_STEP: usize = 1_024;
const TAB: usize = 8;

/// A colour of the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Color {
    /// One of the 16 colours of the page's theme.
    Palette(u8),
    /// A fixed colour.
    Rgb(u8, u8, u8),
}

/// The style of a run of characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Style {
    /// Text colour; `None` is the page's own.
    pub foreground: Option<Color>,
    /// Background colour; `None` is the page's own.
    pub background: Option<Color>,
    /// Bold.
    pub bold: bool,
    /// Dim.
    pub dim: bool,
    /// Italic.
    pub italic: bool,
    /// Underlined.
    pub underline: bool,
    /// Text and background colour are swapped.
    pub inverse: bool,
    /// Struck through.
    pub strike: bool,
    /// The number of the link that it is part of; `Terminal::address` has its address.
    pub link: Option<u16>,
}

impl Style {
    /// True if no style is set.
    pub fn is_plain(&self) -> bool {
        *self == Self::default()
    }

    /// The CSS classes, separated by spaces, and custom properties (name and value) for colours that have no
    /// class.
    pub fn css_classes(&self) -> (String, Vec<(String, String)>) {
        let flags = [
            (self.bold, "t-b"),
            (self.dim, "t-d"),
            (self.italic, "t-i"),
            (self.underline, "t-u"),
            (self.strike, "t-s"),
            (self.inverse, "t-r"),
        ];
        let mut classes: Vec<String> =
            flags.into_iter().filter(|(on, _)| *on).map(|(_, class)| class.to_owned()).collect();
        let mut own = Vec::new();
        for (color, part) in [(self.foreground, "fg"), (self.background, "bg")] {
            match color {
                Some(Color::Palette(index)) => classes.push(format!("t-{part}-{index}")),
                Some(Color::Rgb(red, green, blue)) => {
                    classes.push(format!("t-{part}"));
                    own.push((format!("--_t-{part}"), format!("rgb({red} {green} {blue})")));
                }
                None => {}
            }
        }
        (classes.join(" "), own)
    }
}

/// Characters of one style.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// The characters.
    pub text: String,
    /// Their style.
    pub style: Style,
}

/// A line without its line break.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TerminalLine {
    /// Its runs; adjacent ones differ in style.
    pub spans: Vec<Span>,
}

impl TerminalLine {
    /// Its characters.
    pub fn text(&self) -> String {
        self.spans.iter().map(|span| span.text.as_str()).collect()
    }
}

/// A terminal to which output is written piece by piece.
pub struct Terminal {
    parser: Parser,
    screen: Screen,
}

impl Default for Terminal {
    fn default() -> Self {
        Self::new()
    }
}

impl Terminal {
    /// An empty terminal.
    pub fn new() -> Self {
        Self::with_line_limit(MAX_LINES)
    }

    /// A terminal that keeps so many lines.
    fn with_line_limit(most_lines: usize) -> Self {
        let screen = Screen { lines: vec![TerminalLine::default()], most_lines, ..Screen::default() };
        Self { parser: Parser::new(), screen }
    }

    /// Takes more output. A control sequence may be split between two calls.
    pub fn write(&mut self, text: &str) {
        for piece in text.split_inclusive(|c| c == '\n' || matches!(c, '\u{80}'..='\u{9F}')) {
            let mut chars = piece.chars();
            let last = chars.next_back();
            match last {
                // CAN before the line break, so that an unterminated string sequence does not swallow the
                // rest.
                Some('\n') => {
                    self.feed(chars.as_str().as_bytes());
                    self.screen.cancelled = true;
                    self.feed(b"\x18");
                    self.screen.cancelled = false;
                    self.feed(b"\n");
                }
                // In UTF-8 a C1 control takes two bytes, so it is replaced by the equivalent `ESC` and a
                // letter.
                Some(c1 @ '\u{80}'..='\u{9F}') => {
                    self.feed(chars.as_str().as_bytes());
                    self.feed(&[0x1B, (c1 as u32 as u8).wrapping_sub(0x40)]);
                }
                _ => self.feed(piece.as_bytes()),
            }
        }
        self.screen.flush();
    }

    /// The address that text of a style links to. It may be followed: others are left out.
    pub fn address(&self, style: &Style) -> Option<&str> {
        self.screen.links.get(usize::from(style.link?)).map(String::as_str)
    }

    fn feed(&mut self, bytes: &[u8]) {
        self.parser.advance(&mut self.screen, bytes);
    }

    /// The stored lines; the last one may be unfinished or empty.
    pub fn lines(&self) -> &[TerminalLine] {
        &self.screen.lines
    }

    /// How many lines were dropped before the first stored one.
    pub fn dropped(&self) -> usize {
        self.screen.dropped
    }

    /// The first line that changed since the last call, counted from the very first line of the output;
    /// `None` if nothing changed.
    pub fn take_first_changed(&mut self) -> Option<usize> {
        self.screen.changed.take()
    }
}

#[derive(Default)]
struct Screen {
    lines: Vec<TerminalLine>,
    most_lines: usize,
    dropped: usize,
    changed: Option<usize>,
    row: usize,
    /// The last row that the cursor has been in, counted from the very first line.
    bottom: usize,
    column: usize,
    style: Style,
    saved: Option<SavedCursor>,
    charsets: Charsets,
    /// The character that was printed last.
    last: char,
    /// The addresses of links.
    links: Vec<String>,
    /// The column from which on only characters were printed, without any control between them.
    printed_from: Option<usize>,
    /// A sequence is being cancelled.
    cancelled: bool,
    /// The cursor's line by columns, from `edit` on.
    cells: Cells,
    /// Whether `cells` are those of the cursor's line.
    cells_loaded: bool,
    /// Whether `cells` differ from what `lines` has. `flush` writes them back.
    cells_changed: bool,
}

/// Where the cursor can return to.
struct SavedCursor {
    /// The row, counted from the very first line, and the column.
    place: Option<(usize, usize)>,
    style: Style,
}

impl Screen {
    fn put(&mut self, c: char) {
        if self.column >= MAX_COLUMNS {
            self.printed_from = None;
            self.newline();
        }
        if !self.edit() {
            self.go_to_row(self.lines.len() - 1);
            self.newline();
            self.edit();
        }
        self.cells_changed = true;
        self.column = self.column.min(self.cells.len().max(WIDEST));
        self.printed_from.get_or_insert(self.column);
        self.column = self.cells.write(self.column, c, self.style);
    }

    /// A command ends. If its beginning was removed, what is left of it has been printed, and is taken back.
    fn end_command(&mut self) {
        let Some(from) = self.printed_from.take().filter(|from| *from < self.column) else { return };
        if !self.edit() {
            return;
        }
        let text = self.cells.text(from, self.column);
        let Some((start, address)) = commands::find_cut_off_command(&text) else { return };
        let start = self.cells.column_of(from, start);
        if self.column < self.cells.len() {
            self.erase(start, self.column - start);
        } else {
            self.cells.truncate(start, Style::default());
            self.cells_changed = true;
        }
        self.column = start;
        if let Some(address) = address {
            self.link(address);
        }
    }

    fn link(&mut self, address: String) {
        self.style.link = None;
        if address.is_empty() {
            return;
        }
        if self.links.last() != Some(&address) {
            self.links.push(address);
        }
        self.style.link = u16::try_from(self.links.len() - 1).ok();
        self.links.truncate(usize::from(u16::MAX) + 1);
    }

    /// Writes the cells of the cursor's line back to `lines` as spans.
    fn flush(&mut self) {
        if !self.cells_changed {
            return;
        }
        self.cells_changed = false;
        let spans = self.cells.spans();
        self.touch(self.row);
        if let Some(line) = self.lines.get_mut(self.row) {
            line.spans = spans;
        }
    }

    fn touch(&mut self, row: usize) {
        let line = self.dropped + row;
        self.changed = Some(self.changed.map_or(line, |changed| changed.min(line)));
    }

    fn go_to_row(&mut self, row: usize) {
        if row == self.row {
            return;
        }
        self.flush();
        self.row = row;
        self.cells_loaded = false;
    }

    /// Goes to a row that the cursor has been in, also if it was erased since.
    fn return_to_row(&mut self, row: usize) {
        let row = row.min(self.bottom - self.dropped);
        if row >= self.lines.len() {
            self.touch(self.lines.len());
            self.lines.resize(row + 1, TerminalLine::default());
        }
        self.go_to_row(row);
    }

    /// Loads the cells of the cursor's line, which takes time in proportion to its length. Returns false if the
    /// line is too long to be changed.
    fn edit(&mut self) -> bool {
        if self.cells_loaded {
            return true;
        }
        let spans = self.lines.get(self.row).map(|line| line.spans.as_slice()).unwrap_or_default();
        // A character has at most four bytes.
        if spans.len() > WIDEST || spans.iter().map(|span| span.text.len()).sum::<usize>() > 4 * WIDEST {
            return false;
        }
        self.cells_loaded = true;
        self.cells.load(spans);
        true
    }

    fn newline(&mut self) {
        self.column = 0;
        if self.row + 1 == self.lines.len() {
            self.lines.push(TerminalLine::default());
        }
        self.go_to_row(self.row + 1);
        self.bottom = self.bottom.max(self.dropped + self.row);
        self.touch(self.row);
        if self.lines.len() >= self.most_lines.saturating_add(DROP_STEP) {
            self.drop_first(self.lines.len() - self.most_lines);
        }
    }

    /// What was there stays, and what comes begins a line below it.
    fn clear_screen(&mut self) {
        self.go_to_row(self.lines.len().saturating_sub(1));
        self.flush();
        if self.lines.last().is_some_and(|line| !line.spans.is_empty()) {
            self.newline();
        }
        self.column = 0;
    }

    fn drop_first(&mut self, count: usize) {
        let count = count.min(self.row);
        self.lines.drain(..count);
        self.row -= count;
        self.dropped += count;
    }

    fn erase_line(&mut self, what: u16) {
        if what == 1 {
            return self.erase(0, self.column + 1);
        }
        let from = match what {
            0 => self.column,
            2 => 0,
            _ => return,
        };
        if self.edit() && from < self.cells.len() {
            self.cells.truncate(from, self.blank());
            self.cells_changed = true;
        }
    }

    /// The style of blanks that erasing and inserting leave: the current background.
    fn blank(&self) -> Style {
        Style { background: self.style.background, ..Style::default() }
    }

    fn erase(&mut self, from: usize, count: usize) {
        let blank = self.blank();
        if self.edit() && from < self.cells.len() {
            self.cells.erase(from, count, blank);
            self.cells_changed = true;
        }
    }

    fn insert(&mut self, count: usize) {
        if self.edit() && self.column < self.cells.len() {
            let count = count.min(MAX_COLUMNS.saturating_sub(self.cells.len()));
            self.cells.insert(self.column, count, self.blank());
            self.cells_changed = true;
        }
    }

    fn delete(&mut self, count: usize) {
        if self.edit() && self.column < self.cells.len() {
            self.cells.delete(self.column, count, self.blank());
            self.cells_changed = true;
        }
    }

    fn erase_below(&mut self) {
        self.erase_line(0);
        self.lines.truncate(self.row + 1);
        self.touch(self.row);
    }

    fn save_cursor(&mut self) {
        let place = Some((self.dropped + self.row, self.column));
        self.saved = Some(SavedCursor { place, style: self.style });
    }

    fn restore_cursor(&mut self) {
        let Some(SavedCursor { place, style }) = &self.saved else { return };
        self.style = *style;
        if let Some((row, column)) = *place {
            self.return_to_row(row.saturating_sub(self.dropped));
            self.column = column;
        }
    }

    fn sgr(&mut self, params: &Params) {
        let mut values = params.iter();
        while let Some(value) = values.next() {
            let code = value.first().copied().unwrap_or(0);
            match code {
                0 => self.style = Style { link: self.style.link, ..Style::default() },
                1 => self.style.bold = true,
                2 => self.style.dim = true,
                3 => self.style.italic = true,
                4 => self.style.underline = value.get(1) != Some(&0),
                7 => self.style.inverse = true,
                9 => self.style.strike = true,
                21 => self.style.underline = true,
                22 => (self.style.bold, self.style.dim) = (false, false),
                23 => self.style.italic = false,
                24 => self.style.underline = false,
                27 => self.style.inverse = false,
                29 => self.style.strike = false,
                30..=37 => self.style.foreground = Some(Color::Palette((code - 30) as u8)),
                // 58 is the colour of underlines, which is not shown.
                38 | 48 | 58 => {
                    // `38:5:n` is one parameter, `38;5;n` is three.
                    let color = if value.len() > 1 {
                        extended(value.iter().skip(1).copied(), value.len() > 5)
                    } else {
                        extended(values.by_ref().map(|value| value.first().copied().unwrap_or(0)), false)
                    };
                    match code {
                        38 => self.style.foreground = color.or(self.style.foreground),
                        48 => self.style.background = color.or(self.style.background),
                        _ => {}
                    }
                }
                39 => self.style.foreground = None,
                40..=47 => self.style.background = Some(Color::Palette((code - 40) as u8)),
                49 => self.style.background = None,
                90..=97 => self.style.foreground = Some(Color::Palette((code - 82) as u8)),
                100..=107 => self.style.background = Some(Color::Palette((code - 92) as u8)),
                _ => {}
            }
        }
    }
}

impl Perform for Screen {
    fn print(&mut self, c: char) {
        // `vte` counts DEL as printable, terminals ignore it.
        if c != '\x7F' {
            self.last = self.charsets.translate(c);
            self.put(self.last);
        }
    }

    fn execute(&mut self, byte: u8) {
        if byte == 0x07 {
            return self.end_command();
        }
        self.printed_from = None;
        match byte {
            b'\n' | 0x0B | 0x0C => self.newline(),
            b'\r' => self.column = 0,
            0x08 => self.column = self.column.saturating_sub(1),
            0x0E | 0x0F => self.charsets.shift(byte == 0x0E),
            b'\t' => self.column = ((self.column / TAB + 1) * TAB).min(MAX_COLUMNS),
            _ => {}
        }
    }

    fn osc_dispatch(&mut self, params: &[&[u8]], _bell_terminated: bool) {
        self.printed_from = None;
        if let Some(address) = commands::linked(params).filter(|_| !self.cancelled) {
            self.link(address);
        }
    }

    fn csi_dispatch(&mut self, params: &Params, intermediates: &[u8], ignore: bool, action: char) {
        let has_printed = self.printed_from.take().is_some();
        // Of more than 32 parameters the first ones count, as in xterm.js.
        if ignore && action != 'm' || !intermediates.is_empty() {
            return;
        }
        let first = params.iter().next().and_then(|value| value.first().copied()).unwrap_or(0);
        let count = usize::from(first.max(1));
        match action {
            'm' => self.sgr(params),
            'K' => self.erase_line(first),
            'J' if first == 0 => self.erase_below(),
            // Up to the right edge of a screen: a few bytes must not make thousands of characters.
            'b' if has_printed => {
                let room = WIDEST.saturating_sub(self.column);
                (0..count.min(room)).for_each(|_| self.put(self.last));
                self.printed_from = None;
            }
            'J' if first == 2 => self.clear_screen(),
            'X' => self.erase(self.column, count),
            '@' => self.insert(count),
            'P' => self.delete(count),
            's' => self.save_cursor(),
            'u' => self.restore_cursor(),
            // What follows is meant for another place than the cursor's, so nothing may be written over it.
            'H' | 'f' | 'd' => {
                if let Some(saved) = &mut self.saved {
                    saved.place = None;
                }
            }
            'A' | 'F' => self.go_to_row(self.row.saturating_sub(count)),
            'B' | 'E' | 'e' => self.return_to_row(self.row + count),
            'C' | 'a' => self.column = (self.column + count).min(MAX_COLUMNS - 1),
            'D' => self.column = self.column.saturating_sub(count),
            'G' | '`' => self.column = (count - 1).min(MAX_COLUMNS - 1),
            _ => {}
        }
        if matches!(action, 'E' | 'F') {
            self.column = 0;
        }
    }

    fn esc_dispatch(&mut self, intermediates: &[u8], _ignore: bool, byte: u8) {
        if (intermediates, byte) == (&[], b'\\') {
            return self.end_command();
        }
        self.printed_from = None;
        match (intermediates, byte) {
            ([], b'7') => self.save_cursor(),
            ([], b'8') => self.restore_cursor(),
            ([], b'D') => {
                let column = self.column;
                self.newline();
                self.column = column;
            }
            ([], b'E') => self.newline(),
            ([], b'c') => {
                self.charsets = Charsets::default();
                self.clear_screen();
            }
            ([which], set) => self.charsets.choose(*which, set),
            ([], b'M') => self.go_to_row(self.row.saturating_sub(1)),
            _ => {}
        }
    }
}

#[cfg(test)]
#[path = "ansi/tests.rs"]
mod tests;
