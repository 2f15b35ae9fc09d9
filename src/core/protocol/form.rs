//! Reads a form's fields from an elicitation's schema, and validates what was typed.

use serde_json::{Number, Value};

use crate::i18n::Phrase;
use crate::i18n::Word;
use crate::i18n::words::requests;
use crate::json_writer::{one_line, strings};

pub mod pattern;

/// One option.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormChoice {
    /// The value to send.
    pub value: String,
    /// The label to show.
    pub title: String,
}

/// The type of a field.
#[derive(Debug, Clone, PartialEq)]
pub enum FieldType {
    /// A text.
    Text {
        /// `email`, `uri`, `date`, `date-time`, `password`, or an unknown one.
        format: Option<String>,
        /// Minimum number of characters.
        min: Option<u64>,
        /// Maximum number of characters.
        max: Option<u64>,
    },
    /// A number.
    Number {
        /// Only whole numbers.
        whole: bool,
        /// Minimum.
        min: Option<f64>,
        /// Maximum.
        max: Option<f64>,
    },
    /// Yes or no.
    Flag,
    /// One of these options.
    One(Vec<FormChoice>),
    /// Any number of options.
    Many {
        /// The options.
        choices: Vec<FormChoice>,
        /// Minimum number of chosen options.
        min: Option<u64>,
        /// Maximum number of chosen options.
        max: Option<u64>,
    },
    /// Any other schema: the value is typed as JSON.
    Json,
}

/// One field. Its input is a string for every type: `true`, `12`, a JSON array of chosen values.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// Its name in the answer.
    pub name: String,
    /// Its label.
    pub title: String,
    /// More about it.
    pub description: Option<String>,
    /// It must be filled in.
    pub required: bool,
    /// Its type.
    pub field_type: FieldType,
    /// A JavaScript regular expression that a text must match.
    pub pattern: Option<String>,
    /// Its initial input.
    pub start: String,
    /// Its value may be a secret, which is not stored.
    pub secret: bool,
}

/// The fields of a schema, in its order.
pub fn fields(schema: &Value) -> Vec<Field> {
    let required = schema.get("required").and_then(Value::as_array);
    let required = |name: &str| required.is_some_and(|all| all.iter().any(|one| one.as_str() == Some(name)));
    let properties = schema.get("properties").and_then(Value::as_object);
    properties.into_iter().flatten().map(|(name, property)| field(name, property, required(name))).collect()
}

fn field(name: &str, property: &Value, required: bool) -> Field {
    let text = |key: &str| {
        property.get(key).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned)
    };
    let takes = takes(property);
    let start = match (property.get("default"), &takes) {
        (None | Some(Value::Null), FieldType::Flag) => "false".to_owned(),
        (None | Some(Value::Null), _) => String::new(),
        (Some(Value::String(text)), FieldType::Json) => one_line(&text.as_str().into()),
        // A value that is not an option could not be seen, nor unchecked.
        (Some(Value::Array(all)), FieldType::Many { choices, .. }) => {
            let given = choices.iter().map(|choice| Value::from(choice.value.as_str()));
            one_line(&Value::Array(given.filter(|value| all.contains(value)).collect()))
        }
        (Some(Value::String(text)), _) => text.clone(),
        (Some(other), _) => one_line(other),
    };
    let title = text("title").unwrap_or_else(|| name.to_owned());
    let secret = property.get("format").and_then(Value::as_str) == Some("password")
        || property.get("writeOnly").and_then(Value::as_bool) == Some(true)
        || [name, &title].into_iter().any(names_secret);
    Field {
        name: name.to_owned(),
        title,
        description: text("description"),
        required,
        field_type: takes,
        pattern: text("pattern"),
        start,
        secret,
    }
}

/// Parts of names that secrets have, in small letters without gaps.
const SECRETS: [&str; 9] =
    ["password", "passwd", "passphrase", "passcode", "secret", "token", "credential", "apikey", "privatekey"];

/// Whether the name of a field, or its label, says that it is for a secret.
fn names_secret(name: &str) -> bool {
    let letters = name.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_lowercase());
    let letters: String = letters.collect();
    SECRETS.into_iter().any(|secret| letters.contains(secret))
}

