//! A line of a terminal by columns. What a reader takes for one character stands in one cell, or in two if it is
//! wide; where half of a wide one is overwritten, the other half is cleared, as terminals do.

use std::iter;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::{Span, Style};

/// What stands in a column.
#[derive(Clone, Copy)]
struct Cell {
    /// Its character, or `SECOND_HALF`.
    first: char,
    /// The number, counted from 1, of its characters in `clusters` if there are several; else 0.
    cluster: u32,
    style: Style,
}

/// In place of a character: the second column of the wide one before. Terminals ignore NUL, so it is in no text.
const SECOND_HALF: char = '\0';
/// The variation selector that makes a character an emoji, which is wide.
const EMOJI_LOOK: char = '\u{FE0F}';
const JOINER: char = '\u{200D}';
/// Characters that are longer, in bytes, get no further parts: no letter of any language does.
const LONGEST: usize = 64;

/// The cells of a line.
#[derive(Default)]
pub struct Cells {
    cells: Vec<Cell>,
    clusters: Vec<String>,
}

impl Cells {
    /// How many columns there are.
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// Takes the runs of a line.
    pub fn load(&mut self, spans: &[Span]) {
        self.cells.clear();
        self.clusters.clear();
        for span in spans {
            for c in span.text.chars() {
                self.write(self.cells.len(), c, span.style);
            }
        }
    }

    /// The line as runs.
    pub fn spans(&self) -> Vec<Span> {
        let runs = self.cells.chunk_by(|one, other| one.style == other.style);
        let spans = runs.filter_map(|run| {
            let style = run.first()?.style;
            Some(Span { text: self.characters(run), style })
        });
        spans.collect()
    }

    /// The characters from a column up to another one.
    pub fn text(&self, from: usize, to: usize) -> String {
        self.characters(self.cells.get(from..to).unwrap_or_default())
    }

    fn characters(&self, cells: &[Cell]) -> String {
        let mut text = String::with_capacity(cells.len());
        for cell in cells.iter().filter(|cell| cell.first != SECOND_HALF) {
            match self.cluster(cell) {
                Some(cluster) => text.push_str(cluster),
                None => text.push(cell.first),
            }
        }
        text
    }

    /// The column so many bytes of text behind another one.
    pub fn column_of(&self, from: usize, mut bytes: usize) -> usize {
        let mut column = from;
        while let Some(cell) = self.cells.get(column).filter(|cell| bytes > 0 || cell.first == SECOND_HALF) {
            bytes = bytes.saturating_sub(self.characters(std::slice::from_ref(cell)).len());
            column += 1;
        }
        column
    }

    fn cluster(&self, cell: &Cell) -> Option<&str> {
        self.clusters.get((cell.cluster as usize).checked_sub(1)?).map(String::as_str)
    }

    /// Writes a character at a column, or adds it to the one before if both are one to a reader. Returns the
    /// column behind it.
    pub fn write(&mut self, column: usize, c: char, style: Style) -> usize {
        if !c.is_ascii()
            && let Some(end) = self.join(column, c)
        {
            return end;
        }
        let width = columns(c);
        self.put(column, Cell { first: c, cluster: 0, style }, style);
        if width == 2 {
            self.put(column + 1, Cell { first: SECOND_HALF, cluster: 0, style }, style);
        }
        column + width
    }

    fn put(&mut self, column: usize, cell: Cell, style: Style) {
        if column >= self.cells.len() {
            self.cells.resize(column, Cell { first: ' ', cluster: 0, style: Style::default() });
            return self.cells.push(cell);
        }
        // The character at the column may have its second half there that is written now.
        if cell.first != SECOND_HALF {
            self.split_wide(column, style);
        }
        self.split_wide(column + 1, style);
        if let Some(place) = self.cells.get_mut(column) {
            *place = cell;
        }
    }

