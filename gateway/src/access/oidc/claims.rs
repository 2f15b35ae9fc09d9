//! Who somebody is, by the claims of an ID token that has been verified.

use serde_json::Value;

use crate::access::Role;
use crate::access::person::{Name, Person};

/// The claims of which the first that can be a name is one.
const NAMES: [&str; 4] = ["name", "preferred_username", "email", "sub"];

/// The claim of who may operate, and its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operators {
    claim: String,
    value: String,
}

impl Operators {
    /// Reads `CLAIM=VALUE`. The claim is a name, or where there is none of it a path with dots (`realm_access.roles`).
    pub fn new(text: &str) -> Result<Self, String> {
        match text.split_once('=') {
            Some((claim, value)) if !claim.trim().is_empty() && !value.trim().is_empty() => {
                Ok(Self { claim: claim.trim().to_owned(), value: value.trim().to_owned() })
            }
            _ => Err(format!("--operators takes CLAIM=VALUE, such as groups=agents, not \"{text}\"")),
        }
    }

    /// Whether these claims have the value, alone or in a list.
    fn has(&self, claims: &Value) -> bool {
        let by_path = || self.claim.split('.').try_fold(claims, |value, part| value.get(part));
        match claims.get(&self.claim).or_else(by_path) {
            Some(Value::String(text)) => *text == self.value,
            Some(Value::Array(all)) => all.iter().any(|one| one.as_str() == Some(&self.value)),
            Some(_) | None => false,
        }
    }
}

/// The person with these claims; none where none of them can be a name.
pub fn person(claims: &Value, operators: Option<&Operators>) -> Option<Person> {
    let text = |claim: &&str| {
        // An address that the provider has not verified may be somebody else's.
        let counts = *claim != "email" || claims["email_verified"] == true;
        claims[claim].as_str().filter(|_| counts)
    };
    let name = NAMES.iter().filter_map(text).find_map(|text| Name::new(text).ok())?;
    let is_operator = operators.is_some_and(|operators| operators.has(claims));
    let role = if is_operator { Role::Operator } else { Role::Viewer };
    Some(Person::new(role, Some(name)))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Operators, person};
    use crate::access::Role;

    fn name(claims: &Value) -> Option<String> {
        person(claims, None).map(|person| person.label().to_owned())
    }

    #[test]
    fn the_first_claim_that_can_be_a_name_is_one() {
        let all = json!({"name": "Ana María", "preferred_username": "ana", "email": "ana@x.example", "email_verified": true, "sub": "1"});
        assert_eq!(name(&all).as_deref(), Some("Ana María"));
        let mut less = all.clone();
        for (claim, next) in [("name", "ana"), ("preferred_username", "ana@x.example"), ("email", "1")] {
            less.as_object_mut().unwrap().remove(claim);
            assert_eq!(name(&less).as_deref(), Some(next));
        }
        for verified in [json!(false), json!("true"), json!(1), Value::Null] {
            let claims = json!({"email": "root@x.example", "email_verified": verified, "sub": "1"});
            assert_eq!(name(&claims).as_deref(), Some("1"), "{claims}");
        }
        for hidden in ["An\u{200b}a", "", " ", "a\nb", &"x".repeat(81)] {
            assert_eq!(name(&json!({"name": hidden, "sub": "1"})).as_deref(), Some("1"), "{hidden:?}");
        }
        assert_eq!(name(&json!({"name": 7, "sub": ""})), None);
    }

    #[test]
    fn only_the_exact_value_of_the_claim_may_operate() {
        let role = |operators: &str, claims: Value| {
            let mut claims = claims;
            claims["sub"] = "1".into();
            person(&claims, Some(&Operators::new(operators).unwrap())).unwrap().role
        };
        for (operators, claims) in [
            ("groups=dev", json!({"groups": ["ops", "dev"]})),
            ("groups=dev", json!({"groups": "dev"})),
            ("https://x.example/roles=dev", json!({"https://x.example/roles": ["dev"]})),
            ("realm_access.roles=dev", json!({"realm_access": {"roles": ["dev"]}})),
            ("sub=1", json!({})),
            ("groups=a=b", json!({"groups": ["a=b"]})),
        ] {
            assert_eq!(role(operators, claims.clone()), Role::Operator, "{operators} {claims}");
        }
        for claims in [
            json!({}),
            json!({"groups": []}),
            json!({"groups": ["Dev", "developers", "ops,dev", " dev", "de"]}),
            json!({"groups": "ops,dev"}),
            json!({"groups": "dev "}),
            json!({"groups": {"dev": true}}),
            json!({"groups": [["dev"]]}),
            json!({"groups": true}),
            json!({"roles": ["dev"]}),
        ] {
            assert_eq!(role("groups=dev", claims.clone()), Role::Viewer, "{claims}");
        }
        assert_eq!(person(&json!({"sub": "1", "groups": "dev"}), None).unwrap().role, Role::Viewer);
        for wrong in ["", "groups", "=dev", "groups=", "groups= "] {
            assert!(Operators::new(wrong).is_err(), "{wrong}");
        }
    }
}
