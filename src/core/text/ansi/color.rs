//! Reads the colours of terminal output: 256 numbered ones, and those of red, green and blue.

use super::Color;

/// Reads `5;n` or `2;r;g;b`. In the colon form a colour space, usually empty, may come before the red.
pub fn extended(mut values: impl Iterator<Item = u16>, has_space: bool) -> Option<Color> {
    let byte =
        |values: &mut dyn Iterator<Item = u16>| values.next().and_then(|value| u8::try_from(value).ok());
    match values.next()? {
        5 => byte(&mut values).map(indexed),
        2 => {
            if has_space {
                values.next();
            }
            Some(Color::Rgb(byte(&mut values)?, byte(&mut values)?, byte(&mut values)?))
        }
        _ => None,
    }
}

/// One of xterm's 256 colours: 16 of the theme, a cube of 6×6×6, 24 greys.
fn indexed(index: u8) -> Color {
    match index {
        0..=15 => Color::Palette(index),
        16..=231 => {
            let level = |step: u8| if step == 0 { 0 } else { 55 + 40 * step };
            let cube = index - 16;
            Color::Rgb(level(cube / 36), level(cube / 6 % 6), level(cube % 6))
        }
        232..=255 => {
            let grey = 8 + 10 * (index - 232);
            Color::Rgb(grey, grey, grey)
        }
    }
}
