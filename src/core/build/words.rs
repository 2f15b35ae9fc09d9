//! Makes the program's words out of `www/locales/`: constants for the English ones, a table for each other
//! language.
//!
//! The files are Fluent (<https://projectfluent.org>). Supported are text, `{ $name }`, `{ "…" }` and one
//! level of selection. Everything else is an error here, with its place, so that the page needs no parser.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use fluent_syntax::ast::{Entry, Expression, InlineExpression, Pattern, PatternElement, Variant, VariantKey};
use fluent_syntax::parser;

use crate::placeholders::{CASE, CHOICE, END, END_IN_CASE, LINE, MEANS, VALUE};

/// The languages besides English, which is in the program.
const LANGUAGES: [&str; 3] = ["ar", "de", "ja"];

/// A message as the program has it, and the names of its values.
struct Message {
    text: String,
    values: BTreeSet<String>,
}

/// Messages by file name and message id.
type Messages = BTreeMap<(String, String), Message>;

/// Writes the words in `locales` into a folder. An error says what is wrong, and where.
pub fn make(locales: &Path, place: &Path) -> Result<(), String> {
    let save = |name: &str, text: &str| {
        fs::write(place.join(name), text).map_err(|why| format!("can't write {name}: {why}"))
    };
    let english = read(locales, "en")?;
    save("words.rs", &constants(&english))?;
    for language in LANGUAGES {
        let words = read(locales, language)?;
        for ((file, id), message) in &words {
            let name = format!("www/locales/{language}/{file}.ftl: {id}");
            let Some(meant) = english.get(&(file.clone(), id.clone())) else {
                return Err(format!("{name} is not in www/locales/en/{file}.ftl"));
            };
            if let Some(value) = message.values.difference(&meant.values).next() {
                return Err(format!("{name} names ${value}, which the English one does not have"));
            }
        }
        let mut table = "&[\n".to_owned();
        for key in english.keys() {
            let _ = writeln!(table, "    {:?},", words.get(key).map_or("", |message| &message.text));
        }
        save(&format!("{language}.rs"), &format!("{table}]"))?;
    }
    Ok(())
}

fn constants(english: &Messages) -> String {
    let mut out = String::new();
    let mut file = "";
    for (number, ((of, id), message)) in english.iter().enumerate() {
        if of != file {
            if !file.is_empty() {
                out.push_str("}\n");
            }
            file = of;
            let _ = writeln!(
                out,
                "/// `www/locales/en/{file}.ftl`.\npub mod {} {{\n    use super::Word;",
                file.replace('-', "_")
            );
        }
        let name = id.replace('-', "_").to_uppercase();
        let about = if message.values.is_empty() {
            "No values.".to_owned()
        } else {
            let values: Vec<_> = message.values.iter().map(|value| format!("`{value}`")).collect();
            format!("With {}.", values.join(", "))
        };
        let _ = writeln!(
            out,
            "    /// {about}\n    pub const {name}: Word = Word::new({number}, {:?});",
            message.text
        );
    }
    if !file.is_empty() {
        out.push_str("}\n");
    }
    out
}

fn read(locales: &Path, language: &str) -> Result<Messages, String> {
    let folder = locales.join(language);
    let mut messages = Messages::new();
    let list = fs::read_dir(&folder).map_err(|why| format!("can't read {}: {why}", folder.display()))?;
    for item in list {
        let path = item.map_err(|why| why.to_string())?.path();
        if path.extension().is_none_or(|extension| extension != "ftl") {
            continue;
        }
        let shown = path.display().to_string();
        let file = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default().to_owned();
        let source = fs::read_to_string(&path).map_err(|why| format!("can't read {shown}: {why}"))?;
        let resource = parser::parse(source.as_str()).map_err(|(_, errors)| {
            let at = errors.first().map_or(0, |error| error.pos.start);
            let line = source.get(..at).unwrap_or_default().lines().count().max(1);
            format!("{shown}:{line}: {}", errors.first().map(ToString::to_string).unwrap_or_default())
        })?;
        for entry in &resource.body {
            match entry {
                Entry::Message(message) => {
                    let id = message.id.name.to_owned();
                    let name = format!("{shown}: {id}");
                    if !message.attributes.is_empty() {
                        return Err(format!("{name} has attributes, which are not understood here"));
                    }
                    let pattern = message.value.as_ref().ok_or_else(|| format!("{name} says nothing"))?;
                    let mut made = Message { text: String::new(), values: BTreeSet::new() };
                    spell(pattern, &mut made, true).map_err(|why| format!("{name}: {why}"))?;
                    if messages.insert((file.clone(), id), made).is_some() {
                        return Err(format!("{name} is there twice"));
                    }
                }
                Entry::Term(term) => {
                    return Err(format!(
                        "{shown}: -{} is a term, which is not understood here",
                        term.id.name
                    ));
                }
                _ => {}
            }
        }
    }
    Ok(messages)
}

fn spell(pattern: &Pattern<&str>, out: &mut Message, may_choose: bool) -> Result<(), String> {
    for element in &pattern.elements {
        match element {
            PatternElement::TextElement { value } => {
                out.text.extend(value.chars().map(|letter| if letter == '\n' { LINE } else { letter }));
            }
            PatternElement::Placeable { expression: Expression::Inline(inline) } => match inline {
                InlineExpression::VariableReference { id } => {
                    out.values.insert(id.name.to_owned());
                    out.text.extend([VALUE]);
                    out.text.push_str(id.name);
                    out.text.push(END);
                }
                InlineExpression::StringLiteral { value } | InlineExpression::NumberLiteral { value } => {
                    out.text.push_str(value);
                }
                _ => return Err("only { $name } and { \"text\" } are understood in braces".to_owned()),
            },
            PatternElement::Placeable { expression: Expression::Select { selector, variants } } => {
                let InlineExpression::VariableReference { id } = selector else {
                    return Err("only a { $name } can be chosen by".to_owned());
                };
                if !may_choose {
                    return Err("a choice within a choice is not understood".to_owned());
                }
                out.values.insert(id.name.to_owned());
                out.text.push(CHOICE);
                out.text.push_str(id.name);
                // The default comes last: it is taken when nothing else fits.
                let ordered = variants.iter().filter(|variant| !variant.default);
                for variant in ordered.chain(variants.iter().filter(|variant| variant.default)) {
                    case(variant, out)?;
                }
                out.text.push(END);
            }
        }
    }
    Ok(())
}

fn case(variant: &Variant<&str>, out: &mut Message) -> Result<(), String> {
    let (VariantKey::Identifier { name } | VariantKey::NumberLiteral { value: name }) = &variant.key;
    out.text.push(CASE);
    out.text.push_str(name);
    out.text.push(MEANS);
    // Within a case a value has another end mark: cases are cut first, at the mark that ends the choice.
    let mut inner = Message { text: String::new(), values: BTreeSet::new() };
    spell(&variant.value, &mut inner, false)?;
    out.text.push_str(&inner.text.replace(END, &END_IN_CASE.to_string()));
    out.values.append(&mut inner.values);
    Ok(())
}
