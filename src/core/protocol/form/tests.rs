//! Tests with a form from a recorded session, and of its limits.

use serde_json::json;

use super::*;

fn form() -> Vec<Field> {
    fields(&json!({ "type": "object", "required": ["name", "email"], "properties": {
        "name": { "type": "string", "title": "Name", "description": "Your name", "minLength": 1, "maxLength": 20 },
        "email": { "type": "string", "format": "email" },
        "age": { "type": "integer", "minimum": 0, "maximum": 150, "default": 30 },
        "ratio": { "type": "number" },
        "ok": { "type": "boolean", "default": true },
        "color": { "type": "string", "enum": ["r", "g"], "enumNames": ["Red", "Green"] },
        "when": { "type": "string", "format": "date" },
        "tags": { "type": "array", "items": { "type": "string", "enum": ["x", "y", "z"] }, "minItems": 1, "maxItems": 2 },
        "one": { "type": "string", "oneOf": [{ "const": "a", "title": "Alpha" }, { "const": "b", "title": "Beta" }] },
        "deep": { "type": "object" }
    }}))
}

fn try_it(name: &str, typed: &str) -> Result<Option<Value>, Phrase> {
    let form = form();
    value(form.iter().find(|field| field.name == name).expect(name), typed)
}

#[test]
fn fields_are_read_with_their_names_and_defaults() {
    let form = form();
    let field = |name: &str| form.iter().find(|field| field.name == name).expect(name).clone();
    assert_eq!(form.len(), 10);
    assert_eq!((field("age").start.as_str(), field("ok").start.as_str()), ("30", "true"));
    assert!(field("name").required && !field("age").required);
    let FieldType::One(choices) = field("color").field_type else { panic!("a choice") };
    assert_eq!(choices.first().map(|choice| choice.title.as_str()), Some("Red"));
    let FieldType::One(choices) = field("one").field_type else { panic!("a choice") };
    assert_eq!(choices.last().map(|choice| choice.title.as_str()), Some("Beta"));
    assert_eq!(field("deep").field_type, FieldType::Json);
    assert_eq!(limits(&field("age")).map(|limits| limits.words().into_owned()).as_deref(), Some("0 to 150"));
}

#[test]
fn fields_for_secrets_are_known_by_format_or_name() {
    let is_secret = |name: &str, property: &serde_json::Value| {
        fields(&json!({ "properties": { name: property } })).first().map(|field| field.secret)
    };
    for (name, property) in [
        ("pin", json!({ "type": "string", "format": "password" })),
        ("pin", json!({ "type": "string", "writeOnly": true })),
        ("api_key", json!({ "type": "string" })),
        ("accessToken", json!({ "type": "string" })),
        ("key", json!({ "type": "string", "title": "Your pass phrase" })),
    ] {
        assert_eq!(is_secret(name, &property), Some(true), "{name}: {property}");
    }
    assert_eq!(is_secret("harbour", &json!({ "type": "string", "format": "email" })), Some(false));
}

#[test]
fn what_fits_is_sent_as_its_type() {
    assert_eq!(try_it("name", "Lena"), Ok(Some(json!("Lena"))));
    assert_eq!(try_it("age", "30"), Ok(Some(json!(30))));
    assert_eq!(try_it("age", "3e1"), Ok(Some(json!(30))));
    assert_eq!(try_it("ratio", "0.5"), Ok(Some(json!(0.5))));
    assert_eq!(try_it("ok", ""), Ok(Some(json!(false))));
    assert_eq!(try_it("color", "g"), Ok(Some(json!("g"))));
    assert_eq!(try_it("color", ""), Ok(None));
    assert_eq!(try_it("tags", "[\"x\",\"y\"]"), Ok(Some(json!(["x", "y"]))));
    assert_eq!(try_it("when", "2026-03-21"), Ok(Some(json!("2026-03-21"))));
    assert_eq!(try_it("deep", "{\"a\":1}"), Ok(Some(json!({ "a": 1 }))));
}

#[test]
fn options_that_a_default_has_beyond_the_list_are_not_sent() {
    let many = json!({ "type": "array", "items": { "enum": ["x", "y"] }, "default": ["gone", "y", 7] });
    let fields = fields(&json!({ "properties": { "many": many } }));
    assert_eq!(fields[0].start, "[\"y\"]");
}

#[test]
fn what_does_not_fit_is_said_in_words() {
    let wrong = |name, typed: &str| try_it(name, typed).expect_err(name).words().into_owned();
    assert_eq!(wrong("name", ""), "Fill this in");
    assert_eq!(wrong("name", &"é".repeat(21)), "At most 20 characters: 1 too many");
    assert!(wrong("email", "a b@c").starts_with("An e-mail"));
    assert_eq!(wrong("age", "151"), "From 0 to 150");
    assert_eq!(wrong("age", "1.5"), "A whole number, please");
    assert_eq!(wrong("ratio", "NaN"), "A number, please");
    assert_eq!(wrong("color", "blue"), "Choose one from the list");
    assert_eq!(wrong("tags", "[\"x\",\"y\",\"z\"]"), "Choose at most 2");
    assert!(wrong("when", "21 March").starts_with("A date"));
}

