//! Forms: any schema gives fields, whatever is typed is refused or gives a value of the field's type.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pilothouse::core::protocol::form::{
    Field, FieldType, chosen, fields, in_digits, limits, read_number, value,
};
use serde_json::Value;

fn check(field: &Field, typed: &str) {
    let Ok(Some(value)) = value(field, typed) else { return };
    let fits = match &field.field_type {
        FieldType::Text { min, max, .. } => value.as_str().is_some_and(|text| {
            let length = text.chars().count() as u64;
            text == typed && min.is_none_or(|min| length >= min) && max.is_none_or(|max| length <= max)
        }),
        FieldType::Number { whole, min, max } => value.as_f64().is_some_and(|number| {
            (!whole || number.fract() == 0.0)
                && min.is_none_or(|min| number >= min)
                && max.is_none_or(|max| number <= max)
        }),
        FieldType::Flag => value.is_boolean(),
        FieldType::One(choices) => choices.iter().any(|choice| value == choice.value.as_str()),
        FieldType::Many { choices, min, max } => value.as_array().is_some_and(|all| {
            let count = all.len() as u64;
            let offered = |one: &Value| choices.iter().any(|choice| one == choice.value.as_str());
            all.iter().all(offered)
                && min.is_none_or(|min| count >= min)
                && max.is_none_or(|max| count <= max)
        }),
        FieldType::Json => true,
    };
    assert!(fits, "{typed:?} gave {value} for {field:?}");
}

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    // What is typed stands in the lines after the schema.
    let (schema, typed) = text.split_once('\n').unwrap_or((&text, ""));
    if let Ok(schema) = serde_json::from_str::<Value>(schema) {
        for field in fields(&schema) {
            limits(&field);
            check(&field, &field.start);
            if let FieldType::Many { choices, .. } = &field.field_type {
                let known = |value: &String| choices.iter().any(|choice| choice.value == *value);
                assert!(
                    chosen(&field.start).iter().all(known),
                    "what is chosen at first can be seen: {field:?}"
                );
            }
            for typed in typed.lines().take(8) {
                check(&field, typed);
            }
            check(&field, typed);
        }
    }
    for line in text.lines().take(8) {
        chosen(line);
        if let Some(number) = read_number(line) {
            assert!(number.is_finite());
            // The JSON parser may be wrong in the last bit of a number with many digits.
            let about = |other: f64| (other - number).abs() <= number.abs() * 1e-15;
            assert!(line.parse::<f64>().is_ok_and(about), "{line:?} is read as {number}");
            assert!(read_number(&in_digits(number)).is_some_and(about), "{line:?} is read as {number}");
        }
    }
});
