//! Tests the first screen of every recorded session, at several moments, of boards of them, and of hostile texts: it has nothing
//! that acts, every open request is in it whole, and what it says is what the session says.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    missing_docs,
    reason = "a test may fail loudly"
)]

#[path = "support/golden.rs"]
mod golden;

use golden::logs;
use pilothouse::core::Session;
use pilothouse::core::client::board::session_of;
use pilothouse::core::i18n::{self, Language, translations};
use pilothouse::core::json_writer::one_line;
use pilothouse::core::markup::board::{BoardReader, MOST_TILES, board};
use pilothouse::core::markup::screen::{Reader, screen};
use pilothouse::core::model::board::{Board, Grouping, SessionFilter, groups};
use pilothouse::core::view_model::permission_offers::Offers;
use pilothouse::core::view_model::{board_summary, snapshot};
use serde_json::{Value, json};

const OPERATOR: Reader = Reader { readonly: false, takes_messages: true };
const VIEWER: Reader = Reader { readonly: true, takes_messages: true };

/// A tag with its attributes, or a text.
#[derive(Debug)]
enum Token {
    Open(String, Vec<(String, String)>),
    Close(String),
    Text(String),
}

fn unescaped(text: &str) -> String {
    let plain =
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&#13;", "\r"), ("&amp;", "&")];
    plain.iter().fold(text.to_owned(), |text, (coded, plain)| text.replace(coded, plain))
}

/// What a browser reads. Fails at anything that it would read in another way than it was written.
fn tokens(html: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        if at > 0 {
            tokens.push(Token::Text(unescaped(&rest[..at])));
        }
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix('/') {
            let (name, after) = after.split_once('>').unwrap();
            tokens.push(Token::Close(name.to_owned()));
            rest = after;
            continue;
        }
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap();
        let name = rest[..end].to_owned();
        assert!(!name.is_empty(), "a bare <: {:?}", rest.chars().take(60).collect::<String>());
        rest = &rest[end..];
        let mut attributes = Vec::new();
        loop {
            rest = rest.trim_start_matches(' ');
            if let Some(after) = rest.strip_prefix('>') {
                rest = after;
                break;
            }
            let (attribute, after) = rest.split_once("=\"").unwrap();
            let (value, after) = after.split_once('"').unwrap();
            assert!(!value.contains(['<', '>']), "{value}");
            attributes.push((attribute.to_owned(), unescaped(value)));
            rest = after;
        }
        if name == "style" {
            rest = &rest[rest.find("</style>").unwrap()..];
        }
        tokens.push(Token::Open(name, attributes));
    }
    assert!(rest.is_empty(), "{rest}");
    tokens
}

const TAGS: &str = "style div header span slot p a article svg path b time ul ol li pre code details summary h2 h3 h4 h5 h6 \
    blockquote em strong del ins table tr th td input hr br sup mark img button section form textarea label small \
    fieldset legend dl dt dd bdi template aside select option wbr main h1";

const ENDS_A_PARAGRAPH: &str = "p div ul ol li dl pre table section article header h2 h3 h4 h5 h6 hr blockquote details form \
    fieldset aside";

