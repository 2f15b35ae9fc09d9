//! A text before a language is chosen: a message with its arguments. The state holds phrases, and views make
//! text of them in the language of the page.

use std::borrow::Cow;

use super::words::{composer, figures, notices, requests};
use super::{Value, Word, duration, format, hundredths};

/// Text that is made when it is shown. Equal phrases read the same in every language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Phrase {
    /// Text from elsewhere, which is never translated. As an argument it also selects the case of its name.
    Text(String),
    /// A whole number, as [`Value::Number`].
    Number(i64),
    /// A whole number in short form, as [`Value::Count`].
    Count(i64),
    /// A number in hundredths, with at most two decimals.
    Hundredths(i64),
    /// Milliseconds.
    Duration(i64),
    /// A message with its arguments.
    Message(Word, Vec<(&'static str, Phrase)>),
    /// Several phrases, with the same sign between any two.
    Joined(Vec<Phrase>, &'static str),
    /// A phrase that begins with a capital letter.
    Capitalised(Box<Phrase>),
}

impl Phrase {
    /// One of the runtime's identifiers, made readable.
    pub fn runtime_word(word: &str) -> Self {
        let readable = format::in_words(word);
        notices::RUNTIME_WORD.phrase(vec![("word", word.into()), ("said", readable.into())])
    }

    /// `1 premium request`, `2.5 premium requests`.
    pub fn premium_requests(requests: f64) -> Self {
        let hundredths = (requests * 100.0).round() as i64;
        let number = if hundredths % 100 == 0 { (hundredths / 100).into() } else { "other".into() };
        figures::PREMIUM_REQUESTS.phrase(vec![("n", number), ("figure", Self::Hundredths(hundredths))])
    }

    /// A mode's name; an unknown one as it is.
    pub fn mode_name(mode: &str) -> Self {
        composer::MODE_NAME.phrase(vec![("mode", mode.into())])
    }

    /// How the agent goes on after a plan, briefly; an unknown way as it is.
    pub fn plan_choice(action: &str) -> Self {
        match action {
            "interactive" | "autopilot" => Self::mode_name(action),
            "autopilot_fleet" => requests::PLAN_FLEET.into(),
            "exit_only" => requests::PLAN_LEAVE.into(),
            other => other.into(),
        }
    }

    /// The text in the current language. Only views call this.
    pub fn words(&self) -> Cow<'_, str> {
        Cow::Owned(match self {
            Self::Text(text) => return Cow::Borrowed(text),
            Self::Message(word, arguments) if arguments.is_empty() => return Cow::Borrowed(word.text()),
            Self::Number(number) => Value::Number(*number).written(),
            Self::Count(number) => Value::Count(*number).written(),
            Self::Hundredths(number) => hundredths(*number),
            Self::Duration(millis) => duration(*millis),
            Self::Message(word, arguments) => with_arguments(*word, arguments),
            Self::Joined(phrases, sign) => phrases.iter().map(Self::words).collect::<Vec<_>>().join(*sign),
            Self::Capitalised(phrase) => format::capitalised(&phrase.words()),
        })
    }
}

fn with_arguments(word: Word, arguments: &[(&str, Phrase)]) -> String {
    let texts: Vec<Cow<'_, str>> = arguments.iter().map(|(_, argument)| argument.words()).collect();
    let values: Vec<_> = arguments
        .iter()
        .zip(&texts)
        .map(|((name, argument), text)| {
            let value = match argument {
                Phrase::Number(number) => Value::Number(*number),
                Phrase::Count(number) => Value::Count(*number),
                _ => Value::Text(text),
            };
            (*name, value)
        })
        .collect();
    word.with(&values)
}

impl Word {
    /// The message with its arguments, to be put into words later.
    pub fn phrase(self, arguments: Vec<(&'static str, Phrase)>) -> Phrase {
        Phrase::Message(self, arguments)
    }
}

impl From<Word> for Phrase {
    fn from(word: Word) -> Self {
        Self::Message(word, Vec::new())
    }
}

impl From<String> for Phrase {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for Phrase {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<i64> for Phrase {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl From<u64> for Phrase {
    fn from(number: u64) -> Self {
        Self::Number(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

/// An optional argument. Messages have a case `[missing]` for its absence.
impl<P: Into<Self>> From<Option<P>> for Phrase {
    fn from(argument: Option<P>) -> Self {
        argument.map_or_else(|| "missing".into(), Into::into)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phrase_reads_as_its_message_with_these_values() {
        let phrase =
            notices::MODE_CHANGED.phrase(vec![("from", None::<String>.into()), ("mode", "plan".into())]);
        assert_eq!(phrase.words(), "Mode: plan");
        let took = notices::MODEL_TIME.phrase(vec![("time", Phrase::Duration(12_400))]);
        let parts = vec![Phrase::from(notices::SESSION_RESUMED), took, Phrase::premium_requests(2.5)];
        assert_eq!(
            Phrase::Joined(parts, " · ").words(),
            "Session resumed · 12 s of model time · 2.5 premium requests"
        );
        let count = notices::REQUESTS.phrase(vec![("n", Phrase::Count(1))]);
        assert_eq!(count.words(), "1 request", "a number selects its plural form");
        let word = Phrase::Capitalised(Box::new(Phrase::runtime_word("rate_limited")));
        assert_eq!(word.words(), "Rate limited");
    }
}
