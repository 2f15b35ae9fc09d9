//! Tests in a real browser of the views that change the DOM themselves: prose, terminal, diff.
#![allow(clippy::unwrap_used, reason = "a test may")]

use pilothouse::core::text::diff;
use pilothouse::ui::lazy::GrowingText;
use pilothouse::ui::message::markdown::Prose;
use pilothouse::ui::tools::diff_view;
use pilothouse::ui::tools::diff_view::{DiffLayout, Extent};
use pilothouse::ui::tools::terminal::TerminalView;
use wasm_bindgen::JsCast;
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::{Document, Element, HtmlElement, MutationObserver, MutationObserverInit, MutationRecord};

fn page() -> (Document, Element) {
    let document = web_sys::window().unwrap().document().unwrap();
    let host = document.create_element("div").unwrap();
    document.body().unwrap().append_child(&host).unwrap();
    (document, host)
}

/// Records the DOM mutations below an element.
struct Watch(MutationObserver);

impl Watch {
    fn over(host: &Element) -> Self {
        let observer = MutationObserver::new(&js_sys::Function::new_no_args("")).unwrap();
        let options = MutationObserverInit::new();
        options.set_subtree(true);
        options.set_child_list(true);
        options.set_character_data(true);
        options.set_attributes(true);
        observer.observe_with_options(host, &options).unwrap();
        Self(observer)
    }

    fn kinds(&self) -> Vec<String> {
        self.0.take_records().iter().map(|record| record.unchecked_into::<MutationRecord>().type_()).collect()
    }
}

#[wasm_bindgen_test]
fn an_append_touches_one_text_node() {
    let (document, host) = page();
    let mut prose = Prose::new(&document, &host);
    prose.update("# Head\n\nOne **two** three", false);
    let text = host.last_child().unwrap().last_child().unwrap();
    let watch = Watch::over(&host);
    prose.update("# Head\n\nOne **two** three four", false);
    assert_eq!(watch.kinds(), ["characterData"]);
    assert!(host.last_child().unwrap().last_child().unwrap().is_same_node(Some(&text)));
    assert_eq!(host.text_content().unwrap(), "HeadOne two three four");
    prose.append("# Head\n\nOne **two** three four\n");
    prose.update("# Head\n\nOne **two** three four\n", true);
    assert!(host.last_child().unwrap().last_child().unwrap().is_same_node(Some(&text)));
}

#[wasm_bindgen_test]
fn open_bold_keeps_its_nodes_when_it_closes() {
    let (document, host) = page();
    let mut prose = Prose::new(&document, &host);
    prose.update("a **bo", false);
    let strong = host.query_selector("strong").unwrap().unwrap();
    prose.update("a **bold** b", false);
    assert!(host.query_selector("strong").unwrap().unwrap().is_same_node(Some(&strong)));
    let paragraph = host.first_child().unwrap();
    assert_eq!(paragraph.child_nodes().length(), 3);
    assert_eq!(paragraph.text_content().unwrap(), "a bold b");
}

#[wasm_bindgen_test]
fn a_code_fence_streams_into_pieces() {
    let (document, host) = page();
    let mut prose = Prose::new(&document, &host);
    let mut text = String::from("Look:\n\n```rust\n");
    prose.append(&text);
    let watch = Watch::over(&host);
    for line in 0..400 {
        text.push_str(&format!("let number_{line} = {line};\n"));
        prose.append(&text);
    }
    let kinds = watch.kinds();
    assert!(kinds.len() <= 400, "{}", kinds.len());
    let code = host.query_selector("pre.code > code").unwrap().unwrap();
    let pieces = code.child_nodes().length();
    assert!((2..=4).contains(&pieces), "{pieces}");
    let first = code.first_child().unwrap();
    prose.append(&format!("{text}```\n\nDone"));
    prose.update(&format!("{text}```\n\nDone."), true);
    assert!(code.is_connected() && code.first_child().unwrap().is_same_node(Some(&first)));
    assert_eq!(code.text_content().unwrap(), text.split_once("rust\n").unwrap().1);
    assert_eq!(
        host.query_selector("pre").unwrap().unwrap().get_attribute("data-language").as_deref(),
        Some("rust")
    );
    assert_eq!(host.child_element_count(), 3);
}

#[wasm_bindgen_test]
fn a_selection_survives_streaming() {
    let (document, host) = page();
    let mut prose = Prose::new(&document, &host);
    prose.update("Some words to select", false);
    let text = host.first_child().unwrap().first_child().unwrap();
    let selection = web_sys::window().unwrap().get_selection().unwrap().unwrap();
    selection.set_base_and_extent(&text, 5, &text, 10).unwrap();
    prose.update("Some words to select and **more", false);
    prose.update("Some words to select and **more**\n\nNext", true);
    assert_eq!(String::from(selection.to_string()), "words");
}