/// Fails if anything in it acts, or leads elsewhere than a link of the page does.
fn check(name: &str, html: &str) -> Vec<Token> {
    let tokens = tokens(html);
    let mut open = Vec::new();
    for token in &tokens {
        match token {
            Token::Open(tag, attributes) => {
                assert!(TAGS.split_whitespace().any(|known| known == tag), "{name}: <{tag}>");
                for (attribute, value) in attributes {
                    let acts = attribute.starts_with("on")
                        || ["style", "srcdoc", "action", "formaction", "autofocus", "is", "shadowrootmode"]
                            .contains(&attribute.as_str());
                    assert!(!acts, "{name}: <{tag} {attribute}>");
                    if attribute == "href" {
                        let web =
                            ["http://", "https://", "mailto:"].iter().any(|start| value.starts_with(start));
                        let own = value.strip_prefix("#session=").is_some_and(|id| {
                            id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~%".contains(&byte))
                        });
                        assert!((web || own) && tag == "a", "{name}: {value}");
                    }
                    assert!(attribute != "src" || value.starts_with("data:image/"), "{name}: {value}");
                }
                // A parser would close these at once, and the rows would differ from the page's.
                let within = |outer: &str| open.iter().any(|open: &String| open == outer);
                assert!(
                    !(ENDS_A_PARAGRAPH.split_whitespace().any(|ends| ends == tag) && within("p")),
                    "{name}: <{tag}> in <p>"
                );
                assert!(
                    !(["a", "button"].contains(&tag.as_str()) && within(tag)),
                    "{name}: <{tag}> in <{tag}>"
                );
                let is_off = attributes.iter().any(|(attribute, _)| attribute == "disabled");
                let needs = ["button", "input", "textarea", "select"].contains(&tag.as_str());
                assert!(is_off || !needs, "{name}: <{tag}> that can be used");
                if !["br", "wbr", "hr", "img", "input"].contains(&tag.as_str()) {
                    open.push(tag.clone());
                }
            }
            Token::Close(tag) => assert_eq!(open.pop().as_ref(), Some(tag), "{name}"),
            Token::Text(text) => {
                assert!(!text.chars().any(|c| c.is_control() && !"\n\t\r".contains(c)), "{name}: {text:?}");
            }
        }
    }
    assert!(open.is_empty(), "{name}: {open:?}");
    tokens
}

/// The ids of what has this attribute.
fn ids(tokens: &[Token], wanted: &str) -> Vec<String> {
    let all = tokens.iter().filter_map(|token| match token {
        Token::Open(_, attributes) => attributes.iter().find(|(name, _)| name == wanted),
        _ => None,
    });
    all.map(|(_, value)| value.clone()).collect()
}

fn text(tokens: &[Token]) -> String {
    let words = tokens.iter().filter_map(|token| match token {
        Token::Text(text) => Some(text.as_str()),
        _ => None,
    });
    words.collect()
}

#[test]
fn nothing_in_the_screen_of_a_recording_acts_and_every_open_request_is_there() {
    for (name, log) in logs() {
        let lines: Vec<&[u8]> = log.split(|byte| *byte == b'\n').collect();
        // A few moments, the end among them.
        for cut in (1..=4).map(|part| lines.len() * part / 4) {
            let mut session = Session::new();
            session.push(&lines[..cut].join(&b'\n'));
            session.end();
            let state = session.state();
            for reader in [OPERATOR, VIEWER] {
                let tokens = check(&name, &screen(state, reader));
                let shown = ids(&tokens, "data-id");
                let waits: Vec<_> = state.open_requests.iter().filter_map(|row| state.entry(*row)).collect();
                for entry in &waits {
                    assert!(shown.contains(&entry.id), "{name}: {} is not there", entry.id);
                }
                assert_eq!(ids(&tokens, "data-request-id").len(), waits.len(), "{name}");
                let words = text(&tokens);
                let offers = waits.iter().filter_map(|entry| Offers::of(&entry.request()?.details));
                for offer in offers.flat_map(|offers| offers.all) {
                    assert!(reader.readonly || words.contains(&offer.name), "{name}: {}", offer.name);
                }
                let last = state.entries.iter().rfind(|entry| entry.kind == pilothouse::core::Kind::User);
                let near = state.entries.len() < 5;
                if let Some(entry) = last.filter(|entry| near && entry.ui_visible) {
                    assert!(shown.contains(&entry.id), "{name}");
                }
            }
        }
    }
}

