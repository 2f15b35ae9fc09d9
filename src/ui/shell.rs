//! What surrounds the views of one session: the frame, header, toolbar, side views, shortcuts, sign-in.

pub mod app;
pub mod clock;
pub mod close_gesture;
pub mod health;
pub mod keyboard;
pub mod locale;
pub mod side_views;
pub mod sign_in;
pub mod states;
pub mod status_bar;
pub mod toolbar;
pub mod watchers;
