//! Owns why an order (a request to the server that answers nothing it asked) came to nothing. Refuses how it is sent.

/// Not the runtime's: the link tries a token (`token`) and keeps it for the connections that follow.
pub const SIGN_IN_ORDER: &str = "pilothouse.signIn";

/// An order without a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// What happened, for people.
    pub words: String,
    /// The JSON-RPC error code, where the server refused it.
    pub code: Option<i64>,
    /// It may have been carried out all the same: nobody may send it again by themselves.
    pub uncertain: bool,
    /// There was no connection: nothing went out.
    pub unsent: bool,
}