#[test]
fn a_long_session_is_its_end() {
    let mut session = Session::new();
    for number in 0..20_000 {
        let event = json!({ "type": "user.message", "id": format!("e{number}"), "data": { "content": format!("say {number}"), "messageId": format!("m{number}") } });
        session.push(format!("{event}\n").as_bytes());
    }
    let html = screen(session.state(), OPERATOR);
    let tokens = check("long", &html);
    let shown = ids(&tokens, "data-id");
    assert!((15..=40).contains(&shown.len()), "{}", shown.len());
    assert_eq!(shown.last().unwrap(), "m19999");
    assert!(text(&tokens).contains("What comes before is being loaded"));
}

#[test]
fn a_request_far_above_is_whole_and_a_huge_message_is_its_end() {
    let command = format!("rm -rf ./build # {}\u{202E}x", "long ".repeat(900));
    let asked = json!({ "type": "permission.requested", "id": "p", "data": { "requestId": "p", "permissionRequest": { "kind": "shell", "fullCommandText": command, "intention": "Clean" } } });
    let huge = format!("{}\n\nTHE END", "A paragraph of the answer.\n\n".repeat(40_000));
    let said =
        json!({ "type": "assistant.message", "id": "m", "data": { "messageId": "m", "content": huge } });
    let mut session = Session::new();
    session.push(format!("{asked}\n{said}\n").as_bytes());
    session.end();
    let html = screen(session.state(), OPERATOR);
    let tokens = check("far", &html);
    let words = text(&tokens);
    assert_eq!(ids(&tokens, "data-request-id"), ["p"]);
    assert_eq!(words.matches("long ").count(), 900);
    assert!(words.contains("right-to-left override") && words.contains("THE END"));
    assert!(words.matches("A paragraph").count() < 2_000 && html.len() < 250_000, "{}", html.len());
}

const HOSTILE: [&str; 12] = [
    "<script>alert(1)</script>",
    "</style></title></pre></details></template><img src=x onerror=alert(1)>",
    "\" onmouseover=\"alert(1)\" x='",
    "' autofocus onfocus='alert(1)",
    "<!-- ",
    "]]><![CDATA[ &lt;script&gt;",
    "```\n</details>\n<iframe src=javascript:alert(1)>",
    "[x](javascript:alert(1)) ![y](https://example.com/t.png) <https://a.example/\"onclick=1>",
    "~~~~~~\nnever closed\u{0}\u{1b}[31m\u{9b}",
    "<details><summary>\n\n<b>\n\n````````",
    "\u{1b}[38;2;1;2;3mred\u{1b}]8;;javascript:alert(1)\u{7}link\u{1b}]8;;\u{7}",
    "a\u{202E}b\u{200B}c\u{E0041}",
];

fn event(kind: &str, data: &Value, number: usize) -> String {
    format!(
        "{}\n",
        json!({ "type": kind, "id": format!("e{number}"), "timestamp": "2026-11-21T09:00:01.000Z", "data": data })
    )
}

