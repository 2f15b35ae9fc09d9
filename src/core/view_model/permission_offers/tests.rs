//! Tests that a card offers exactly what the agent does, by its own names; the lists are those of the recorded agents.

use serde_json::{Value, json};

use super::*;
use crate::model::answer::{Answer, Prepared, prepare};
use crate::model::request::{Request, RequestKind};
use crate::view_model::approval::subject;
use crate::view_model::entry_words::request_outcome;
use crate::view_model::permission_card::single_line;

type Options = [(&'static str, &'static str, &'static str)];

const OPENCODE: &Options = &[
    ("once", "Allow once", "allow_once"),
    ("always", "Always allow", "allow_always"),
    ("reject", "Reject", "reject_once"),
];
const COPILOT: &Options = &[
    ("allow_once", "Allow once", "allow_once"),
    ("allow_always", "Always allow", "allow_always"),
    ("reject_once", "Deny", "reject_once"),
];
const CODEX: &Options = &[
    ("allow_once", "Yes, proceed", "allow_once"),
    (
        "accept_execpolicy_amendment",
        "Yes, and don't ask again for commands that start with `touch`",
        "allow_always",
    ),
    ("cancel", "No, and tell Codex what to do differently", "reject_once"),
];
const CODEX_MCP: &Options = &[
    ("allow_once", "Allow", "allow_once"),
    ("allow_session", "Allow for this session", "allow_always"),
    ("allow_always", "Always allow", "allow_always"),
    ("cancel", "Cancel", "reject_once"),
];
const GEMINI: &Options = &[
    ("proceed_always", "Allow for this session", "allow_always"),
    ("proceed_once", "Allow", "allow_once"),
    ("cancel", "Reject", "reject_once"),
];
const GEMINI_MCP: &Options = &[
    ("proceed_always_server", "Allow all server tools for this session", "allow_always"),
    ("proceed_always_tool", "Allow tool for this session", "allow_always"),
    ("proceed_once", "Allow", "allow_once"),
    ("cancel", "Reject", "reject_once"),
];

fn details(options: &Options) -> Value {
    let list: Vec<Value> = options
        .iter()
        .map(|(id, name, kind)| json!({ "optionId": id, "name": name, "kind": kind }))
        .collect();
    let permission = json!({ "kind": "shell", "fullCommandText": "touch a", "canOfferSessionApproval": true,
        "commands": [{ "identifier": "touch" }] });
    json!({ "requestId": "r", "permissionRequest": permission, "agentOptions": list })
}

fn asked(details: Value) -> Request {
    Request::waiting(RequestKind::Permission, details)
}

fn offers(options: &Options) -> Offers {
    Offers::of(&details(options)).unwrap()
}

fn names(options: &Options) -> Vec<String> {
    offers(options).all.into_iter().map(|offer| offer.name).collect()
}

fn answered(options: &Options, answer: &Answer) -> Prepared {
    prepare(&asked(details(options)), answer)
}

fn chosen(id: &str, feedback: Option<&str>) -> Answer {
    Answer::AgentOption { id: id.to_owned(), feedback: feedback.map(str::to_owned) }
}

#[test]
fn each_option_is_offered_by_its_own_name_what_allows_first_and_what_lasts_last() {
    for (options, order, stacked) in [
        (OPENCODE, vec![0, 1, 2], false),
        (COPILOT, vec![0, 1, 2], false),
        (CODEX, vec![0, 1, 2], true),
        (CODEX_MCP, vec![0, 1, 2, 3], true),
        (GEMINI, vec![1, 0, 2], false),
        (GEMINI_MCP, vec![2, 0, 1, 3], true),
    ] {
        let offers = offers(options);
        let expected: Vec<&str> = order.iter().map(|place: &usize| options[*place].1).collect();
        assert_eq!(names(options), expected);
        assert_eq!(offers.stacked, stacked, "{expected:?}");
        let main: Vec<&Offer> = offers.all.iter().filter(|offer| offer.is_main).collect();
        assert_eq!(main.len(), 1, "{expected:?}");
        assert_eq!(main[0].kind, OptionKind::AllowOnce);
        let lasting = offers.all.iter().filter(|offer| offer.lasts());
        assert!(lasting.clone().all(|offer| offer.hook() == "approve-for-session" && !offer.is_main));
        assert_eq!(lasting.count(), options.iter().filter(|(.., kind)| *kind == "allow_always").count());
        assert!(can_be_allowed_once(&details(options)));
    }
}

#[test]
fn an_answer_names_the_option_and_its_end_says_it_by_its_name() {
    for (answer, result, outcome) in [
        (
            chosen("allow_always", None),
            json!({ "kind": "approve-for-session", "optionId": "allow_always" }),
            "Allowed: “Always allow”",
        ),
        (
            chosen("allow_once", Some("unsent")),
            json!({ "kind": "approve-once", "optionId": "allow_once" }),
            "Allowed",
        ),
        (
            chosen("cancel", Some("Use printf")),
            json!({ "kind": "reject", "optionId": "cancel", "feedback": "Use printf" }),
            "Rejected: “Cancel” · Use printf",
        ),
        // Those for several requests, and of programs that know nothing of options.
        (Answer::ApproveOnce, json!({ "kind": "approve-once", "optionId": "allow_once" }), "Allowed"),
        (
            Answer::Reject { feedback: None },
            json!({ "kind": "reject", "optionId": "cancel" }),
            "Rejected: “Cancel”",
        ),
    ] {
        let prepared = answered(CODEX_MCP, &answer);
        assert_eq!(prepared.params.get("result"), Some(&result), "{answer:?}");
        assert_eq!(request_outcome(&prepared.ending), outcome);
    }
}

#[test]
fn two_options_of_one_kind_are_two_answers() {
    let ending = |id: &str| answered(CODEX_MCP, &chosen(id, None)).ending;
    assert_eq!(ending("allow_session").word, ending("allow_always").word);
    assert!(
        !ending("allow_session").is_consistent_with(&ending("allow_always")),
        "somebody else chose otherwise"
    );
    assert!(ending("allow_session").is_consistent_with(&ending("allow_session")));
}

#[test]
fn none_of_several_that_allow_once_is_the_main_one_nor_chosen_unseen() {
    let question: &Options = &[
        ("a", "Option Alpha", "allow_once"),
        ("b", "Option Bravo", "allow_once"),
        ("c", "Option Charlie", "allow_once"),
    ];
    let offers = offers(question);
    assert_eq!(names(question), ["Option Alpha", "Option Bravo", "Option Charlie", "Reject"]);
    assert!(offers.stacked && offers.all.iter().all(|offer| !offer.is_main));
    assert!(!can_be_allowed_once(&details(question)));
    let unnamed = answered(question, &Answer::ApproveOnce);
    assert_eq!(
        unnamed.params.get("result"),
        Some(&json!({ "kind": "approve-once" })),
        "which the gateway refuses"
    );
}

#[test]
fn whoever_offers_no_refusal_or_a_lasting_one_can_be_refused_once_all_the_same() {
    let never: &Options = &[("y", "Yes", "allow_once"), ("n", "Never", "reject_always")];
    for (options, all) in [
        (&[("y", "Yes", "allow_once")] as &Options, vec!["Yes", "Reject"]),
        (never, vec!["Yes", "Reject", "Never"]),
        (&[], vec!["Reject"]),
    ] {
        assert_eq!(names(options), all);
        let own = offers(options).all.into_iter().find(|offer| offer.id.is_none()).unwrap();
        assert_eq!((own.hook(), own.lasts()), ("reject", false));
        let refused = answered(options, &Answer::Reject { feedback: None });
        assert_eq!(refused.params.get("result"), Some(&json!({ "kind": "reject" })));
        assert_eq!(request_outcome(&refused.ending), "Rejected");
    }
    let last = offers(never).all.pop().unwrap();
    assert!(
        last.lasts() && last.hook() == "reject" && offers(never).stacked,
        "it stands apart, and is asked again"
    );
}

#[test]
fn an_unknown_kind_is_offered_by_name_and_never_as_the_main_one() {
    let odd: &Options =
        &[("s", "Ask my supervisor", "_escalate"), ("y", "Yes", "allow_once"), ("n", "No", "reject_once")];
    assert_eq!(names(odd), ["Yes", "Ask my supervisor", "No"]);
    let unknown = offers(odd).all.remove(1);
    assert!(!unknown.is_main && unknown.lasts() && unknown.hook() == "option");
    let prepared = answered(odd, &chosen("s", Some("words for a refusal")));
    assert_eq!(prepared.params.get("result"), Some(&json!({ "optionId": "s" })));
    assert_eq!(request_outcome(&prepared.ending), "Decided: “Ask my supervisor”");
    let alone: &Options = &[("s", "Whatever", "moonrise")];
    assert!(offers(alone).all.iter().all(|offer| !offer.is_main) && !can_be_allowed_once(&details(alone)));
}

#[test]
fn what_cannot_be_chosen_is_not_offered() {
    let listed = json!({ "agentOptions": [{ "name": "No id", "kind": "allow_once" }, 7, { "optionId": "a" },
        { "optionId": "a", "name": "The same id", "kind": "allow_once" }] });
    let offers = Offers::of(&listed).unwrap();
    let all: Vec<(&str, OptionKind)> =
        offers.all.iter().map(|offer| (offer.name.as_str(), offer.kind)).collect();
    assert_eq!(all, [("a", OptionKind::Unknown), ("Reject", OptionKind::RejectOnce)]);
    for without in [json!({}), json!({ "agentOptions": "broken" })] {
        assert_eq!(Offers::of(&without), None, "then it is a request of the runtime's");
        assert!(can_be_allowed_once(&without) && !cannot_be_allowed(&without));
    }
}

#[test]
fn a_long_name_is_cut_and_there_in_full_before_it_lasts() {
    let long = "Always ".repeat(60);
    let listed = json!({ "agentOptions": [{ "optionId": "a", "name": long, "kind": "allow_always" },
        { "optionId": "b", "name": "x".repeat(160), "kind": "allow_once" }] });
    let offers = Offers::of(&listed).unwrap();
    let [once, always, ..] = offers.all.as_slice() else { panic!("{offers:?}") };
    assert_eq!((once.name.len(), &once.whole_name), (160, &None));
    assert!(always.name.ends_with("Always…") && always.name.chars().count() <= 161);
    assert_eq!(always.whole_name.as_deref(), Some(long.as_str()));
    let asked = always.in_full(Some("OpenCode"));
    assert!(asked.starts_with(&long) && asked.contains("OpenCode decides what this covers"), "{asked}");
    assert!(always.in_full(None).contains("The agent decides what this covers"));
}

#[test]
fn hidden_characters_in_a_name_are_warned_of() {
    let marked: &Options = &[("y", "Yes\u{202E}", "allow_once"), ("n", "No", "reject_once")];
    let warned = |options| subject(&asked(details(options)), None).may_harm();
    assert!(warned(marked) && !warned(OPENCODE));
}

#[test]
fn an_agent_that_says_nothing_is_named_as_such_once_in_our_words() {
    let mut details = details(GEMINI);
    details["agentSaysNothing"] = true.into();
    let subject = subject(&asked(details), None);
    let cautions: Vec<&str> = subject.cautions.iter().map(|caution| caution.words.as_str()).collect();
    assert_eq!(cautions, [requests::SAYS_NOTHING.text()]);
}

#[test]
fn where_nothing_allows_it_the_card_says_so() {
    let cautions = |options| subject(&asked(details(options)), None).cautions.len();
    assert_eq!(cautions(&[]), 1);
    assert_eq!(cautions(&[("n", "No", "reject_once")]), 1);
    assert_eq!(cautions(&[("s", "Whatever", "moonrise")]), 0, "it may");
}

#[test]
fn a_file_to_read_is_one_line_only_if_its_answers_have_room_in_it() {
    let is_line = |options: &Options| {
        let mut details = details(options);
        details["permissionRequest"] = json!({ "kind": "read", "path": "/project/a" });
        let request = asked(details);
        let subject = subject(&request, None);
        single_line(&request, &subject).is_some()
    };
    assert!(is_line(OPENCODE) && is_line(GEMINI) && !is_line(CODEX));
}
