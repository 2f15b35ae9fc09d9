//! What is known of a session without its events.

/// What is known of a session before its first event is played, or while it is only stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// Its title.
    pub title: Option<String>,
    /// The model at the start.
    pub model: Option<String>,
    /// The working directory.
    pub cwd: Option<String>,
    /// The repository there.
    pub repository: Option<String>,
    /// Its branch.
    pub branch: Option<String>,
    /// When the session began.
    pub start_time: Option<String>,
    /// When it changed last.
    pub modified: Option<String>,
}
