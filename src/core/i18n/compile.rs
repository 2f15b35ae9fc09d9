//! Compiles messages: from Fluent (<https://projectfluent.org>) to the form that [`super::Word`] reads.
//!
//! Supported are text, `{ $name }`, `{ "…" }` and one level of selection. The build script compiles our messages with it,
//! the page those of its host.

use std::collections::{BTreeMap, BTreeSet};

use fluent_syntax::ast::{
    self, Entry, Expression, InlineExpression, Pattern, PatternElement, Variant, VariantKey,
};
use fluent_syntax::parser;

use super::placeholders::{CASE, CHOICE, END, END_IN_CASE, LINE, MEANS, VALUE};

/// A compiled message, and the names of its values.
#[derive(Default)]
pub struct Message {
    /// What [`super::Word`] reads.
    pub text: String,
    /// The names of its values.
    pub values: BTreeSet<String>,
}

/// The messages of a file by their ids, and what is wrong with the others, in the order of the file.
pub fn messages(source: &str) -> (BTreeMap<String, Message>, Vec<String>) {
    let mut errors = Vec::new();
    let resource = parser::parse(source).unwrap_or_else(|(rest, wrong)| {
        errors.extend(wrong.iter().map(|error| {
            let line = source.get(..error.pos.start).unwrap_or_default().matches('\n').count() + 1;
            format!("line {line}: {error}")
        }));
        rest
    });
    let mut messages = BTreeMap::new();
    for entry in &resource.body {
        match entry {
            Entry::Message(message) => {
                let id = message.id.name;
                match compiled(message) {
                    Ok(_) if messages.contains_key(id) => errors.push(format!("{id} is there twice")),
                    Ok(made) => _ = messages.insert(id.to_owned(), made),
                    Err(why) => errors.push(format!("{id}: {why}")),
                }
            }
            Entry::Term(term) => errors.push(format!("-{} is a term, which is not supported", term.id.name)),
            _ => {}
        }
    }
    (messages, errors)
}

fn compiled(message: &ast::Message<&str>) -> Result<Message, String> {
    if !message.attributes.is_empty() {
        return Err("attributes are not supported".to_owned());
    }
    let pattern = message.value.as_ref().ok_or("it has no text")?;
    let mut made = Message::default();
    compile_pattern(pattern, &mut made, true)?;
    Ok(made)
}

fn compile_pattern(pattern: &Pattern<&str>, out: &mut Message, may_choose: bool) -> Result<(), String> {
    for element in &pattern.elements {
        match element {
            PatternElement::TextElement { value } => {
                out.text.extend(value.chars().map(|letter| if letter == '\n' { LINE } else { letter }));
            }
            PatternElement::Placeable { expression: Expression::Inline(inline) } => match inline {
                InlineExpression::VariableReference { id } => {
                    out.values.insert(id.name.to_owned());
                    out.text.push(VALUE);
                    out.text.push_str(id.name);
                    out.text.push(END);
                }
                InlineExpression::StringLiteral { value } | InlineExpression::NumberLiteral { value } => {
                    out.text.push_str(value);
                }
                _ => return Err("only { $name } and { \"text\" } are supported in braces".to_owned()),
            },
            PatternElement::Placeable { expression: Expression::Select { selector, variants } } => {
                let InlineExpression::VariableReference { id } = selector else {
                    return Err("a selection needs a { $name }".to_owned());
                };
                if !may_choose {
                    return Err("a selection within a selection is not supported".to_owned());
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
    let mut inner = Message::default();
    compile_pattern(&variant.value, &mut inner, false)?;
    out.text.push_str(&inner.text.replace(END, &END_IN_CASE.to_string()));
    out.values.append(&mut inner.values);
    Ok(())
}