#[test]
fn numbers_are_read_as_people_type_them_and_shown_without_a_needless_point() {
    let good =
        [("0", 0.0), ("-7", -7.0), ("007", 7.0), (".5", 0.5), ("-0.25", -0.25), ("+3", 3.0), ("1e3", 1000.0)];
    for (typed, number) in good {
        assert_eq!(read_number(typed), Some(number), "{typed}");
    }
    for bad in ["", "-", "e5", "1,5", "NaN", "inf", "1e999", "0x1F", "+-5"] {
        assert_eq!(read_number(bad), None, "{bad}");
    }
    assert_eq!(in_digits(30.0), "30");
    assert_eq!(in_digits(-0.5), "-0.5");
}

#[test]
fn the_limits_of_a_field_are_told() {
    for (property, message) in [
        (json!({ "type": "integer", "minimum": 2, "maximum": 9 }), Some("2 to 9")),
        (json!({ "type": "number", "minimum": 2 }), Some("2 or more")),
        (json!({ "type": "number", "maximum": 9 }), Some("9 or less")),
        (json!({ "type": "number" }), None),
        (json!({ "type": "string", "minLength": 2, "maxLength": 9 }), Some("2 to 9 characters")),
        (json!({ "type": "string", "minLength": 2 }), Some("at least 2 characters")),
        (json!({ "type": "string", "maxLength": 9 }), Some("at most 9 characters")),
        (json!({ "type": "string", "minLength": 1 }), None),
        (
            json!({ "type": "array", "items": { "enum": ["a", "b", "c"] }, "minItems": 1, "maxItems": 2 }),
            Some("1 to 2 of them"),
        ),
        (json!({ "type": "object" }), Some("as JSON")),
    ] {
        let fields = fields(&json!({ "properties": { "it": property } }));
        let words = fields.first().and_then(limits).map(|limits| limits.words().into_owned());
        assert_eq!(words.as_deref(), message, "{property}");
    }
}

#[test]
fn what_is_not_required_and_left_empty_is_not_sent() {
    let list = json!({ "type": "array", "items": { "enum": ["a", "b"] }, "minItems": 0 });
    let asked = |required: bool| {
        let required = if required { json!(["it"]) } else { json!([]) };
        fields(&json!({ "required": required, "properties": { "it": list } }))
    };
    assert_eq!(asked(false).first().map(|field| value(field, "")), Some(Ok(None)));
    assert_eq!(asked(true).first().map(|field| value(field, "")), Some(Ok(Some(json!([])))));
}

#[test]
fn a_field_without_a_type_is_json_unless_it_has_options() {
    let takes = |property: Value| fields(&json!({ "properties": { "it": property } })).remove(0).field_type;
    assert_eq!(takes(json!({})), FieldType::Json);
    assert!(matches!(takes(json!({ "enum": ["a"] })), FieldType::One(_)));
    assert!(matches!(takes(json!({ "type": ["string", "null"] })), FieldType::Text { .. }));
    assert_eq!(takes(json!({ "type": "null" })), FieldType::Json);
}

#[test]
fn whole_numbers_beyond_the_exact_ones_stay_numbers() {
    let field = fields(&json!({ "properties": { "it": { "type": "integer" } } })).remove(0);
    assert_eq!(value(&field, "2e3"), Ok(Some(json!(2000))), "as people write it");
    assert_eq!(value(&field, "9e15"), Ok(Some(json!(9e15))));
    assert_eq!(value(&field, "9007199254740993"), Ok(Some(json!(9_007_199_254_740_993_i64))));
}

#[test]
fn what_is_required_is_asked_for_in_the_words_of_its_kind() {
    for (property, message) in [
        (json!({ "type": "array", "items": { "enum": ["a"] } }), "Choose at least one"),
        (json!({ "type": "string", "enum": ["a"] }), "Choose one"),
        (json!({ "type": "string" }), "Fill this in"),
        (json!({ "type": "number" }), "Fill this in"),
    ] {
        let fields = fields(&json!({ "required": ["it"], "properties": { "it": property } }));
        let refused =
            fields.first().and_then(|field| value(field, "").err()).map(|why| why.words().into_owned());
        assert_eq!(refused.as_deref(), Some(message), "{property}");
    }
}

#[test]
fn brackets_are_allowed_around_an_address_of_ip_only() {
    let field = fields(&json!({ "properties": { "it": { "type": "string", "format": "uri" } } })).remove(0);
    for (typed, fits) in
        [("http://[::1]/", true), ("http://[v1.a]/", false), ("http://[no]/", false), ("http://a/[b]", false)]
    {
        assert_eq!(value(&field, typed).is_ok(), fits, "{typed}");
    }
}
