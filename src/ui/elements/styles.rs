//! The style sheet that all elements on the page share; chunks add their rules to it.

use std::cell::RefCell;

use web_sys::{CssStyleSheet, ShadowRoot};

use crate::core::styles as sheets;

/// Rules and their place in the sheet; later rules win over earlier ones.
pub type Rules = (u8, &'static str);

/// Rules that are needed from the start.
const FIRST: [Rules; 5] = [
    (0, sheets::TOKENS),
    (1, sheets::CONTROLS),
    (2, sheets::TIMELINE),
    (9, sheets::PAGE),
    (10, sheets::SIDE_VIEWS),
];

/// The rules of what every view contains. Whichever chunk comes first brings them.
pub const CONTENTS: Rules = (3, sheets::CONTENTS);

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
            // Fails only for sheets that were not made by a constructor.
            let _ = sheet.replace_sync(&text);
        }
    }
}

/// Adds the rules of a chunk, for all elements at once. Rules that are already there are skipped.
pub fn add(rules: &[Rules]) {
    SHEET.with_borrow_mut(|sheet| sheet.add(rules));
}

/// Applies the sheet to an element's shadow root.
pub fn adopt(root: &ShadowRoot) {
    let sheet = SHEET.with_borrow_mut(|sheet| {
        // A chunk may have come before the first element.
        sheet.add(&FIRST);
        sheet.sheet.clone()
    });
    if let Some(sheet) = sheet {
        let name = "adoptedStyleSheets".into();
        // This property of a shadow root is there, and setting it does not fail.
        let known = js_sys::Reflect::get(root, &name).map(|known| js_sys::Array::from(&known));
        let known = known.unwrap_or_default();
        if !known.includes(&sheet, 0) {
            // The rules of a first screen that came with the page stay the last ones.
            known.unshift(&sheet);
            let _ = js_sys::Reflect::set(root, &name, &known);
        }
    }
}
