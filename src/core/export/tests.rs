//! Tests of exports: they are complete, nothing in them is active, and no text breaks out of its place.

use serde_json::{Value, json};

use super::{Format, document, file_name};
use crate::Session;
use crate::i18n;
use crate::i18n::Language;
use crate::i18n::words::export;
use crate::markup::screen::{Reader, screen};
use crate::text::markdown::{Markdown, Node, Tag};

fn session(events: &[Value]) -> Session {
    let mut session = Session::new();
    for (number, event) in events.iter().enumerate() {
        let mut event = event.clone();
        event["id"] = json!(number.to_string());
        event["timestamp"] = json!(format!("2026-11-21T09:00:{:02}.000Z", number % 60));
        session.push(format!("{event}\n").as_bytes());
    }
    session.end();
    session
}

fn event(kind: &str, data: Value) -> Value {
    let mut event = json!({ "type": kind });
    event["data"] = data;
    event
}

/// The same hostile text in every place where a session can put one.
fn everywhere(text: &str) -> Session {
    let call = |id: &str, name: &str, arguments: Value| {
        event("tool.execution_start", json!({ "toolCallId": id, "toolName": name, "arguments": arguments }))
    };
    let done = |id: &str| {
        event(
            "tool.execution_complete",
            json!({ "toolCallId": id, "success": true, "result": { "content": text, "detailedContent": text } }),
        )
    };
    let mut other = serde_json::Map::new();
    other.insert(text.to_owned(), json!(text));
    session(&[
        event(
            "session.start",
            json!({ "sessionId": text, "selectedModel": text, "context": { "cwd": text, "branch": text } }),
        ),
        event("session.title_changed", json!({ "title": text })),
        event(
            "user.message",
            json!({ "content": text, "messageId": "u", "attachments": [{ "type": "file", "path": text, "displayName": text }] }),
        ),
        event("pilothouse.sent", json!({ "messageId": "u", "who": text })),
        event("assistant.reasoning", json!({ "reasoningId": "r", "content": text })),
        event("assistant.message", json!({ "messageId": "a", "content": text, "toolRequests": [] })),
        event(
            "assistant.message",
            json!({ "messageId": "b", "content": format!("# {text}\n\n> {text}\n\n[{text}](https://example.com/{text}) `{text}`\n\n| a |\n| - |\n| {text} |"), "toolRequests": [] }),
        ),
        call("shell", "bash", json!({ "command": text })),
        done("shell"),
        call("edit", "edit", json!({ "path": text, "old_str": "a\n", "new_str": text })),
        event(
            "tool.execution_complete",
            json!({ "toolCallId": "edit", "success": true, "result": { "content": text } }),
        ),
        call("other", text, json!(other)),
        done("other"),
        call("failed", "view", json!({ "path": text })),
        event(
            "tool.execution_complete",
            json!({ "toolCallId": "failed", "success": false, "error": { "message": text, "code": text } }),
        ),
        event(
            "permission.requested",
            json!({ "requestId": "p", "permissionRequest": { "kind": "shell", "fullCommandText": text, "intention": text } }),
        ),
        event(
            "permission.completed",
            json!({ "requestId": "p", "result": { "kind": "denied-interactively-by-user", "feedback": text }, "agentOption": text }),
        ),
        event("user_input.requested", json!({ "requestId": "q", "question": text, "choices": [text] })),
        event("session.error", json!({ "errorType": text, "message": text, "stack": text, "url": text })),
        event("session.info", json!({ "infoType": text, "message": text })),
        event("session.model_change", json!({ "newModel": text, "previousModel": text })),
        event(
            "subagent.started",
            json!({ "toolCallId": "s", "agentName": text, "agentDisplayName": text, "agentDescription": text }),
        ),
        event(
            "subagent.failed",
            json!({ "toolCallId": "s", "agentName": text, "agentDisplayName": text, "error": text }),
        ),
        event("who.knows", json!({ "what": text })),
        event(text, json!({ "what": text })),
        event("user.message", json!({ "content": "THE END", "messageId": "end" })),
    ])
}

const HOSTILE: [&str; 10] = [
    "<script>alert(1)</script>",
    "</style></title></pre></details><img src=x onerror=alert(1)>",
    "\" onmouseover=\"alert(1)\" x='",
    "' autofocus onfocus='alert(1)",
    "<!-- ",
    "]]><![CDATA[ &lt;script&gt;",
    "```\n</details>\n<iframe src=javascript:alert(1)>",
    "[x](javascript:alert(1)) ![y](https://example.com/t.png) <https://a.example/\"onclick=1>",
    "~~~~~~\nnever closed\u{0}\u{1b}[31m\u{9b}",
    "<details><summary>\n\n<b>\n\n````````",
];

