//! The set of characters for drawing lines (DEC Special Graphics), in which `q` is a horizontal line.

/// What stands for the characters from `_` to `~`.
const DRAWN: &str = " ◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·";

/// Which sets of characters a terminal has chosen.
#[derive(Debug, Default, Clone, Copy)]
pub struct Charsets {
    /// Whether the two sets, G0 and G1, are the one for drawing.
    line_drawing: [bool; 2],
    /// Whether the second one is in use.
    is_second: bool,
}

impl Charsets {
    /// Chooses a set: `ESC ( 0` and the like.
    pub fn choose(&mut self, which: u8, set: u8) {
        match which {
            b'(' => self.line_drawing[0] = set == b'0',
            b')' => self.line_drawing[1] = set == b'0',
            _ => {}
        }
    }

    /// Changes to the first set (SI) or to the second one (SO).
    pub fn shift(&mut self, is_second: bool) {
        self.is_second = is_second;
    }

    /// The character that is shown for one that is printed.
    pub fn translate(self, c: char) -> char {
        let draws = if self.is_second { self.line_drawing[1] } else { self.line_drawing[0] };
        if !draws {
            return c;
        }
        let place = u32::from(c).checked_sub(u32::from('_'));
        place.and_then(|place| DRAWN.chars().nth(place as usize)).unwrap_or(c)
    }
}

#[cfg(test)]
mod tests {
    use crate::text::ansi::Terminal;

    #[test]
    fn lines_are_drawn_while_the_set_is_in_use() {
        for (output, shown) in [
            ("\x1b(0lqk\nx x\nmqj\x1b(Bq", "┌─┐\n│ │\n└─┘q"),
            ("\x1b)0q\x0eq\x0fq", "q─q"),
            ("\x1b(0q\x1bcq", "─\nq"),
            ("\x1b(0aA~\x7fé日\x1b(B", "▒A·é日"),
            ("\x1b(Aq\x0eq", "qq"),
            ("q\x1b[3b", "qqqq"),
            ("\x1b(0q\x1b[2bx", "───│"),
            ("日\x1b[b", "日日"),
            ("a\n\x1b[3bb", "a\nb"),
            ("\x1b[3bb", "b"),
            ("a\x1b[b\x1b[b", "aa"),
        ] {
            let mut terminal = Terminal::new();
            for c in output.chars() {
                terminal.write(c.encode_utf8(&mut [0; 4]));
            }
            let lines: Vec<String> =
                terminal.lines().iter().map(crate::text::ansi::TerminalLine::text).collect();
            assert_eq!(lines.join("\n"), shown, "{output:?}");
        }
    }

    #[test]
    fn few_bytes_do_not_make_many_characters() {
        let mut terminal = Terminal::new();
        terminal.write(&"a\x1b[65535b".repeat(20));
        assert!(terminal.lines().iter().map(|line| line.text().len()).sum::<usize>() < 600);
    }
}