fn takes(property: &Value) -> FieldType {
    let limit = |key: &str| property.get(key).and_then(Value::as_u64);
    let bound = |key: &str| property.get(key).and_then(Value::as_f64);
    // Some servers write `["string", "null"]`.
    let kind = match property.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null"),
        kind => kind.and_then(Value::as_str),
    };
    match kind {
        Some("boolean") => FieldType::Flag,
        Some(kind @ ("number" | "integer")) => {
            FieldType::Number { whole: kind == "integer", min: bound("minimum"), max: bound("maximum") }
        }
        Some("array") => match property.get("items").and_then(choices) {
            Some(choices) => FieldType::Many { choices, min: limit("minItems"), max: limit("maxItems") },
            None => FieldType::Json,
        },
        Some("string") | None => match choices(property) {
            Some(choices) => FieldType::One(choices),
            None if kind.is_none() => FieldType::Json,
            None => {
                let format = property.get("format").and_then(Value::as_str).map(str::to_owned);
                FieldType::Text { format, min: limit("minLength"), max: limit("maxLength") }
            }
        },
        Some(_) => FieldType::Json,
    }
}

/// The options of `enum` with `enumNames`, or of `oneOf` or `anyOf` with titles. None if a value is not a
/// string.
fn choices(property: &Value) -> Option<Vec<FormChoice>> {
    if let Some(values) = property.get("enum").and_then(Value::as_array) {
        let names = property.get("enumNames").and_then(Value::as_array);
        let name = |nth: usize| names.and_then(|names| names.get(nth)?.as_str());
        let choice = |(nth, value): (usize, &Value)| {
            let value = value.as_str()?.to_owned();
            let title = name(nth).map_or_else(|| value.clone(), str::to_owned);
            Some(FormChoice { value, title })
        };
        return values.iter().enumerate().map(choice).collect();
    }
    let options = property.get("oneOf").or_else(|| property.get("anyOf")).and_then(Value::as_array)?;
    let choice = |option: &Value| {
        let value = option.get("const")?.as_str()?.to_owned();
        let title = option.get("title").and_then(Value::as_str).map_or_else(|| value.clone(), str::to_owned);
        Some(FormChoice { value, title })
    };
    options.iter().map(choice).collect()
}

/// The chosen values in the input of a [`FieldType::Many`] field.
pub fn chosen(typed: &str) -> Vec<String> {
    strings(typed)
}

/// The value to send; none if the field is left out of the answer. The error says what to change.
pub fn value(field: &Field, typed: &str) -> Result<Option<Value>, Phrase> {
    let empty = match field.field_type {
        FieldType::Text { format: None, .. } => typed.is_empty(),
        FieldType::Many { .. } => chosen(typed).is_empty(),
        _ => typed.trim().is_empty(),
    };
    match (&field.field_type, empty) {
        (FieldType::Flag, _) => Ok(Some(Value::Bool(typed == "true"))),
        (FieldType::Many { min: Some(0), .. }, true) if field.required => Ok(Some(Value::Array(Vec::new()))),
        (FieldType::Many { .. }, true) if field.required => invalid(requests::CHOOSE_SOME),
        (FieldType::One(_), true) if field.required => invalid(requests::CHOOSE_ONE),
        (_, true) if field.required => invalid(requests::FILL_IN),
        (_, true) => Ok(None),
        (FieldType::Text { format, min, max }, false) => text(typed, format.as_deref(), *min, *max).map(Some),
        (FieldType::Number { whole, min, max }, false) => number(typed.trim(), *whole, *min, *max).map(Some),
        (FieldType::One(choices), false) => {
            let known = choices.iter().any(|choice| choice.value == typed);
            if known { Ok(Some(typed.into())) } else { invalid(requests::CHOOSE_KNOWN) }
        }
        (FieldType::Many { choices, min, max }, false) => many(chosen(typed), choices, *min, *max).map(Some),
        (FieldType::Json, false) => {
            serde_json::from_str(typed).map(Some).or_else(|_| invalid(requests::NO_JSON))
        }
    }
}

fn text(typed: &str, format: Option<&str>, min: Option<u64>, max: Option<u64>) -> Result<Value, Phrase> {
    let length = typed.chars().count() as u64;
    if let Some(min) = min.filter(|min| length < *min) {
        return Err(requests::TOO_SHORT.phrase(vec![("n", min.into())]));
    }
    if let Some(max) = max.filter(|max| length > *max) {
        return Err(requests::TOO_LONG.phrase(vec![("n", max.into()), ("more", (length - max).into())]));
    }
    let (fits, example) = match format {
        Some("email") => (is_email(typed), requests::NEED_EMAIL),
        Some("uri" | "url") => (is_uri(typed), requests::NEED_ADDRESS),
        Some("date") => (is_date(typed), requests::NEED_DATE),
        Some("date-time") => (is_date_time(typed), requests::NEED_TIME),
        _ => return Ok(typed.into()),
    };
    if fits { Ok(typed.into()) } else { invalid(example) }
}

