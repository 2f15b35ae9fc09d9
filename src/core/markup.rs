//! What the page shows of a session, as HTML that stands without a script: the rows, cards and bars of the page from the same view
//! models and in the same markup, with nothing in them that acts. The first screen and exported documents are made of it.

mod bar;
pub mod board;
mod cards;
mod composer;
pub mod element;
mod fold;
mod prose;
pub mod rows;
pub mod screen;
mod tools;
