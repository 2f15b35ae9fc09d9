//! Forms against ajv, the JSON Schema validator that servers of MCP check answers with. What our form sends is
//! valid, and what it refuses would not be. The verdicts are made by `tests/e2e/live/form-verdicts.test.mjs`.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use pilothouse::core::protocol::form::{fields, value};
use serde_json::{Value, json};

/// Where ours differs on purpose, and why.
fn is_meant(is_refused: bool, required: bool, property: &Value, typed: &str) -> bool {
    // What must be filled in or chosen has something in it. A list says that it may be empty with `minItems`.
    let is_blank = is_refused && required && matches!(typed, "" | "[]");
    // The standard allows such a host, and a server without ajv may want it.
    let is_host = !is_refused && property["format"] == "email" && typed == "root@localhost";
    // Number fields of browsers never give this.
    let is_point =
        is_refused && matches!(property["type"].as_str(), Some("number" | "integer")) && typed == "5.";
    is_blank || is_host || is_point
}

#[test]
fn what_forms_send_is_what_a_validator_accepts() {
    let all: Vec<Value> = serde_json::from_str(include_str!("support/form-verdicts.json")).unwrap();
    let (mut differences, mut meant) = (Vec::new(), 0);
    for row in &all {
        let (property, required) = (&row["property"], row["required"] == true);
        let names = if required { json!(["field"]) } else { json!([]) };
        let form = fields(&json!({ "properties": { "field": property }, "required": names }));
        for typed in row["typed"].as_array().unwrap() {
            let (text, is_valid, sent) = (typed[0].as_str().unwrap(), typed[1] == true, typed.get(2));
            let ours = value(&form[0], text);
            let agrees = match &ours {
                Err(_) => !is_valid,
                Ok(None) => is_valid && sent.is_none(),
                Ok(Some(value)) if value.is_number() => {
                    is_valid && value.as_f64() == sent.and_then(Value::as_f64)
                }
                Ok(value) => is_valid && value.as_ref() == sent,
            };
            if !agrees && is_meant(ours.is_err(), required, property, text) {
                meant += 1;
            } else if !agrees {
                differences.push(format!("{property} {text:?}: ajv {is_valid} {sent:?}, ours {ours:?}"));
            }
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    assert_eq!(meant, 11, "as many as docs/reliability.md says");
}
