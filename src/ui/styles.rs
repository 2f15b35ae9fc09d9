//! The style sheet of every element on the page: one, shared, that grows with the chunks. Refuses inline styles.

use std::cell::RefCell;

use web_sys::{CssStyleSheet, ShadowRoot};

/// Rules and their place among all: later ones win where both say something.
pub type Rules = (u8, &'static str);

/// A style sheet in `www`, as `build/styles.rs` leaves it.
macro_rules! sheet {
    ($name:literal) => {
        include_str!(concat!(env!("OUT_DIR"), "/", $name, ".css"))
    };
}
pub(super) use sheet;

/// What is there from the start.
const FIRST: [Rules; 5] = [
    (0, sheet!("tokens")),
    (1, sheet!("controls")),
    (2, sheet!("timeline")),
    (9, sheet!("chrome")),
    (10, sheet!("desk")),
];

thread_local! {
    static SHEET: RefCell<Sheet> = const { RefCell::new(Sheet { rules: Vec::new(), sheet: None }) };
}

struct Sheet {
    rules: Vec<Rules>,
    sheet: Option<CssStyleSheet>,
}

impl Sheet {
    fn add(&mut self, rules: &[Rules]) {
        let before = self.rules.len();
        for rules in rules {
            if !self.rules.iter().any(|(place, _)| *place == rules.0) {
                self.rules.push(*rules);
            }
        }
        if self.rules.len() == before {
            return;
        }
        self.rules.sort_by_key(|(place, _)| *place);
        let text: String = self.rules.iter().map(|(_, text)| *text).collect();
        if self.sheet.is_none() {
            self.sheet = CssStyleSheet::new().ok();
        }
        if let Some(sheet) = &self.sheet {
            // Fails for sheets that were not made here.
            let _ = sheet.replace_sync(&text);
        }
    }
}

/// Adds the rules of a chunk, for every element at once. Rules that are there already are left alone.
pub fn add(rules: &[Rules]) {
    SHEET.with_borrow_mut(|sheet| sheet.add(rules));
}

/// Gives the sheet to an element.
pub fn adopt(root: &ShadowRoot) {
    let sheet = SHEET.with_borrow_mut(|sheet| {
        if sheet.sheet.is_none() {
            sheet.add(&FIRST);
        }
        sheet.sheet.clone()
    });
    if let Some(sheet) = sheet {
        // An object of the platform's own: setting a property of a shadow root can't fail.
        let _ = js_sys::Reflect::set(root, &"adoptedStyleSheets".into(), &js_sys::Array::of1(&sheet));
    }
}
