//! Whether a form's regular expression is cheap to test. It is somebody else's, and a browser's engine tries all ways in which
//! the parts of an expression can share a text: a few letters can keep it busy for ever.

/// The most ways that are tried.
const MOST_WAYS: f64 = 1e6;
/// In bytes.
const LONGEST: usize = 500;

/// Whether testing a text of so many characters may take long. True also for some expressions that would not.
pub fn is_costly(pattern: &str, characters: usize) -> bool {
    if pattern.len() > LONGEST {
        return true;
    }
    // Of each group that is open, whether its parts can match a text in more than one way.
    let mut open = vec![false];
    // How many parts can match more or less of a text.
    let mut parts = 0;
    let mut rest = pattern.chars().peekable();
    let mut in_class = false;
    // Whether the last part was a group that can match a text in more than one way.
    let mut varies = false;
    while let Some(letter) = rest.next() {
        let group = std::mem::take(&mut varies);
        match letter {
            '\\' => drop(rest.next()),
            ']' => in_class = false,
            _ if in_class => {}
            '[' => in_class = true,
            '(' => {
                open.push(false);
                // `(?:`, `(?=`, `(?<name>`
                rest.next_if_eq(&'?');
            }
            ')' => {
                varies = open.pop().unwrap_or(true);
                if let Some(outer) = open.last_mut() {
                    *outer |= varies;
                }
            }
            '|' => mark(&mut open),
            '*' | '+' | '?' | '{' => {
                if group && letter != '?' {
                    return true;
                }
                // `{8}` takes as much every time.
                let fixed = letter == '{' && count(&mut rest).chars().all(|letter| letter.is_ascii_digit());
                if !fixed {
                    mark(&mut open);
                    parts += 1;
                }
                // `+?`
                rest.next_if_eq(&'?');
            }
            _ => {}
        }
    }
    (characters.max(2) as f64).powi(parts) > MOST_WAYS
}

fn mark(open: &mut [bool]) {
    if let Some(group) = open.last_mut() {
        *group = true;
    }
}

/// What is between braces.
fn count(rest: &mut impl Iterator<Item = char>) -> String {
    rest.take_while(|letter| *letter != '}').collect()
}

#[cfg(test)]
mod tests {
    use super::is_costly;

    #[test]
    fn what_can_be_read_in_many_ways_is_costly() {
        for pattern in [
            "^(a+)+$",
            "^((a+))+$",
            "^(a|a)+$",
            "^(a+b?)*$",
            "^(?:a|aa){2,}$",
            "^(?<x>a*)*$",
            "^([a-z]+\\s?)+$",
            "^(a?){30}a{30}$",
            "^(a+){9}$",
            "^(a|b|ab)*c$",
            "a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?aaaaaaa",
            "^.*.*.*.*.*.*x$",
            "^(([a])+)+$",
        ] {
            assert!(is_costly(pattern, 40), "{pattern}");
        }
        assert!(is_costly("^.*.*x$", 5_000), "a long text makes it so");
        assert!(is_costly(&"a".repeat(501), 1));
    }

    #[test]
    fn what_people_are_asked_for_is_not() {
        for pattern in [
            "^[a-z]{2}$",
            "^\\d{4}-\\d{2}-\\d{2}$",
            "^[A-Z]+-[0-9]+$",
            "^(\\d{3}-)?\\d{4}$",
            "^(main|dev|release)$",
            "^[^@+*]+@[^@]+\\.[a-z]+$",
            "^([0-9a-f]{2}:){5}[0-9a-f]{2}$",
            "^\\(a\\+\\)\\+$",
            "^v?\\d+\\.\\d+\\.\\d+$",
            "^[(+*|]+$",
            "",
        ] {
            assert!(!is_costly(pattern, 20), "{pattern}");
        }
    }
}
