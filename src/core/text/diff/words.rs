//! Finds the words that differ between the two versions of a line. Long lines, and
//! lines with little in common, get no marks.

use std::ops::Range;

use similar::DiffOp;

use super::compare;

/// The longest line that is compared, in bytes.
const LONGEST: usize = 500;

/// The parts of an old and of a new line that the other one doesn't have, as byte ranges. `None` if a line is
/// too long or they have too little in common.
pub fn changed_words(old: &str, new: &str) -> Option<[Vec<Range<usize>>; 2]> {
    if old.len() > LONGEST || new.len() > LONGEST {
        return None;
    }
    let (before, after) = (words(old), words(new));
    let (old_texts, new_texts) = (texts(&before, old), texts(&after, new));
    let mut marks = [Vec::new(), Vec::new()];
    let mut common = 0;
    for op in compare(&old_texts, &new_texts) {
        if let DiffOp::Equal { old_index, len, .. } = op {
            let same = old_texts.iter().skip(old_index).take(len);
            common += same.map(|word| word.trim().len()).sum::<usize>();
            continue;
        }
        let [gone, come] = &mut marks;
        mark(gone, &before, op.old_range());
        mark(come, &after, op.new_range());
    }
    let longer = old.trim().len().max(new.trim().len());
    (common * 10 >= longer * 3).then_some(marks)
}

fn texts<'a>(words: &[Range<usize>], line: &'a str) -> Vec<&'a str> {
    words.iter().map(|word| line.get(word.clone()).unwrap_or_default()).collect()
}

fn mark(marks: &mut Vec<Range<usize>>, words: &[Range<usize>], which: Range<usize>) {
    let which = words.get(which).unwrap_or_default();
    let (Some(first), Some(last)) = (which.first(), which.last()) else {
        return;
    };
    match marks.last_mut() {
        Some(before) if before.end == first.start => before.end = last.end,
        _ => marks.push(first.start..last.end),
    }
}

/// Cuts a line into runs of letters and digits, runs of white space, and single other characters.
fn words(line: &str) -> Vec<Range<usize>> {
    let mut words: Vec<(u8, Range<usize>)> = Vec::new();
    for (at, ch) in line.char_indices() {
        let kind = match ch {
            _ if ch.is_alphanumeric() || ch == '_' => 0,
            _ if ch.is_whitespace() => 1,
            _ => 2,
        };
        let end = at + ch.len_utf8();
        match words.last_mut() {
            Some((of, word)) if *of == kind && kind < 2 => word.end = end,
            _ => words.push((kind, at..end)),
        }
    }
    words.into_iter().map(|(_, word)| word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(old: &str, new: &str) -> Option<(Vec<String>, Vec<String>)> {
        let texts = |line: &str, marks: &[Range<usize>]| {
            marks.iter().map(|range| line[range.clone()].to_owned()).collect()
        };
        changed_words(old, new).map(|[gone, come]| (texts(old, &gone), texts(new, &come)))
    }

    #[test]
    fn words_that_differ_are_found() {
        let (gone, come) =
            marked("let t = (at - a.minute) / span;", "let t = f64::from(at - b.minute) / span;").unwrap();
        assert_eq!((gone, come), (vec!["a".to_owned()], vec!["f64::from".to_owned(), "b".to_owned()]));
        assert_eq!(marked("größe = 1", "größe = 2"), Some((vec!["1".into()], vec!["2".into()])));
        assert_eq!(marked("alpha beta", "something else"), None);
        assert_eq!(marked(&"x ".repeat(400), "x"), None);
    }
}
