//! The initials of a name in any script, each as one character that people see.

/// What joins two letters so that both are one character.
const JOINER: char = '\u{200D}';
/// Between two initials of a script whose letters are written joined: they stand apart.
const APART: char = '\u{200C}';

/// The first characters of the first and the last word; empty if there is no word.
pub fn initials(name: &str) -> String {
    let mut words =
        name.split_whitespace().filter(|word| word.chars().any(|ch| ch.is_alphanumeric() || ch > '\u{2000}'));
    let Some(first) = words.next() else { return String::new() };
    let mut initials = first_character(first).to_owned();
    if let Some(last) = words.next_back() {
        initials.push(APART);
        initials.push_str(first_character(last));
    }
    initials
}

/// The first character that people see of a word, which may be several code points. Brackets and quotes before it don't count.
fn first_character(word: &str) -> &str {
    let word = word.trim_start_matches(|ch: char| {
        ch.is_ascii_punctuation() || matches!(ch, '«' | '“' | '„' | '「' | '（')
    });
    let mut chars = word.char_indices();
    let Some((_, first)) = chars.next() else { return "" };
    let mut before = first;
    for (at, ch) in chars {
        let in_pair = is_flag(first) && is_flag(ch) && before == first && at == first.len_utf8();
        if !(in_pair || extends(ch) || joins(before, ch)) {
            return word.get(..at).unwrap_or(word);
        }
        before = ch;
    }
    word
}

/// Half of a flag.
fn is_flag(ch: char) -> bool {
    matches!(ch, '\u{1F1E6}'..='\u{1F1FF}')
}

/// Whether the character before takes this one into its own: after a joiner, and after a sign of the scripts of India that
/// merges consonants.
fn joins(before: char, ch: char) -> bool {
    let merges = matches!(before, '\u{900}'..='\u{D7F}' if u32::from(before) & 0x7F == 0x4D)
        && !matches!(before, '\u{B80}'..='\u{BFF}');
    before == JOINER || merges && matches!(ch, '\u{900}'..='\u{D7F}')
}

/// Whether it belongs to the character before it: marks above and below, vowel signs, and what chooses the look of a picture.
fn extends(ch: char) -> bool {
    match ch {
        JOINER
        | '\u{300}'..='\u{36F}'
        | '\u{483}'..='\u{489}'
        | '\u{591}'..='\u{5BD}'
        | '\u{5BF}'
        | '\u{5C1}'..='\u{5C2}'
        | '\u{5C4}'..='\u{5C5}'
        | '\u{5C7}'
        | '\u{610}'..='\u{61A}'
        | '\u{64B}'..='\u{65F}'
        | '\u{670}'
        | '\u{6D6}'..='\u{6DC}'
        | '\u{DCA}'..='\u{DDF}'
        | '\u{E31}'
        | '\u{E33}'..='\u{E3A}'
        | '\u{E47}'..='\u{E4E}'
        | '\u{EB1}'
        | '\u{EB3}'..='\u{EBC}'
        | '\u{EC8}'..='\u{ECE}'
        | '\u{F71}'..='\u{F84}'
        | '\u{F8D}'..='\u{FBC}'
        | '\u{102B}'..='\u{103E}'
        | '\u{1160}'..='\u{11FF}'
        | '\u{17B4}'..='\u{17D3}'
        | '\u{1AB0}'..='\u{1AFF}'
        | '\u{1DC0}'..='\u{1DFF}'
        | '\u{20D0}'..='\u{20F0}'
        | '\u{3099}'..='\u{309A}'
        | '\u{FE00}'..='\u{FE0F}'
        | '\u{FE20}'..='\u{FE2F}'
        | '\u{1F3FB}'..='\u{1F3FF}'
        | '\u{E0020}'..='\u{E007F}' => true,
        // The blocks of the scripts of India have the same signs at the same places.
        '\u{900}'..='\u{D7F}' => {
            matches!(u32::from(ch) & 0x7F, 0x00..=0x03 | 0x3A..=0x3C | 0x3E..=0x4F | 0x51..=0x57 | 0x62..=0x63)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::initials;

    #[test]
    fn a_name_of_any_script_has_whole_characters() {
        for (name, shown) in [
            ("Ana", "A"),
            ("Ana María García", "A\u{200C}G"),
            ("ana@example.com", "a"),
            ("  Ben\u{3000}Cole ", "B\u{200C}C"),
            ("“Bo” (Berlin)", "B\u{200C}B"),
            ("E\u{301}mile Zola", "E\u{301}\u{200C}Z"),
            ("李小龙", "李"),
            ("أحمد منصور", "أ\u{200C}م"),
            ("שָׁלוֹם", "שָׁ"),
            ("किरण क्षमा", "कि\u{200C}क्ष"),
            ("தமிழ்", "த"),
            ("น้ำ", "น้ำ"),
            ("한지민", "한"),
            ("\u{1112}\u{1161}\u{11AB}지민", "\u{1112}\u{1161}\u{11AB}"),
            ("👨\u{200D}👩\u{200D}👧 Family", "👨\u{200D}👩\u{200D}👧\u{200C}F"),
            ("🇬🇧🇫🇷 Ada", "🇬🇧\u{200C}A"),
            ("👍🏽", "👍🏽"),
            ("Ana - (x)", "A\u{200C}x"),
            ("...", ""),
            ("", ""),
        ] {
            assert_eq!(initials(name), shown, "{name}");
        }
    }
}
