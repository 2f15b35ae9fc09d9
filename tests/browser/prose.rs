//! Tests of what a reader can press in a text (wrapping, images, footnotes), and of the direction of its
//! words.
#![allow(clippy::unwrap_used, reason = "a test may")]

use pilothouse::ui::lazy::GrowingText;
use pilothouse::ui::message::markdown::Prose;
use wasm_bindgen::JsCast;
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::{Document, Element, HtmlElement};

const DOT: &str = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";

fn page() -> (Document, Element) {
    let document = web_sys::window().unwrap().document().unwrap();
    let host = document.create_element("div").unwrap();
    document.body().unwrap().append_child(&host).unwrap();
    (document, host)
}

fn all(host: &Element, selector: &str) -> Vec<HtmlElement> {
    let found = host.query_selector_all(selector).unwrap();
    (0..found.length()).map(|index| found.item(index).unwrap().unchecked_into()).collect()
}

#[wasm_bindgen_test]
fn wrapping_is_one_choice_for_the_page() {
    let (document, host) = page();
    let mut prose = Prose::new(&document, &host);
    prose.update("```\none\n```\n\n- a\n\n  ```sh\n  two\n  ```\n", true);
    let pressed = |host: &Element| -> Vec<String> {
        all(host, "button.wrap").iter().map(|wrap| wrap.get_attribute("aria-pressed").unwrap()).collect()
    };
    assert_eq!(pressed(&host), ["false", "false"]);
    all(&host, "button.wrap")[1].click();
    assert_eq!(pressed(&host), ["true", "true"]);
    let (document, other) = page();
    let mut later = Prose::new(&document, &other);
    later.update("```\nthree\n```\n", true);
    assert_eq!(pressed(&other), ["true"], "code that comes later");
    all(&other, "button.wrap")[0].click();
    assert_eq!(pressed(&host), ["false", "false"]);
}

#[wasm_bindgen_test]
async fn an_image_comes_when_it_is_asked_for() {
    let (document, host) = page();
    let mut prose = Prose::new(&document, &host);
    let text = format!(
        "![A dot]({DOT})\n\n[![badge]({DOT})](https://ci.example)\n\n![chart](http://127.0.0.1:9/x.png) ![](images/local.png) ![bad](data:image/svg+xml,x)"
    );
    prose.update(&text, true);
    assert!(all(&host, "img, [src]").is_empty());
    let words: Vec<String> = all(&host, ".image").iter().map(|image| image.text_content().unwrap()).collect();
    assert_eq!(
        words,
        ["Image: A dotShow", "Image: badgeShow", "Image: chartLoad from 127.0.0.1", "Image", "Image: bad"]
    );
    let followed = std::rc::Rc::new(std::cell::Cell::new(false));
    let seen = std::rc::Rc::clone(&followed);
    let listener = gloo_events::EventListener::new(&host, "click", move |event| {
        seen.set(!event.default_prevented());
    });
    all(&host, "button.load")[1].click();
    assert!(!followed.get(), "the link around a badge is not followed");
    drop(listener);
    let image = &all(&host, "a .image > img")[0];
    assert_eq!(image.get_attribute("alt").as_deref(), Some("badge"));
    assert_eq!(image.get_attribute("referrerpolicy").as_deref(), Some("no-referrer"));
    assert_eq!(all(&host, "img").len(), 1);

    all(&host, "button.load")[1].click();
    let chart = host.query_selector("[data-alt=chart]").unwrap().unwrap();
    while chart.query_selector("img").unwrap().is_some() {
        gloo_timers::future::TimeoutFuture::new(5).await;
    }
    assert_eq!(chart.text_content().unwrap(), "Image: chartLoad from 127.0.0.1It did not load.");

    // A row that is rendered again shows the images that were asked for.
    let (document, again) = page();
    Prose::new(&document, &again).update(&text, true);
    assert_eq!(all(&again, "img").len(), 2, "the same address twice");
    assert!(again.query_selector("[data-alt=chart] > button").unwrap().is_some());
}

#[wasm_bindgen_test]
fn a_footnote_is_reached_and_left() {
    let (document, host) = page();
    let mut prose = Prose::new(&document, &host);
    prose.update("One[^a] and[^b].\n\n[^a]: Note **a**.\n\n[^b]: Note b.\n\n    More.\n", true);
    let focused = || document.active_element().unwrap();
    all(&host, "button.reference")[1].click();
    assert_eq!(focused().get_attribute("data-label").as_deref(), Some("b"));
    assert!(focused().text_content().unwrap().starts_with("Note b."));
    all(&host, "button.back")[1].click();
    assert_eq!(focused().get_attribute("aria-label").as_deref(), Some("Footnote b"));
    assert_eq!(all(&host, ".footnote").len(), 2);
}

#[wasm_bindgen_test]
fn each_block_has_the_direction_of_its_words() {
    let (document, host) = page();
    let mut prose = Prose::new(&document, &host);
    let text = "> مرحبا\n\n- `ls` عنصر\n\nEnglish\n\n| اسم |\n|---|\n| a |\n\n```\nx\n```\n\n$$\nx\n$$\n";
    for (end, _) in text.char_indices() {
        prose.append(&text[..end]);
    }
    prose.update(text, true);
    let direction = |selector: &str| {
        let element = host.query_selector(selector).unwrap().unwrap();
        if element.matches(":dir(rtl)").unwrap() { "rtl" } else { "ltr" }
    };
    assert_eq!(direction("blockquote"), "rtl");
    assert_eq!(direction("blockquote > p"), "rtl");
    assert_eq!(direction("ul"), "rtl", "code at the start does not decide");
    assert_eq!(direction("p[dir]"), "ltr");
    assert_eq!(direction("div.table"), "rtl");
    assert_eq!(direction("pre"), "ltr");
    assert_eq!(direction(".math"), "ltr");
}

#[wasm_bindgen_test]
fn a_formula_is_its_source_until_it_is_drawn() {
    let (document, host) = page();
    let mut prose = Prose::new(&document, &host);
    prose.update("$$\n\\frac{a", false);
    let math = host.query_selector(".math.display").unwrap().unwrap();
    prose.update("$$\n\\frac{a}{b}\n$$\n\nand $x_1 * y_2$ for $5 *or* $6", false);
    assert!(math.is_connected());
    assert_eq!(math.text_content().unwrap(), "\\frac{a}{b}");
    assert_eq!(all(&host, "em").len(), 1);
    assert_eq!(
        host.query_selector(".math:not(.display)").unwrap().unwrap().text_content().unwrap(),
        "x_1 * y_2"
    );
    // What an extra has drawn is rendered anew when its source changes.
    math.set_attribute("data-drawn", "formula").unwrap();
    math.set_text_content(Some("drawn"));
    prose.update("$$\n\\frac{a}{c}\n$$\n", true);
    assert_eq!(host.text_content().unwrap(), "\\frac{a}{c}");
}
