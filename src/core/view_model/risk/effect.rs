//! What a command may do harm with, and the words for it.

use crate::i18n::Word;
use crate::i18n::words::danger as words;

macro_rules! effects {
    ($($(#[doc = $doc:literal])+ $name:ident $grave:literal $word:ident,)*) => {
        /// What a command does.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Effect {
            $($(#[doc = $doc])+ $name,)*
        }

        impl Effect {
            /// It may do harm that can't be undone, or give something away. Others only deserve a look.
            pub const fn is_grave(self) -> bool {
                match self {
                    $(Self::$name => $grave,)*
                }
            }

            /// The text of the warning; `$what` is what it is about.
            pub(super) const fn word(self) -> Word {
                match self {
                    $(Self::$name => words::$word,)*
                }
            }
        }
    };
}

effects! {
    /// Runs what it fetches from the network.
    FetchAndRun true FETCH_AND_RUN,
    /// Decodes something and runs it.
    DecodeAndRun true DECODE_AND_RUN,
    /// Runs what another command prints.
    PipeToShell true PIPE_TO_SHELL,
    /// Runs with more rights.
    Elevated true ELEVATED,
    /// Deletes outside of the project.
    DeletesOutside true DELETES_OUTSIDE,
    /// Deletes the whole project or its history.
    DeletesAll true DELETES_ALL,
    /// Deletes what is known only when it runs.
    DeletesUnknown false DELETES_UNKNOWN,
    /// Deletes what a service keeps: a database, a volume, a cluster, a cloud.
    DeletesData true DELETES_DATA,
    /// Is a tool whose name says that it deletes.
    DeletesByName true DELETES_BY_NAME,
    /// Stops the machine or all programs on it.
    StopsAll true STOPS_ALL,
    /// Writes over a whole disk.
    Disk true DISK,
    /// Changes something that runs by itself later.
    RunsLater true RUNS_LATER,
    /// Changes settings of the account or of the system.
    Settings true OUTSIDE_SETTINGS,
    /// Writes outside of the project.
    WritesOutside false WRITES_OUTSIDE,
    /// Is outside of the project.
    Outside false OUTSIDE,
    /// May hold passwords or keys.
    Secrets true SECRETS,
    /// Overwrites or deletes on the server.
    ForcePush true FORCE_PUSH,
    /// Throws away work.
    Discards true DISCARDS,
    /// Runs text as code.
    Eval true EVAL,
    /// Connects a shell to the network.
    NetworkShell true NETWORK_SHELL,
    /// Can be reached from the network.
    Listens false LISTENS,
    /// Sends files to another machine.
    Sends true SENDS_FILES,
    /// Gives everybody rights.
    OpenToAll true OPEN_TO_ALL,
    /// Installs or runs packages.
    Installs false INSTALLS,
    /// A part that could not be read.
    Unread false UNREAD,
}
