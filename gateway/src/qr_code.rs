//! A text as a QR code, for a terminal and for a page.

use std::fmt::Write as _;

use qrcode::render::unicode::Dense1x2;
use qrcode::{Color, EcLevel, QrCode};

/// The dark modules of a code, for an SVG.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawing {
    /// How many modules a side has.
    pub size: usize,
    /// The dark ones as the data of a path, in modules.
    pub path: String,
}

/// The code as half blocks; none if the text is too long for one.
pub fn for_terminal(text: &str) -> Option<String> {
    Some(code(text)?.render::<Dense1x2>().dark_color(Dense1x2::Light).light_color(Dense1x2::Dark).build())
}

/// The code as a drawing, without the quiet zone around it; none if the text is too long for one.
pub fn for_page(text: &str) -> Option<Drawing> {
    let code = code(text)?;
    let (size, mut path) = (code.width(), String::new());
    for (y, row) in code.to_colors().chunks(size).enumerate() {
        let mut x = 0;
        for run in row.chunk_by(|one, next| one == next) {
            if run.first() == Some(&Color::Dark) {
                let _ = write!(path, "M{x} {y}h{}v1H{x}z", run.len()); // writing into a String can't fail
            }
            x += run.len();
        }
    }
    Some(Drawing { size, path })
}

fn code(text: &str) -> Option<QrCode> {
    QrCode::with_error_correction_level(text, EcLevel::L).ok()
}

#[cfg(test)]
mod tests {
    use super::{code, for_page, for_terminal};

    const TEXT: &str = "https://p.example/signin?code=0123456789abcdef";

    #[test]
    fn a_code_is_square_and_has_a_quiet_edge() {
        let code = for_terminal(TEXT).unwrap();
        let lines: Vec<Vec<char>> = code.lines().map(|line| line.chars().collect()).collect();
        assert!(lines.iter().all(|line| line.len() == lines[0].len()));
        assert!((2 * lines.len()).abs_diff(lines[0].len()) <= 1, "{code}");
        assert!(lines[0].iter().all(|part| *part == lines[0][0]), "the edge is of one kind\n{code}");
    }

    #[test]
    fn a_drawing_has_the_dark_modules_and_no_others() {
        let drawing = for_page(TEXT).unwrap();
        let mut dark = vec![false; drawing.size * drawing.size];
        for run in drawing.path.split('M').skip(1) {
            let (at, rest) = run.split_once('h').unwrap();
            let (x, y) = at.split_once(' ').unwrap();
            let (x, y): (usize, usize) = (x.parse().unwrap(), y.parse().unwrap());
            let length: usize = rest.split_once('v').unwrap().0.parse().unwrap();
            dark[y * drawing.size + x..][..length].fill(true);
        }
        let colors = code(TEXT).unwrap().to_colors();
        assert!(colors.iter().zip(dark).all(|(color, dark)| (*color == qrcode::Color::Dark) == dark));
        assert!(for_page(&"x".repeat(3000)).is_none());
    }
}
