//! Reads JSON with comments and trailing commas, as it is in the platform's documentation.

/// Removes `//` comments and trailing commas. The samples in the platform's
/// documentation have them, and agents copied those.
pub(super) fn relaxed(json: &str) -> String {
    let mut plain = String::with_capacity(json.len());
    let mut letters = json.chars().peekable();
    let mut in_string = false;
    while let Some(letter) = letters.next() {
        match letter {
            '\\' if in_string => {
                plain.push(letter);
                plain.extend(letters.next());
                continue;
            }
            '"' => in_string = !in_string,
            '/' if !in_string && letters.peek() == Some(&'/') => {
                while letters.next_if(|next| *next != '\n').is_some() {}
                continue;
            }
            '}' | ']' if !in_string => {
                let end = plain.trim_end().len();
                if plain.get(..end).is_some_and(|text| text.ends_with(',')) {
                    plain.truncate(end - 1);
                }
            }
            _ => {}
        }
        plain.push(letter);
    }
    plain
}
