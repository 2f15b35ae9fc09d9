//! Tests that every language has every message of English, and every plural form of its own.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    missing_docs,
    reason = "a test may fail loudly"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use fluent_syntax::ast::{Entry, Expression, InlineExpression, Pattern, PatternElement, VariantKey};
use fluent_syntax::parser;
use pilothouse::core::text::hidden::has_hidden;

/// Every plural category that there is.
const CATEGORIES: [&str; 6] = ["zero", "one", "two", "few", "many", "other"];

/// The cardinal plural categories that CLDR 46 has for whole numbers in a language.
const PLURALS: [(&str, &[&str]); 4] =
    [("ar", &CATEGORIES), ("de", &["one", "other"]), ("en", &["one", "other"]), ("ja", &["other"])];

#[derive(Default)]
struct Message {
    values: BTreeSet<String>,
    /// The keys of each choice.
    choices: Vec<(String, BTreeSet<String>)>,
}

fn read(language: &str) -> BTreeMap<String, Message> {
    let mut messages = BTreeMap::new();
    for item in fs::read_dir(Path::new("www/locales").join(language)).unwrap() {
        let path = item.unwrap().path();
        let source = fs::read_to_string(&path).unwrap();
        for entry in parser::parse(source.as_str()).expect("it was built").body {
            if let Entry::Message(message) = entry {
                let name = format!("{}: {}", path.file_name().unwrap().to_str().unwrap(), message.id.name);
                let mut made = Message::default();
                look(&message.value.unwrap(), &mut made);
                messages.insert(name, made);
            }
        }
    }
    messages
}

fn look(pattern: &Pattern<&str>, out: &mut Message) {
    for element in &pattern.elements {
        match element {
            PatternElement::Placeable {
                expression: Expression::Inline(InlineExpression::VariableReference { id }),
            } => _ = out.values.insert(id.name.to_owned()),
            PatternElement::Placeable {
                expression:
                    Expression::Select { selector: InlineExpression::VariableReference { id }, variants },
            } => {
                out.values.insert(id.name.to_owned());
                let mut keys = BTreeSet::new();
                for variant in variants {
                    let (VariantKey::Identifier { name } | VariantKey::NumberLiteral { value: name }) =
                        &variant.key;
                    keys.insert((*name).to_owned());
                    look(&variant.value, out);
                }
                out.choices.push((id.name.to_owned(), keys));
            }
            _ => {}
        }
    }
}

#[test]
fn every_language_says_everything() {
    let english = read("en");
    assert!(english.len() > 10, "the words are where they are looked for");
    let mut missing = Vec::new();
    for (language, _) in PLURALS {
        let theirs = read(language);
        missing.extend(
            english
                .keys()
                .filter(|name| !theirs.contains_key(*name))
                .map(|name| format!("{language}/{name}")),
        );
    }
    assert!(missing.is_empty(), "not said: {missing:#?}");
}

#[test]
fn every_language_of_the_page_is_tested() {
    let folders = fs::read_dir("www/locales").unwrap();
    let folders: BTreeSet<_> =
        folders.map(|folder| folder.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(folders, PLURALS.map(|(language, _)| language.to_owned()).into());
}

#[test]
fn a_choice_by_number_has_every_plural_form_of_its_language() {
    let mut wrong = Vec::new();
    for (language, plurals) in PLURALS {
        for (name, message) in read(language) {
            for (value, keys) in message.choices {
                let numeric =
                    keys.iter().all(|key| key.parse::<i64>().is_ok() || CATEGORIES.contains(&key.as_str()));
                let lacks: Vec<_> = plurals.iter().filter(|plural| !keys.contains(**plural)).collect();
                let strange: Vec<_> = keys
                    .iter()
                    .filter(|key| key.parse::<i64>().is_err() && !plurals.contains(&key.as_str()))
                    .collect();
                if numeric && !(lacks.is_empty() && strange.is_empty()) {
                    wrong.push(format!("{language}/{name} ${value}: lacks {lacks:?}, has {strange:?}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn what_is_said_about_a_request_has_no_character_that_can_t_be_seen() {
    let mut found = Vec::new();
    for (language, _) in PLURALS {
        for file in ["requests.ftl", "danger.ftl"] {
            let path = Path::new("www/locales").join(language).join(file);
            for (line, text) in (1..).zip(fs::read_to_string(&path).unwrap().lines()) {
                if has_hidden(text) {
                    found.push(format!("{language}/{file}:{line}: {}", text.escape_debug()));
                }
            }
        }
    }
    assert!(found.is_empty(), "marked as hidden where a request is reviewed: {found:#?}");
}