/// The name and attributes of every tag in a document, as a browser
/// reads them. Fails if a text is read as a tag.
fn tags(html: &str) -> Vec<(String, Vec<(String, String)>)> {
    let mut tags = Vec::new();
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        let name: String =
            rest.chars().take_while(|c| c.is_ascii_alphanumeric() || "!/".contains(*c)).collect();
        assert!(!name.is_empty(), "a bare <: {:?}", &rest[..rest.len().min(60)]);
        rest = &rest[name.len()..];
        let mut attributes = Vec::new();
        loop {
            rest = rest.trim_start_matches(' ');
            if let Some(after) = rest.strip_prefix('>') {
                rest = after;
                break;
            }
            let (attribute, after) = rest.split_once(['=', '>']).unwrap();
            if name == "!doctype" {
                rest = after;
                break;
            }
            let (value, after) = after.strip_prefix('"').unwrap().split_once('"').unwrap();
            assert!(!value.contains('<') && !value.contains('>'), "{value}");
            attributes.push((attribute.to_owned(), value.to_owned()));
            rest = after;
        }
        if name == "style" {
            rest = &rest[rest.find("</style>").unwrap()..];
        }
        tags.push((name, attributes));
    }
    tags
}

#[test]
fn no_text_of_a_session_becomes_markup_of_the_html_document() {
    const TAGS: [&str; 54] = [
        "!doctype",
        "html",
        "head",
        "meta",
        "title",
        "style",
        "body",
        "div",
        "header",
        "h1",
        "dl",
        "dt",
        "dd",
        "nav",
        "ol",
        "li",
        "a",
        "main",
        "article",
        "b",
        "span",
        "time",
        "ul",
        "p",
        "pre",
        "code",
        "details",
        "summary",
        "h3",
        "h4",
        "h5",
        "h6",
        "blockquote",
        "em",
        "strong",
        "del",
        "ins",
        "table",
        "tr",
        "th",
        "td",
        "input",
        "hr",
        "br",
        "sup",
        "mark",
        "i",
        "kbd",
        "samp",
        "svg",
        "path",
        "img",
        "small",
        "section",
    ];
    const ATTRIBUTES: [&str; 36] = [
        "lang",
        "charset",
        "http-equiv",
        "content",
        "name",
        "class",
        "dir",
        "href",
        "id",
        "datetime",
        "open",
        "start",
        "title",
        "rel",
        "role",
        "tabindex",
        "aria-label",
        "type",
        "disabled",
        "checked",
        "data-icon",
        "data-entry",
        "data-state",
        "data-lane",
        "data-level",
        "data-align",
        "data-id",
        "data-depth",
        "data-parallel",
        "part",
        "target",
        "translate",
        "hidden",
        "aria-hidden",
        "viewBox",
        "d",
    ];
    for text in HOSTILE {
        let html = document(everywhere(text).state(), Format::Html);
        for (name, attributes) in tags(&html) {
            let plain = name.trim_start_matches('/');
            assert!(TAGS.contains(&plain), "<{name}> in the document of {text:?}");
            for (attribute, value) in attributes {
                let data = ["data-language", "data-host", "data-label", "data-numbers"];
                let known = ATTRIBUTES.contains(&attribute.as_str()) || data.contains(&attribute.as_str());
                assert!(known, "<{name} {attribute}> in the document of {text:?}");
                if attribute == "href" {
                    let allowed = ["#", "http://", "https://", "mailto:"];
                    assert!(allowed.iter().any(|start| value.starts_with(start)), "{value}");
                }
            }
        }
        assert!(html.trim_end().ends_with("</html>"));
        assert!(html.contains("THE END"), "{text:?}");
        assert!(!html.contains('\0') && !html.contains('\u{1b}'), "{text:?}");
    }
}

#[test]
fn the_html_document_needs_nothing_else() {
    let html = document(everywhere("boats").state(), Format::Html);
    for forbidden in [
        "<script",
        "src=",
        "@import",
        "url(",
        "<link",
        "<iframe",
        "<object",
        "<form",
        "http-equiv=\"refresh\"",
    ] {
        assert!(!html.contains(forbidden), "{forbidden}");
    }
    assert!(html.contains("default-src &#39;none&#39;"));
    assert!(!html.contains(":host"), "the element's selectors mean nothing in a document");
}