#[wasm_bindgen_test]
fn links_are_safe_and_images_are_not_fetched() {
    let (document, host) = page();
    let mut prose = Prose::new(&document, &host);
    prose.update("[a](javascript:alert(1)) [b](https://u@evil.example/x) [c](src/lib.rs) ![d](https://img.example/p.png) <data:text/html,x>", true);
    let links = host.query_selector_all("a").unwrap();
    assert_eq!(links.length(), 1);
    let link: Element = links.item(0).unwrap().unchecked_into();
    assert_eq!(link.get_attribute("rel").as_deref(), Some("noopener noreferrer nofollow"));
    assert_eq!(link.get_attribute("target").as_deref(), Some("_blank"));
    assert_eq!(link.get_attribute("title").as_deref(), Some("evil.example"));
    assert!(host.query_selector("img, [src], [onclick], [style]").unwrap().is_none());
    assert!(host.query_selector("span.image[data-host='img.example']").unwrap().is_some());
}

#[wasm_bindgen_test]
fn nothing_is_rendered_as_html() {
    let (document, host) = page();
    let mut prose = Prose::new(&document, &host);
    let text = "<img src=x onerror=alert(1)>\n\na <b onclick=x>b</b> `<i>`\n\n```html\n<script>x</script>\n```\n\n| <u>a</u> |\n|---|\n";
    for (end, _) in text.char_indices() {
        prose.update(&text[..end], false);
    }
    prose.update(text, true);
    assert!(host.query_selector("img, b, i, u, script").unwrap().is_none());
    assert!(host.text_content().unwrap().contains("<img src=x onerror=alert(1)>"));
    let (document, host) = page();
    TerminalView::new(&document, &host).update("<b>x</b>");
    let _view = diff_view::render(
        &document,
        &host,
        &diff::between("<i>a</i>", "<u>b</u>"),
        DiffLayout::Unified,
        Extent::Beginning,
    );
    assert!(host.query_selector("b, i, u").unwrap().is_none());
}

#[wasm_bindgen_test]
fn every_way_to_stream_ends_in_the_same_page() {
    let text = "# T\n\n- a **b**\n- [x] c\n\n  ```sh\n  ls\n  ```\n\n> q\n\n| a | b |\n|--|:-:|\n| 1 | 2 |\n\nx[^1] [r] ~~s~~  \ny\n\n***\n\n[^1]: note\n\n[r]: https://r.example\n";
    let (document, at_once) = page();
    Prose::new(&document, &at_once).update(text, true);
    for step in [1, 2, 3, 7, 20] {
        let (document, host) = page();
        let mut prose = Prose::new(&document, &host);
        for end in (0..text.len()).step_by(step) {
            prose.append(&text[..end]);
        }
        prose.update(text, true);
        host.normalize();
        at_once.normalize();
        assert!(host.is_equal_node(Some(&at_once)), "steps of {step}");
    }
    assert!(at_once.query_selector("div.table[role=region][tabindex='0'] > table th").unwrap().is_some());
}

#[wasm_bindgen_test]
fn a_terminal_overwrites_and_appends() {
    let (document, host) = page();
    let mut view = TerminalView::new(&document, &host);
    view.update("Building\n10%");
    let screen = host.query_selector("pre.terminal").unwrap().unwrap();
    let text = screen.first_child().unwrap();
    let watch = Watch::over(&screen);
    view.update("Building\n10%\r20%\r\x1b[Kdone\n");
    assert_eq!(screen.text_content().unwrap(), "Building\ndone\n");
    assert!(screen.first_child().unwrap().is_same_node(Some(&text)));
    assert_eq!(watch.kinds(), ["characterData"]);
    view.update("Building\n10%\r20%\r\x1b[Kdone\n\x1b[1;32mok\x1b[0m \x1b[38;2;1;2;3mrgb");
    let span: HtmlElement = screen.query_selector("span.t-b.t-fg-2").unwrap().unwrap().unchecked_into();
    assert_eq!(span.text_content().as_deref(), Some("ok"));
    let rgb: HtmlElement = screen.query_selector("span.t-fg").unwrap().unwrap().unchecked_into();
    assert_eq!(rgb.style().get_property_value("--_t-fg").unwrap(), "rgb(1 2 3)");
    view.update("something else");
    assert_eq!(screen.text_content().unwrap(), "something else");
    assert_eq!(screen.child_nodes().length(), 1);
}