    /// Adds a character to the one before a column, and returns the column behind that; `None` if they are two.
    fn join(&mut self, column: usize, c: char) -> Option<usize> {
        let last = column.checked_sub(1)?;
        let is_wide = self.cells.get(last)?.first == SECOND_HALF;
        let at = last.checked_sub(usize::from(is_wide))?;
        let cell = *self.cells.get(at)?;
        let mut alone = [0; 4];
        let before = self.cluster(&cell).unwrap_or(cell.first.encode_utf8(&mut alone));
        if !joins(before, c) {
            return None;
        }
        let widens = !is_wide && (is_flag_letter(c) || c == EMOJI_LOOK && is_wide_emoji(before));
        if let Some(cluster) = (cell.cluster as usize).checked_sub(1).and_then(|at| self.clusters.get_mut(at))
        {
            cluster.push(c);
        } else {
            self.clusters.push([cell.first, c].iter().collect());
            self.cells.get_mut(at)?.cluster = u32::try_from(self.clusters.len()).unwrap_or(0);
        }
        if widens {
            let half = Cell { first: SECOND_HALF, cluster: 0, style: cell.style };
            self.put(column, half, cell.style);
        }
        Some(at + 1 + usize::from(is_wide || widens))
    }

    /// Clears a wide character whose second half is in this column.
    fn split_wide(&mut self, column: usize, style: Style) {
        let Some(before) = column.checked_sub(1) else { return };
        if let Some([first, second]) = self.cells.get_mut(before..=column)
            && second.first == SECOND_HALF
        {
            (*first, *second) =
                (Cell { first: ' ', cluster: 0, style }, Cell { first: ' ', cluster: 0, style });
        }
    }

    /// Removes all from a column on.
    pub fn truncate(&mut self, column: usize, blank: Style) {
        self.split_wide(column, blank);
        self.cells.truncate(column);
    }

    /// Makes columns blank.
    pub fn erase(&mut self, column: usize, count: usize, blank: Style) {
        self.split_wide(column, blank);
        self.split_wide(column.saturating_add(count), blank);
        let cells = self.cells.iter_mut().skip(column).take(count);
        cells.for_each(|cell| *cell = Cell { first: ' ', cluster: 0, style: blank });
    }

    /// Inserts blank columns.
    pub fn insert(&mut self, column: usize, count: usize, blank: Style) {
        self.split_wide(column, blank);
        let blanks = iter::repeat_n(Cell { first: ' ', cluster: 0, style: blank }, count);
        self.cells.splice(column..column, blanks);
    }

    /// Takes columns out.
    pub fn delete(&mut self, column: usize, count: usize, blank: Style) {
        let end = column.saturating_add(count).min(self.cells.len());
        self.split_wide(column, blank);
        self.split_wide(end, blank);
        self.cells.drain(column..end);
    }
}

/// The columns of a character that is not part of the one before.
fn columns(c: char) -> usize {
    if c.is_ascii() { 1 } else { c.width().unwrap_or(1).clamp(1, 2) }
}

/// True if a character is one with those before it: a mark above a letter, a part of an emoji or of a flag.
fn joins(before: &str, c: char) -> bool {
    if c.width() == Some(0) {
        return true;
    }
    if is_flag_letter(c) {
        let mut letters = before.chars();
        return letters.next().is_some_and(is_flag_letter) && letters.next().is_none();
    }
    let is_part = before.ends_with(JOINER) || matches!(c, '\u{1F3FB}'..='\u{1F3FF}');
    is_part && before.len() <= LONGEST && {
        let mut both = String::from(before);
        both.push(c);
        both.width() <= before.width()
    }
}

/// One of the letters that make flags in pairs.
fn is_flag_letter(c: char) -> bool {
    matches!(c, '\u{1F1E6}'..='\u{1F1FF}')
}

/// True if the variation selector makes a character an emoji.
fn is_wide_emoji(before: &str) -> bool {
    before.len() <= 4 && [before, "\u{FE0F}"].concat().width() == 2
}
