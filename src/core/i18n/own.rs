//! A host's own messages, in place of ours.

use super::{Language, compile};

/// A line for each message, by number: its file, its id, and the names of its values.
const NAMES: &str = include_str!(concat!(env!("OUT_DIR"), "/names.txt"));

/// A language that has a host's messages in place of its own. `language` is `None` for English. `files` are names of files in
/// `www/locales/en`, without `.ftl`, and Fluent sources that have some of their messages. Also returns what is wrong with
/// those that are left out. Its texts are never freed: there is one such language for a page.
pub fn with_own_messages(
    language: Option<&'static Language>,
    files: &[(String, String)],
) -> (Language, Vec<String>) {
    let names: Vec<Vec<&str>> = NAMES.lines().map(|line| line.split(' ').collect()).collect();
    let mut words = language.map_or_else(Vec::new, |language| language.words.to_vec());
    words.resize(names.len(), "");
    let mut errors = Vec::new();
    for (file, source) in files {
        let (messages, wrong) = compile::messages(source);
        errors.extend(wrong.into_iter().map(|why| format!("{file}: {why}")));
        for (id, message) in messages {
            let number = names.iter().position(|name| name.starts_with(&[file, &id]));
            let Some((word, values)) =
                number.and_then(|number| Some((words.get_mut(number)?, names.get(number)?)))
            else {
                errors.push(format!("{file}: there is no message {id}"));
                continue;
            };
            if let Some(value) =
                message.values.iter().find(|value| !values.iter().skip(2).any(|of| of == value))
            {
                errors.push(format!("{file}: {id} has no value ${value}"));
                continue;
            }
            *word = message.text.leak();
        }
    }
    let base = language.unwrap_or(&super::ENGLISH);
    (Language { words: words.leak(), ..*base }, errors)
}

#[cfg(test)]
mod tests {
    use std::sync::OnceLock;

    use super::*;
    use crate::i18n::words::timeline;
    use crate::i18n::{current, in_english, set};

    fn files(source: &str) -> Vec<(String, String)> {
        vec![("timeline".to_owned(), source.to_owned())]
    }

    #[test]
    fn a_host_s_words_replace_ours_and_the_others_stay() {
        static OWN: OnceLock<Language> = OnceLock::new();
        let source =
            "times = { $n } mal\ntools = { $n ->\n    [one] one helper\n   *[other] { $n } helpers\n}\n";
        let (language, errors) = with_own_messages(None, &files(source));
        set(Some(OWN.get_or_init(|| language)));
        let shown =
            (timeline::TIMES.with(&[("n", 3_i64.into())]), timeline::TOOLS.with(&[("n", 1_i64.into())]));
        let (others, tag) =
            (timeline::MODEL_CALLS.with(&[("n", 2_i64.into())]), current().map(|language| language.tag));
        let snapshot = in_english(|| timeline::TIMES.with(&[("n", 3_i64.into())]));
        set(None);
        assert_eq!(errors, Vec::<String>::new());
        assert_eq!(shown, ("3 mal".to_owned(), "one helper".to_owned()));
        assert_eq!((others.as_str(), tag), ("2 model calls", None), "the page is still in English");
        assert_eq!(snapshot, "×3", "programs read our words");
    }

    #[test]
    fn what_is_wrong_is_said_and_the_rest_counts() {
        static OWN: OnceLock<Language> = OnceLock::new();
        let source =
            "times = { $count } times\nno-such = x\ntools = { $n } tools { -term }\ntokens = many\n= lost\n";
        let (language, errors) = with_own_messages(None, &files(source));
        set(Some(OWN.get_or_init(|| language)));
        let shown =
            (timeline::TIMES.with(&[("n", 3_i64.into())]), timeline::TOKENS.with(&[("n", 3_i64.into())]));
        set(None);
        assert_eq!(shown, ("×3".to_owned(), "many".to_owned()));
        let expected = [
            "timeline: line 5: ",
            "timeline: tools: only { $name } and { \"text\" } are supported in braces",
            "timeline: there is no message no-such",
            "timeline: times has no value $count",
        ];
        assert_eq!(errors.len(), expected.len(), "{errors:?}");
        for (error, expected) in errors.iter().zip(expected) {
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