/// RFC 5321 without quoted names and numeric hosts, which no validator takes.
fn is_email(typed: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+/=?^_`{|}~-".contains(c);
    let is_label = |label: &str| {
        !label.is_empty()
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
    };
    typed.split_once('@').is_some_and(|(name, host)| {
        name.split('.').all(|part| !part.is_empty() && part.chars().all(is_letter))
            && host.split('.').all(is_label)
    })
}

/// RFC 3986: a scheme, and then only ASCII, with everything else in percent-encoding.
fn is_uri(typed: &str) -> bool {
    let Some((scheme, rest)) = typed.split_once(':') else { return false };
    let mut parts = rest.split('#');
    let (before, fragment) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
        && !rest.is_empty()
        && parts.next().is_none()
        && [&without_ip_literal(before), fragment].into_iter().all(is_encoded)
}

/// The part of an address behind its scheme, without an IPv6 address in brackets: only there brackets are allowed.
fn without_ip_literal(rest: &str) -> String {
    let host = rest.strip_prefix("//").and_then(|rest| rest.split(['/', '?']).next()?.rsplit('@').next());
    let literal = host.and_then(|host| host.strip_prefix('[')?.split_once(']')).map(|(literal, _)| literal);
    match literal {
        Some(literal) if literal.chars().all(|c| c.is_ascii_hexdigit() || matches!(c, ':' | '.')) => {
            rest.replacen(&format!("[{literal}]"), "", 1)
        }
        _ => rest.to_owned(),
    }
}

fn is_encoded(part: &str) -> bool {
    let is_hex = |code: &str| code.bytes().all(|byte| byte.is_ascii_hexdigit());
    part.chars().all(|c| c.is_ascii_graphic() && !"\"<>[\\]^`{|}".contains(c))
        && part.split('%').skip(1).all(|after| after.get(..2).is_some_and(is_hex))
}

/// A number of so many digits.
fn digits(text: &str, length: usize) -> Option<u32> {
    let all = text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit());
    if all { text.parse().ok() } else { None }
}

fn is_date(typed: &str) -> bool {
    let mut parts = typed.split('-');
    let mut part = |length| parts.next().and_then(|part| digits(part, length));
    let (Some(year), Some(month), Some(day)) = (part(4), part(2), part(2)) else { return false };
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 => 28 + u32::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    (1..=days).contains(&day) && parts.next().is_none()
}

/// RFC 3339, with its time zone.
fn is_date_time(typed: &str) -> bool {
    let Some((date, time)) = typed.split_once(['T', 't', ' ']) else { return false };
    let up_to = |text: &str, most: u32| digits(text, 2).is_some_and(|number| number <= most);
    let (clock, is_zone) = if let Some(clock) = time.strip_suffix(['Z', 'z']) {
        (clock, true)
    } else {
        let Some((clock, zone)) = time.rsplit_once(['+', '-']) else { return false };
        let (hours, minutes) = zone.split_once(':').or_else(|| zone.split_at_checked(2)).unwrap_or_default();
        (clock, up_to(hours, 23) && up_to(minutes, 59))
    };
    let (whole, fraction) = clock.split_once('.').unwrap_or((clock, "0"));
    let is_fraction = !fraction.is_empty() && fraction.bytes().all(|byte| byte.is_ascii_digit());
    let parts: Vec<Option<u32>> = whole.split(':').map(|part| digits(part, 2)).collect();
    // The last minute of a day may have a leap second.
    let is_clock = matches!(
        parts.as_slice(),
        [Some(0..=23), Some(0..=59), Some(0..=59)] | [Some(23), Some(59), Some(60)]
    );
    is_date(date) && is_zone && is_clock && is_fraction
}