/// A session in which this text is everywhere.
fn everywhere(text: &str) -> Session {
    let ask = |id: &str, kind: &str, fields: Value| {
        let mut request = fields;
        request["kind"] = kind.into();
        let options = json!([{ "optionId": text, "name": text, "kind": "allow_always" }, { "optionId": "n", "name": text, "kind": text }]);
        json!({ "requestId": id, "permissionRequest": request, "agentOptions": options })
    };
    let events = [
        (
            "session.start",
            json!({ "sessionId": text, "selectedModel": text, "context": { "cwd": text, "branch": text } }),
        ),
        ("session.title_changed", json!({ "title": text })),
        (
            "user.message",
            json!({ "content": text, "messageId": "u", "source": text, "attachments": [{ "type": "file", "path": text, "displayName": text }] }),
        ),
        ("assistant.message", json!({ "messageId": "a", "content": text, "phase": text })),
        (
            "tool.execution_start",
            json!({ "toolCallId": "t", "toolName": "bash", "arguments": { "command": text, "description": text } }),
        ),
        ("tool.execution_partial_result", json!({ "toolCallId": "t", "partialOutput": text })),
        (
            "tool.execution_start",
            json!({ "toolCallId": "f", "toolName": text, "arguments": { "path": text, "deep": { "er": text } } }),
        ),
        (
            "tool.execution_complete",
            json!({ "toolCallId": "f", "success": false, "error": { "message": text, "code": text } }),
        ),
        (
            "tool.execution_start",
            json!({ "toolCallId": "e", "toolName": "edit", "arguments": { "path": text, "old_str": "a\n", "new_str": text } }),
        ),
        (
            "tool.execution_complete",
            json!({ "toolCallId": "e", "success": true, "result": { "content": text } }),
        ),
        (
            "subagent.started",
            json!({ "toolCallId": "s", "agentName": text, "agentDisplayName": text, "agentDescription": text, "model": text }),
        ),
        ("session.error", json!({ "errorType": text, "message": text, "stack": text, "url": text })),
        ("session.model_change", json!({ "newModel": text, "previousModel": text })),
        ("who.knows", json!({ "what": text })),
        (
            "permission.requested",
            ask(
                "p1",
                "shell",
                json!({ "fullCommandText": text, "intention": text, "possiblePaths": [text] }),
            ),
        ),
        (
            "permission.requested",
            ask(
                "p2",
                "write",
                json!({ "fileName": text, "diff": format!("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+{}", text.replace('\n', "")), "newFileContents": text, "intention": text }),
            ),
        ),
        ("permission.requested", ask("p3", "url", json!({ "url": text, "intention": text }))),
        ("permission.requested", ask("p4", text, json!({ "some": text }))),
        (
            "permission.requested",
            ask(
                "p5",
                "mcp",
                json!({ "serverName": text, "toolName": text, "toolTitle": text, "args": { "a": text } }),
            ),
        ),
        ("user_input.requested", json!({ "requestId": "q", "question": text, "choices": [text, "b"] })),
        (
            "exit_plan_mode.requested",
            json!({ "requestId": "x", "planContent": text, "actions": [text, "interactive"], "recommendedAction": text }),
        ),
        (
            "elicitation.requested",
            json!({ "requestId": "el", "message": text, "requestedSchema": { "properties": { "a": { "type": "string", "title": text } } } }),
        ),
    ];
    let mut session = Session::new();
    for (number, (kind, data)) in events.iter().enumerate() {
        session.push(event(kind, data, number).as_bytes());
    }
    session.end();
    session
}

#[test]
fn hostile_texts_stay_texts() {
    for hostile in HOSTILE {
        let session = everywhere(hostile);
        for reader in [OPERATOR, VIEWER] {
            let html = screen(session.state(), reader);
            let tokens = check(hostile, &html);
            assert_eq!(ids(&tokens, "data-request-id").len(), 8, "{hostile}");
            assert!(!html.contains('\u{1b}'), "{hostile}");
            // What is to be approved has names for what nobody sees.
            let is_request = |(name, _): &(String, String)| name == "data-request-id";
            let is_card =
                |token: &Token| matches!(token, Token::Open(_, named) if named.iter().any(is_request));
            let is_end = |token: &Token| matches!(token, Token::Close(tag) if tag == "section");
            for (at, _) in tokens.iter().enumerate().filter(|(_, token)| is_card(token)) {
                let end = tokens[at..].iter().position(is_end).unwrap();
                let words = text(&tokens[at..at + end]);
                assert!(!words.contains(['\u{202E}', '\u{200B}', '\u{E0041}']), "{hostile}: {words}");
            }
        }
    }
}

#[test]
fn a_viewer_gets_no_answers_and_no_composer() {
    let session = everywhere("boats");
    let buttons = |reader| ids(&tokens(&screen(session.state(), reader)), "class");
    let has = |all: &[String], wanted: &str| all.iter().any(|class| class == wanted);
    let (operator, viewer) = (buttons(OPERATOR), buttons(VIEWER));
    assert!(has(&operator, "request-foot") && has(&operator, "composer-whole"));
    assert!(!has(&viewer, "request-foot") && !has(&viewer, "composer-whole"));
    let recording = buttons(Reader { readonly: false, takes_messages: false });
    assert!(has(&recording, "request-foot") && !has(&recording, "composer-whole"));
}

