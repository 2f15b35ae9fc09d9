//! The notices by which the gateway tells what became of a queued command that it runs: the kinds of its `session.info`
//! and `session.warning`. Each has the request's `requestId` and the `command`.

/// The command's turn has come, and the gateway runs it. Nobody else has to.
pub const STARTED: &str = "command_started";

/// The gateway can't say whether it ran. Somebody has to say whether it was handled.
pub const UNSURE: &str = "command_unsure";

/// What the command answered.
pub const OUTPUT: &str = "command_output";

/// The command could not be run. `why` has the reason.
pub const FAILED: &str = "command_failed";