#[wasm_bindgen_test]
fn a_long_terminal_keeps_few_nodes_and_shows_all_when_asked() {
    let (document, host) = page();
    let mut view = TerminalView::new(&document, &host);
    let mut text = String::new();
    for line in 0..2_000 {
        text.push_str(&format!("\x1b[3{}mline {line}\x1b[0m\n", line % 8));
        if line % 50 == 0 {
            view.update(&text);
        }
    }
    view.update(&text);
    let screen = host.query_selector("pre.terminal").unwrap().unwrap();
    assert!(screen.child_element_count() <= 300, "{}", screen.child_element_count());
    assert!(screen.text_content().unwrap().ends_with("line 1998\nline 1999\n"));
    let button: HtmlElement = host.query_selector("button.t-earlier").unwrap().unwrap().unchecked_into();
    assert!(!button.has_attribute("hidden"));
    button.click();
    assert!(button.has_attribute("hidden"));
    let shown = screen.text_content().unwrap();
    assert_eq!(shown.lines().count(), 2_000);
    assert!(shown.starts_with("line 0\nline 1\n"));
}

#[wasm_bindgen_test]
fn a_terminal_keeps_its_line_breaks_wherever_its_output_is_cut() {
    for (before, after) in [("", "\n"), ("\n", "")] {
        let (document, host) = page();
        let mut view = TerminalView::new(&document, &host);
        let screen = host.query_selector("pre.terminal").unwrap().unwrap();
        let mut text = String::new();
        for line in 0..200 {
            text.push_str(&format!("{before}line {line}{after}"));
            view.update(&text);
            assert_eq!(screen.text_content().unwrap(), text);
        }
    }
}

#[wasm_bindgen_test]
fn a_terminal_that_erases_lines_shows_those_before_them() {
    let (document, host) = page();
    let mut view = TerminalView::new(&document, &host);
    let lines = |to: usize| (0..to).map(|line| format!("line {line}\n")).collect::<String>();
    let text = lines(600);
    view.update(&text);
    let screen = host.query_selector("pre.terminal").unwrap().unwrap();
    assert!(!screen.text_content().unwrap().contains("line 299\n"));
    let text = format!("{text}\x1b[300A\x1b[Jdone");
    view.update(&text);
    let shown = screen.text_content().unwrap();
    assert!(shown.ends_with("line 298\nline 299\ndone"));
    assert!(shown.lines().count() > 192 && lines(300).ends_with(shown.trim_end_matches("done")));
    let button: HtmlElement = host.query_selector("button.t-earlier").unwrap().unwrap().unchecked_into();
    button.click();
    assert_eq!(screen.text_content().unwrap(), format!("{}done", lines(300)));
}

#[wasm_bindgen_test]
fn a_diff_is_compact_and_folds() {
    let (document, host) = page();
    let _view = diff_view::render(
        &document,
        &host,
        &diff::between("a\nb\nc\n", "a\nB\nc\n"),
        DiffLayout::Unified,
        Extent::Beginning,
    );
    assert_eq!(host.query_selector("del").unwrap().unwrap().text_content().as_deref(), Some("−b\n"));
    assert_eq!(
        host.query_selector("ins").unwrap().unwrap().get_attribute("data-numbers").as_deref(),
        Some("2\n")
    );
    assert_eq!(host.child_element_count(), 4);
    let long: String = (0..1_000).map(|line| format!("line {line}\n")).collect();
    let _view = diff_view::render(
        &document,
        &host,
        &diff::between("", &long),
        DiffLayout::Unified,
        Extent::Beginning,
    );
    let lines = |host: &Element| host.text_content().unwrap().matches("+line").count();
    assert_eq!(lines(&host), 400);
    let button: HtmlElement = host.query_selector("button.d-more").unwrap().unwrap().unchecked_into();
    assert_eq!(button.text_content().as_deref(), Some("Show 600 more lines"));
    button.click();
    button.click();
    assert_eq!(lines(&host), 1_000);
    assert!(host.query_selector("button.d-more").unwrap().is_none());
}

#[wasm_bindgen_test]
fn leaves_let_go_of_their_listeners() {
    let (document, host) = page();
    let mut prose = Prose::new(&document, &host);
    prose.update("```\nx\n```\n", true);
    let button: HtmlElement = host.query_selector("button.copy").unwrap().unwrap().unchecked_into();
    drop(prose);
    let watch = Watch::over(&host);
    button.click();
    assert_eq!(watch.kinds(), Vec::<String>::new());
}