#[test]
fn the_screen_is_in_the_language_of_the_reader() {
    static ARABIC: Language = Language {
        tag: "ar",
        right_to_left: true,
        words: translations::ARABIC,
        plural: |_| "other".to_owned(),
        figure: |number, _| number.to_string(),
    };
    let session = everywhere("boats");
    i18n::set(Some(&ARABIC));
    let arabic = screen(session.state(), OPERATOR);
    i18n::set(None);
    assert!(arabic.contains("lang=\"ar\" dir=\"rtl\"") && !arabic.contains("Being loaded"));
    assert!(screen(session.state(), OPERATOR).contains("lang=\"en\""));
}

const NOON: i64 = 1_795_262_400_000;

fn on_board<'a>(readonly: bool) -> BoardReader<'a> {
    BoardReader {
        readonly,
        capabilities: &["create", "resume", "close"],
        now: NOON,
        requests: |known, show| show(session_of(known).state()),
    }
}

/// The row of a session in a gateway's list, with the events of its requests.
fn row(id: &str, session: &Session, log: &[&[u8]]) -> Value {
    let mut row = snapshot::session(session.state());
    let fields = row.as_object_mut().unwrap();
    fields.extend(board_summary::of(session.state()));
    fields.insert("sessionId".to_owned(), id.into());
    for request in fields["requests"].as_array_mut().unwrap() {
        let asked = request["requestId"].clone();
        let events = log.iter().filter_map(|line| serde_json::from_slice::<Value>(line).ok());
        let event = events.filter(|event| event["data"]["requestId"] == asked).map(|event| one_line(&event));
        if let Some(event) = event.into_iter().next() {
            request["event"] = serde_json::from_str(&event).unwrap();
        }
    }
    row
}

fn board_of(rows: Vec<Value>) -> Board {
    let mut board = Board::default();
    board.merge_list(&Value::Array(rows));
    board
}

#[test]
fn nothing_on_a_board_of_recordings_acts_and_the_most_urgent_come_first() {
    let mut rows = Vec::new();
    for (name, log) in logs() {
        let lines: Vec<&[u8]> = log.split(|byte| *byte == b'\n').collect();
        for cut in (1..=4).map(|part| lines.len() * part / 4) {
            let mut session = Session::new();
            session.push(&lines[..cut].join(&b'\n'));
            session.end();
            rows.push(row(&format!("{name} {cut}"), &session, &lines[..cut]));
        }
    }
    let many = board_of(rows);
    let order = groups(many.sessions(), &SessionFilter::default(), Grouping::None);
    let ordered: Vec<&String> = order.iter().flat_map(|group| &group.ids).collect();
    assert!(ordered.len() > MOST_TILES && many.waiting() > 5);
    for readonly in [false, true] {
        let html = board(&many, on_board(readonly));
        let tokens = check("board", &html);
        let mut shown = ids(&tokens, "data-session");
        shown.dedup(); // a tile that waits has another form in its template
        assert_eq!(shown.iter().collect::<Vec<_>>(), &ordered[..MOST_TILES]);
        assert!(text(&tokens).contains("More sessions are being loaded"));
        assert_eq!(text(&tokens).contains("Allow once"), !readonly, "a viewer answers nothing");
        // 1.4 kB a tile, and its cards.
        assert!(html.len() < 400_000, "{}", html.len());
    }
}