fn number(typed: &str, whole: bool, min: Option<f64>, max: Option<f64>) -> Result<Value, Phrase> {
    let Some(parsed) = read_number(typed) else {
        return invalid(if whole { requests::NEED_WHOLE } else { requests::NEED_NUMBER });
    };
    if whole && parsed.fract() != 0.0 {
        return invalid(requests::NEED_WHOLE);
    }
    match (min, max) {
        (Some(min), Some(max)) if parsed < min || parsed > max => {
            Err(between(requests::NUMBER_BETWEEN, min, max))
        }
        (Some(min), _) if parsed < min => Err(at_least(min)),
        (_, Some(max)) if parsed > max => Err(at_most(max)),
        _ => {
            let exact = typed.parse::<i64>().ok().map(Number::from);
            let number = match exact {
                Some(number) => Some(number),
                None if whole && parsed.abs() < 9e15 => Some(Number::from(parsed as i64)),
                None => Number::from_f64(parsed),
            };
            Ok(number.map_or(Value::Null, Value::Number))
        }
    }
}

/// Parses a number as a person types it. It uses the JSON parser, which is needed anyway: the standard
/// library's float parser would add tables as large as the code of all cards.
pub fn read_number(typed: &str) -> Option<f64> {
    let (sign, digits) = match typed.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", typed.strip_prefix('+').filter(|rest| !rest.starts_with('-')).unwrap_or(typed)),
    };
    // JSON requires a digit before the point, and no leading zeros.
    let whole = digits.trim_start_matches('0');
    let short = digits.starts_with(['0', '.']) && !whole.starts_with(|c: char| c.is_ascii_digit());
    let zero = if short { "0" } else { "" };
    let number: Number = format!("{sign}{zero}{whole}").parse().ok()?;
    number.as_f64().filter(|number| number.is_finite())
}

/// A number as text, without a decimal point if it is whole. It uses JSON, like [`read_number`].
pub fn in_digits(number: f64) -> String {
    if number.fract() == 0.0 && number.abs() < 1e15 {
        (number as i64).to_string()
    } else {
        Number::from_f64(number).map_or_else(String::new, |number| number.to_string())
    }
}

fn many(
    chosen: Vec<String>,
    choices: &[FormChoice],
    min: Option<u64>,
    max: Option<u64>,
) -> Result<Value, Phrase> {
    let known = |value: &String| choices.iter().any(|choice| choice.value == *value);
    if !chosen.iter().all(known) {
        return invalid(requests::CHOOSE_KNOWN);
    }
    let count = chosen.len() as u64;
    if let Some(min) = min.filter(|min| count < *min) {
        return Err(requests::CHOOSE_MORE.phrase(vec![("n", min.into())]));
    }
    if let Some(max) = max.filter(|max| count > *max) {
        return Err(requests::CHOOSE_FEWER.phrase(vec![("n", max.into())]));
    }
    Ok(chosen.into())
}

fn invalid<T>(why: Word) -> Result<T, Phrase> {
    Err(why.into())
}

fn between(word: Word, min: f64, max: f64) -> Phrase {
    word.phrase(vec![("min", in_digits(min).into()), ("max", in_digits(max).into())])
}

fn at_least(min: f64) -> Phrase {
    requests::NUMBER_LEAST.phrase(vec![("min", in_digits(min).into())])
}

fn at_most(max: f64) -> Phrase {
    requests::NUMBER_MOST.phrase(vec![("max", in_digits(max).into())])
}

/// The description of a field's limits, if it has any.
pub fn limits(field: &Field) -> Option<Phrase> {
    match &field.field_type {
        FieldType::Number { min: Some(min), max: Some(max), .. } => {
            Some(between(requests::NUMBER_RANGE, *min, *max))
        }
        FieldType::Number { min: Some(min), .. } => Some(at_least(*min)),
        FieldType::Number { max: Some(max), .. } => Some(at_most(*max)),
        FieldType::Text { min: Some(min), max: Some(max), .. } => {
            Some(requests::LENGTH_RANGE.phrase(vec![("min", (*min).into()), ("max", (*max).into())]))
        }
        FieldType::Text { max: Some(max), .. } => {
            Some(requests::LENGTH_MOST.phrase(vec![("max", (*max).into())]))
        }
        FieldType::Text { min: Some(min), .. } if *min > 1 => {
            Some(requests::LENGTH_LEAST.phrase(vec![("min", (*min).into())]))
        }
        FieldType::Many { min: Some(min), max: Some(max), .. } => {
            Some(requests::CHOICES_RANGE.phrase(vec![("min", (*min).into()), ("max", (*max).into())]))
        }
        FieldType::Json => Some(requests::AS_JSON.into()),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
