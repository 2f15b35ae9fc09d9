//! Tests of the inside of a tool card: results by kind, blocks, trees, diffs side by side.

use super::*;

impl Panel {
    /// Feeds a finished call, and opens its card.
    async fn call(&self, id: &str, tool: &str, arguments: Value, result: Value) -> Element {
        let start = json!({ "toolCallId": id, "toolName": tool, "arguments": arguments });
        self.feed("tool.execution_start", start);
        let end = json!({ "toolCallId": id, "success": true, "result": result });
        self.feed("tool.execution_complete", end);
        let row = self.row("tool", id, "done").await;
        if !self.open(id) {
            self.toggle(id);
        }
        self.wait(&format!(r#"[data-id="{id}"] .body"#)).await;
        row
    }
}

fn all(row: &Element, selector: &str) -> Vec<Element> {
    let found = row.query_selector_all(selector).unwrap();
    (0..found.length()).map(|at| found.item(at).unwrap().unchecked_into()).collect()
}

fn press(row: &Element, selector: &str, label: &str) {
    let button = all(row, selector).into_iter().find(|button| text(button).contains(label));
    button
        .unwrap_or_else(|| panic!("no {label} in {}", row.inner_html()))
        .unchecked_into::<HtmlElement>()
        .click();
}

#[wasm_bindgen_test]
async fn a_read_shows_an_excerpt_with_its_line_numbers() {
    let panel = Panel::new(&[]);
    let diff = "\ndiff --git a/w/f.rs b/w/f.rs\nindex 0..0 100644\n--- a/w/f.rs\n+++ b/w/f.rs\n@@ -8,3 +8,3 @@\n fn a() {\n }\n \n";
    let arguments = json!({ "path": "/w/f.rs", "view_range": [8, 9] });
    let result = json!({ "content": "fn a() {\n}\n", "detailedContent": diff });
    let row = panel.call("read", "view", arguments, result).await;
    assert!(text(&row).contains("Read lines 8–9 of /w/f.rs"), "{}", text(&row));
    let lines = row.query_selector(".changes .d-run").unwrap().unwrap();
    assert_eq!(lines.get_attribute("data-numbers").as_deref(), Some("8\n9"));
    assert_eq!(text(&lines), "fn a() {\n}\n");
}

#[wasm_bindgen_test]
async fn a_search_says_what_it_found_and_where() {
    let panel = Panel::new(&[]);
    let arguments = json!({ "pattern": "tide", "output_mode": "content", "-n": true });
    let found = "/w/a.rs:3:let tide;\n/w/a.rs:9:tide()\n/w/b.rs:1:// tide";
    let row = panel.call("search", "grep", arguments, json!({ "content": found })).await;
    assert!(text(&row).contains("Searched for tide: 3 hits in 2 files"), "{}", text(&row));
    let hits = all(&row, ".found .changes .d-run");
    assert_eq!(hits.len(), 2);
    assert_eq!(hits[0].get_attribute("data-numbers").as_deref(), Some("3\n9"));
    let none = panel
        .call(
            "none",
            "glob",
            json!({ "pattern": "*.c" }),
            json!({ "content": "No files matched the pattern." }),
        )
        .await;
    assert!(text(&none).contains("*.c: nothing found"), "{}", text(&none));
}

#[wasm_bindgen_test]
async fn blocks_of_every_type_are_shown_and_nothing_is_fetched() {
    let panel = Panel::new(&[]);
    let pixel =
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    let contents = json!([
        { "type": "text", "text": "{\"a\":[1,2]}" },
        { "type": "terminal", "text": "10%\r20%\n\u{1b}[31mred\u{1b}[0m\n", "exitCode": 3, "cwd": "/w" },
        { "type": "image", "data": pixel, "mimeType": "image/png" },
        { "type": "image", "data": "PHN2Zz48L3N2Zz4=", "mimeType": "image/svg+xml" },
        { "type": "audio", "data": "UklGRg==", "mimeType": "audio/wav" },
        { "type": "resource_link", "name": "good", "uri": "https://good.example/x", "mimeType": "image/png" },
        { "type": "resource_link", "name": "bad", "uri": "javascript:alert(1)" },
        { "type": "resource", "resource": { "uri": "mem://a", "mimeType": "text/plain", "text": "embedded" } },
        { "type": "resource", "resource": { "uri": "mem://b", "mimeType": "application/pdf", "blob": "JVBERg==" } },
        { "type": "hologram", "depth": 4 },
    ]);
    let binaries = json!([{ "type": "image", "mimeType": "image/png", "byteLength": 9_000_000, "omittedReason": "too_large" }]);
    let result = json!({ "content": "for the model", "contents": contents, "binaryResultsForLlm": binaries, "structuredContent": { "ok": true } });
    let row = panel.call("blocks", "odd_tool", json!({ "deep": { "x": 1 } }), result).await;
    let images = all(&row, "img");
    assert_eq!(images.len(), 1, "only pixels are shown");
    assert!(images[0].get_attribute("src").unwrap().starts_with("data:image/png;base64,iVBOR"));
    assert!(images[0].get_attribute("alt").is_some_and(|alt| !alt.is_empty()));
    assert!(row.query_selector("audio[controls][aria-label]").unwrap().is_some());
    assert_eq!(text(&row.query_selector(".terminal").unwrap().unwrap()), "20%\nred\n");
    let links = all(&row, "a");
    assert_eq!(links.len(), 1);
    assert_eq!(links[0].get_attribute("rel").as_deref(), Some("noopener noreferrer nofollow"));
    for words in [
        "a 2 items",
        "Exit code3",
        "bad (javascript:alert(1))",
        "embedded",
        "mem://b",
        "not shown",
        "depth 4",
        "left out of the log because of its size",
        "Structured content",
        "ok true",
        "deep 1 field",
    ] {
        assert!(text(&row).contains(words), "{words} in {}", text(&row));
    }
    assert!(!text(&row).contains("for the model"));
    press(&row, "button", "Load image from good.example");
    panel.wait(r#"[data-id="blocks"] img[src="https://good.example/x"][referrerpolicy="no-referrer"]"#).await;
}

#[wasm_bindgen_test]
async fn an_image_that_a_history_keeps_apart_is_found() {
    let panel = Panel::new(&[]);
    let asset = json!({ "assetId": "sha256:1", "type": "image", "mimeType": "image/png", "byteLength": 4, "data": "AAAA" });
    panel.feed("session.binary_asset", asset);
    let binary =
        |id: &str| json!({ "type": "image", "mimeType": "image/png", "assetId": id, "byteLength": 4 });
    let result =
        json!({ "content": "Viewed", "binaryResultsForLlm": [binary("sha256:1"), binary("sha256:2")] });
    let row = panel.call("picture", "view", json!({ "path": "/w/p.png" }), result).await;
    assert_eq!(all(&row, r#"img[src="data:image/png;base64,AAAA"]"#).len(), 1);
    assert!(text(&row).contains("kept apart from the log and not in it"), "{}", text(&row));
}

#[wasm_bindgen_test]
async fn a_tree_is_made_on_demand() {
    let panel = Panel::new(&[]);
    let items: Vec<Value> = (0..1_000).map(|n| json!({ "n": n, "deeper": { "words": "x" } })).collect();
    let payload = json!({ "message": "Many", "items": items, "long": "word ".repeat(1_000), "number": "12", "none": [] });
    let id = panel
        .feed("session.custom_notification", json!({ "source": "dock", "name": "many", "payload": payload }));
    let row = panel.row("custom", &id, "done").await;
    panel.toggle(&id);
    panel.wait(&format!(r#"[data-id="{id}"] .tree"#)).await;
    settle().await;
    assert!(text(&row).contains("items 1000 items"), "{}", text(&row));
    assert!(text(&row).contains("number \"12\"") && text(&row).contains("none []"));
    assert!(all(&row, "li").len() < 30, "nothing is made before it is asked for");
    press(&row, ".tree summary", "items");
    settle().await;
    let made = all(&row, "li").len();
    assert!((100..200).contains(&made), "a page at once: {made}");
    press(&row, ".tree button", "Show 100 more of 1000");
    settle().await;
    assert_eq!(all(&row, "li").len(), made + 100);
    press(&row, ".tree button", "Show all 5 KB");
    settle().await;
    assert_eq!(text(&row).matches("word ").count(), 1_000);
    press(&row, ".tree summary", "items");
    settle().await;
    assert!(all(&row, "li").len() < 30, "folded, it is taken away");
}

#[wasm_bindgen_test]
async fn a_diff_stands_side_by_side_on_the_whole_page_once_chosen() {
    let panel = Panel::new(&[]);
    let edit = |id: &str| json!({ "path": format!("/w/{id}"), "old_str": "let a = 1;\nb\n", "new_str": "let a = 2;\nb\nc\n" });
    let one = panel.call("one", "edit", edit("one"), json!({ "content": "changed" })).await;
    let two = panel.call("two", "edit", edit("two"), json!({ "content": "changed" })).await;
    let marks = |row: &Element| all(row, "mark").iter().map(text).collect::<Vec<_>>();
    assert_eq!(marks(&one), ["1", "2"], "words that changed are marked");
    assert!(text(&one).contains("+2") && text(&one).contains("−1"));
    press(&one, ".d-switch", "Side by side");
    panel.wait(r#"[data-id="two"] .changes[data-split] del.d-cell + ins.d-cell"#).await;
    let cells = all(&two, ".changes > *");
    let told: Vec<String> = cells.iter().map(text).collect();
    assert_eq!(told, ["−let a = 1;\n", "+let a = 2;\n", " b\n", " b\n", "", "+c\n"]);
    assert_eq!(marks(&two), ["1", "2"]);
    press(&two, ".d-switch", "Side by side");
    panel.wait(r#"[data-id="one"] .changes:not([data-split]) .d-run"#).await;
}

#[wasm_bindgen_test]
async fn a_shell_goes_on_in_the_background() {
    let panel = Panel::new(&[]);
    let arguments = json!({ "command": "make", "mode": "async", "shellId": "bg1", "description": "Build" });
    let started = json!({ "content": "<command started in background with shellId: bg1>" });
    let row = panel.call("shell", "bash", arguments, started).await;
    assert!(text(&row).contains("in the background"), "{}", text(&row));
    assert!(!text(&row).contains("<command"), "the runtime's words are for the model");
    let result = json!({ "content": "built\n<shellId: bg1 completed with exit code 2>" });
    panel.call("read", "read_bash", json!({ "shellId": "bg1" }), result).await;
    let later = panel.wait(r#"[data-id="shell"] .stack .terminal"#).await;
    assert_eq!(text(&later), "built");
    assert!(text(&row).contains("exit 2") && text(&row).contains("has ended"), "{}", text(&row));
}

#[wasm_bindgen_test]
async fn arguments_are_shown_while_they_are_written() {
    let panel = Panel::new(&[]);
    for delta in ["{\"path\": \"/w/new.rs\", \"file_te", "xt\": \"one\\ntw"] {
        let data = json!({ "toolCallId": "new", "toolName": "create", "inputDelta": delta });
        panel.feed("assistant.tool_call_delta", data);
    }
    let row = panel.row("tool", "new", "streaming").await;
    let written = panel.wait(r#"[data-id="new"] pre[aria-label="Arguments so far"]"#).await;
    assert!(text(&row).contains("Creating /w/new.rs"), "{}", text(&row));
    assert!(text(&written).contains("file_text:\none\ntw"), "{}", text(&written));
    let data = json!({ "toolCallId": "new", "toolName": "create", "inputDelta": "o\"}" });
    panel.feed("assistant.tool_call_delta", data);
    panel.until("more", || text(&written).ends_with("two\n").then_some(())).await;
    assert!(written.is_connected(), "the same element grows");
    let start = json!({ "toolCallId": "new", "toolName": "create", "arguments": { "path": "/w/new.rs", "file_text": "one\ntwo" } });
    panel.feed("tool.execution_start", start);
    panel.wait(r#"[data-id="new"] .diffbox ins"#).await;
    panel.gone(r#"[data-id="new"] pre[aria-label="Arguments so far"]"#).await;
}

#[wasm_bindgen_test]
async fn who_did_not_allow_a_call_is_said() {
    let panel = Panel::new(&[]);
    panel.shell("call", "rm -rf boats");
    panel.request_permission("ask");
    panel.feed(
        "permission.completed",
        json!({ "requestId": "ask", "toolCallId": "call", "result": { "kind": "denied-by-rules" } }),
    );
    let error = json!({ "message": "Permission denied", "code": "denied" });
    panel.feed("tool.execution_complete", json!({ "toolCallId": "call", "success": false, "error": error }));
    let row = panel.row("tool", "call", "denied").await;
    panel.toggle("call");
    let words = panel.wait(r#"[data-id="call"] .fail"#).await;
    assert!(text(&row).contains("Did not run"), "{}", text(&row));
    assert!(text(&words).contains("by a rule") && text(&words).contains("denied"), "{}", text(&words));
}
