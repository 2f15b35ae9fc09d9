//! The control characters of a compiled message: `src/core/build/words.rs` writes them, `core/i18n.rs` reads them.

/// A value's name follows.
pub(crate) const VALUE: char = '\u{1}';
/// The end of a value's name, or of a choice.
pub(crate) const END: char = '\u{2}';
/// The name of the value that a choice depends on follows, then the cases.
pub(crate) const CHOICE: char = '\u{3}';
/// A case's key follows.
pub(crate) const CASE: char = '\u{4}';
/// The text of the case follows.
pub(crate) const MEANS: char = '\u{5}';
/// A line break.
pub(crate) const LINE: char = '\u{6}';
/// The end of a value's name within a case, where [`END`] would end the choice.
pub(crate) const END_IN_CASE: char = '\u{7}';