#[test]
fn hostile_texts_of_a_board_stay_texts() {
    for hostile in HOSTILE {
        let asks = |kind: &str, data: Value| {
            json!({ "requestId": hostile, "kind": kind, "agent": hostile, "text": hostile, "since": NOON - 90_000,
                "event": { "type": format!("{kind}.requested"), "id": hostile, "data": data } })
        };
        let shell = json!({ "requestId": hostile, "permissionRequest": { "kind": "shell", "fullCommandText": hostile, "intention": hostile } });
        let question = json!({ "requestId": hostile, "question": hostile, "choices": [hostile] });
        let fields = |id: &str, status: &str, requests: Vec<Value>| {
            json!({ "sessionId": format!("{id}{hostile}"), "title": hostile, "status": status, "repository": hostile,
                "branch": hostile, "cwd": hostile, "model": hostile, "mode": hostile, "intent": hostile, "error": hostile,
                "contextTokens": 90, "contextLimit": 100, "cost": 2.5, "lastEventAt": NOON - 400_000_000_i64, "requests": requests })
        };
        let rows = vec![
            fields("a", "waiting", vec![asks("permission", shell)]),
            fields("b", "waiting", vec![asks("user_input", question)]),
            fields("c", "waiting", vec![asks(hostile, json!({}))]),
            fields("d", "error", vec![]),
            fields("e", "running", vec![]),
            json!({ "sessionId": hostile, "live": true, "stored": true, "modifiedTime": hostile, "startTime": hostile }),
            json!({ "sessionId": format!("f{hostile}"), "contextTokens": i64::MIN, "contextLimit": 1, "lastEventAt": i64::MIN,
                "cost": 1e300, "status": hostile, "requests": hostile, "title": { "a": hostile } }),
        ];
        let all = board_of(rows);
        for readonly in [false, true] {
            let html = board(&all, on_board(readonly));
            let tokens = check(hostile, &html);
            let mut shown = ids(&tokens, "data-session");
            shown.dedup();
            assert_eq!(shown.len(), 7, "{hostile}");
            assert!(!html.contains('\u{1b}'), "{hostile}");
            // Nobody takes what is asked, or a title, for something else.
            let is_exact = |token: &Token| matches!(token, Token::Open(_, named) if named.iter().any(|(name, value)| name == "class" && (value == "tile-open" || value == "tile-doing")));
            for (at, _) in tokens.iter().enumerate().filter(|(_, token)| is_exact(token)) {
                let end = tokens[at..]
                    .iter()
                    .position(|token| matches!(token, Token::Close(tag) if tag == "a" || tag == "p"));
                let words = text(&tokens[at..at + end.unwrap()]);
                assert!(!words.contains(['\u{202E}', '\u{200B}', '\u{E0041}']), "{hostile}: {words}");
            }
        }
    }
}

#[test]
fn a_tile_beside_an_open_session_has_the_cards_that_are_short() {
    let asked = |command: &str| {
        json!({ "sessionId": command, "status": "waiting", "requests": [{ "requestId": "r", "kind": "permission", "text": command,
            "event": { "type": "permission.requested", "id": "e", "data": { "requestId": "r",
                "permissionRequest": { "kind": "shell", "fullCommandText": command } } } }] })
    };
    let long = "echo a\n".repeat(40);
    let tokens = check("beside", &board(&board_of(vec![asked("ls"), asked(&long)]), on_board(false)));
    let template = |nth: usize| {
        let starts = tokens
            .iter()
            .enumerate()
            .filter(|(_, token)| matches!(token, Token::Open(tag, _) if tag == "template"));
        let start = starts.map(|(at, _)| at).nth(nth).unwrap();
        let end = tokens[start..]
            .iter()
            .position(|token| matches!(token, Token::Close(tag) if tag == "template"))
            .unwrap();
        &tokens[start..start + end]
    };
    assert!(text(template(0)).contains("Run this command?") && ids(template(0), "data-answering").len() == 1);
    assert!(!text(template(1)).contains("Run this command?") && text(template(1)).ends_with("Open"));
    let seen = text(&tokens);
    assert_eq!(seen.matches("Answer").count(), 2, "in each tile as it stands by itself");
}