#[test]
fn nothing_a_session_says_ends_its_place_in_the_markdown_document() {
    for text in HOSTILE {
        let markdown = document(everywhere(text).state(), Format::Markdown);
        let mut parsed = Markdown::new();
        let _ = parsed.update(&markdown, true);
        let last = parsed.blocks().iter().rev().take(2).map(|block| &block.node).collect::<Vec<_>>();
        // Everything that was opened before is closed: the last message is a
        // heading and a quotation of the document.
        let tags: Vec<_> = last
            .iter()
            .map(|node| match node {
                Node::Element(element) => element.tag.clone(),
                Node::Text(_) => Tag::Paragraph,
            })
            .collect();
        assert_eq!(tags, [Tag::BlockQuote, Tag::Heading(2)], "{text:?}\n{markdown}");
        assert_eq!(last[0].text(), "THE END");
    }
}

#[test]
fn both_documents_tell_everything() {
    let session = session(&[
        event(
            "session.start",
            json!({ "sessionId": "one", "selectedModel": "claude-sonnet-4.5", "context": { "cwd": "/boats" } }),
        ),
        event("user.message", json!({ "content": "Moor the *white* boat", "messageId": "u" })),
        event("assistant.reasoning", json!({ "reasoningId": "r", "content": "Which berth?" })),
        event(
            "tool.execution_start",
            json!({ "toolCallId": "t", "toolName": "bash", "arguments": { "command": "moor white" } }),
        ),
        event(
            "permission.requested",
            json!({ "requestId": "p", "permissionRequest": { "kind": "shell", "fullCommandText": "moor white", "intention": "Moor it", "toolCallId": "t" } }),
        ),
        event(
            "permission.completed",
            json!({ "requestId": "p", "toolCallId": "t", "result": { "kind": "approved" } }),
        ),
        event(
            "tool.execution_complete",
            json!({ "toolCallId": "t", "success": true, "result": { "content": "\u{1b}[32mmoored\u{1b}[0m" } }),
        ),
        event(
            "tool.execution_start",
            json!({ "toolCallId": "e", "toolName": "edit", "arguments": { "path": "/boats/log.md", "old_str": "out\n", "new_str": "in\n" } }),
        ),
        event(
            "tool.execution_complete",
            json!({ "toolCallId": "e", "success": true, "result": { "content": "ok" } }),
        ),
        event(
            "assistant.message",
            json!({ "messageId": "a", "content": "It lies at the **pier**.", "toolRequests": [] }),
        ),
        event("user.message", json!({ "content": "Thank you", "messageId": "v" })),
    ]);
    let markdown = document(session.state(), Format::Markdown);
    for part in [
        "# Moor the white boat",
        "- Model: `claude-sonnet-4.5`",
        "## 1 · You\n\n> Moor the *white* boat",
        "<summary>Thought</summary>\n\nWhich berth?",
        "<summary>Ran <code>moor white</code> · 2 s</summary>\n\n```sh\nmoor white\n```\n\n```\nmoored\n```",
        "**Permission requested** · Moor it\n\n```\nmoor white\n```\n\nOutcome: **Allowed once**",
        "<summary>Edited <code>log.md</code> +1 −1",
        "```diff\n@@ \n-out\n+in\n```",
        "It lies at the **pier**.",
        "## 2 · You\n\n> Thank you",
    ] {
        assert!(markdown.contains(part), "{part}\n---\n{markdown}");
    }
    let html = document(session.state(), Format::Html);
    for part in [
        "<h1 dir=\"auto\">Moor the white boat</h1>",
        "<a href=\"#turn-2\">Thank you</a>",
        "<em>white</em>",
        "<span class=\"t-fg-2\">moored</span>",
        "Outcome: <b>Allowed once</b>",
        "<del class=\"d-run\"",
        "<strong>pier</strong>",
        "datetime=\"2026-11-21T09:00:01Z\"",
    ] {
        assert!(html.contains(part), "{part}\n---\n{html}");
    }
    assert_eq!(file_name(session.state(), "md"), "moor-the-white-boat-2026-11-21.md");
    assert_eq!(file_name(Session::new().state(), "html"), "session.html");
}

#[test]
fn documents_are_in_the_language_of_the_page() {
    static ARABIC: Language = Language {
        tag: "ar",
        right_to_left: true,
        words: crate::i18n::translations::ARABIC,
        plural: |_| "other".to_owned(),
        figure: |number, _| number.to_string(),
    };
    let session = everywhere("boats");
    i18n::set(Some(&ARABIC));
    let (html, markdown) =
        (document(session.state(), Format::Html), document(session.state(), Format::Markdown));
    let outcome = export::OUTCOME.with(&[("outcome", "".into())]);
    i18n::set(None);
    assert!(html.starts_with("<!doctype html>\n<html lang=\"ar\" dir=\"rtl\">"));
    assert!(html.contains(&outcome) && markdown.contains(&outcome) && !html.contains("Outcome"));
    assert!(document(session.state(), Format::Html).starts_with("<!doctype html>\n<html lang=\"en\"><head>"));
}

#[test]
fn what_was_made_for_a_terminal_is_told_without_its_control_sequences() {
    let coloured = "\u{1b}[33mwarning\u{1b}[0m: unused <b>";
    let call = |mut data: Value| {
        data["toolCallId"] = data.to_string().into();
        event("tool.execution_complete", data)
    };
    let session = session(&[
        call(json!({ "success": true, "result": { "content": coloured } })),
        call(json!({ "success": false, "error": { "message": coloured } })),
    ]);
    assert!(session.state().entries.iter().all(|entry| super::copied(entry) == "warning: unused <b>"));
    let [markdown, html] = [Format::Markdown, Format::Html].map(|format| document(session.state(), format));
    assert_eq!(markdown.matches("warning: unused <b>").count(), 2, "{markdown}");
    assert!(html.contains(r#"<span class="t-fg-3">warning</span>: unused &lt;b&gt;"#), "{html}");
    assert!(!markdown.contains('\u{1b}') && !html.contains('\u{1b}'));
}

#[test]
fn documents_tell_what_a_terminal_shows_in_the_end() {
    let printed = |content: &str| {
        let data = json!({ "toolCallId": content, "success": true, "result": { "content": content } });
        event("tool.execution_complete", data)
    };
    let session = session(&[
        printed("fetching 10%\rfetching 55%\rfetched     \r\nmoring\u{8}\u{8}\u{8}sel"),
        printed("Opened 8;;https://a.b/12\u{7}#12 Fix8;;\u{7} now"),
        printed("Refused 8;;javascript:alert(1)\u{7}link8;;\u{7} now"),
    ]);
    let [markdown, html] = [Format::Markdown, Format::Html].map(|format| document(session.state(), format));
    for document in [&markdown, &html] {
        assert!(document.contains("fetched     \nmorsel") && !document.contains("55%"), "{document}");
        assert!(!document.contains("8;;") && !document.contains("javascript"), "{document}");
        assert!(!document.chars().any(|c| c.is_control() && c != '\n'), "{document}");
    }
    assert!(markdown.contains("Opened #12 Fix now"), "{markdown}");
    assert!(html.contains("<a href=\"https://a.b/12\" title=\"https://a.b/12\""), "{html}");
    let copied: Vec<String> = session.state().entries.iter().map(|entry| super::copied(entry)).collect();
    assert_eq!(copied, ["fetched     \nmorsel", "Opened #12 Fix now", "Refused link now"]);
}

#[test]
fn the_html_document_names_what_nobody_sees() {
    let edit = json!({ "toolCallId": "e", "toolName": "edit", "arguments":
        { "path": "/w/ok\u{202E}gpj.exe", "old_str": "one\r\nad\u{200B}min\r\n", "new_str": "one\nadmin\n" } });
    let printed =
        json!({ "toolCallId": "p", "success": true, "result": { "content": "a\u{1b}[1mb\u{202E}c\u{A0}d" } });
    let session = session(&[event("tool.execution_start", edit), event("tool.execution_complete", printed)]);
    let html = document(session.state(), Format::Html);
    for name in ["right-to-left override", "zero-width space", "CRLF"] {
        assert!(html.contains(&format!("<span class=\"hidden-char\">{name}</span>")), "{name}: {html}");
    }
    assert!(html.contains("Line ends change: CRLF to LF"), "{html}");
    assert!(!html.contains(['\u{202E}', '\u{200B}', '\r']) && html.contains("c\u{A0}d"), "{html}");
}

#[test]
fn who_wrote_a_message_stands_in_documents_and_on_the_first_screen_as_text() {
    let written = session(&[
        event("user.message", json!({ "content": "Mind the tide", "messageId": "u" })),
        event("pilothouse.sent", json!({ "messageId": "u", "who": "Ana <b>" })),
    ]);
    let state = written.state();
    let markdown = document(state, Format::Markdown);
    assert!(markdown.contains("## 1 · Ana \\<b"), "{markdown}");
    let screen = screen(state, Reader { readonly: false, takes_messages: true });
    for html in [document(state, Format::Html), screen] {
        assert!(html.contains("Ana &lt;b") && !html.contains("Ana <b"), "{html}");
    }
}
