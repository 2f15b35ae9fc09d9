//! What shows that somebody is back at the page, and whether the page or the machine may have slept meanwhile.

/// Whoever hides a page for this long, in milliseconds, may find its connections dead: browsers and phones freeze pages.
const HIDDEN_MS: u64 = 30_000;
/// A timer of a visible page that fires this much too late, in milliseconds, means that the machine has slept.
const LATE_MS: u64 = 10_000;

/// A sign that somebody is back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wake {
    /// The window has the focus.
    Focused,
    /// The page is visible again.
    Shown {
        /// How long it was hidden, in milliseconds.
        hidden_ms: u64,
    },
    /// The page is back from the browser's cache of pages.
    Restored,
    /// The page was frozen.
    Thawed,
    /// The device is online again, perhaps in another network.
    Online,
    /// A timer of a visible page has fired.
    Timer {
        /// So many milliseconds too late.
        late_ms: u64,
    },
}

impl Wake {
    /// Whether connections may have died without a word. Each is then asked for a sign of life, or opened anew.
    pub fn slept(self) -> bool {
        match self {
            Self::Focused => false,
            Self::Shown { hidden_ms } => hidden_ms >= HIDDEN_MS,
            Self::Restored | Self::Thawed | Self::Online => true,
            Self::Timer { late_ms } => late_ms >= LATE_MS,
        }
    }

    /// Whether somebody looks at the page who did not before, so that the answer must not be long in coming.
    pub fn is_return(self) -> bool {
        self.slept() || matches!(self, Self::Shown { .. })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_slept_when_something_shows_it() {
        let long = Wake::Shown { hidden_ms: HIDDEN_MS };
        for wake in [long, Wake::Restored, Wake::Thawed, Wake::Online, Wake::Timer { late_ms: LATE_MS }] {
            assert!(wake.slept() && wake.is_return(), "{wake:?}");
        }
        for wake in [Wake::Focused, Wake::Timer { late_ms: 900 }] {
            assert!(!wake.slept() && !wake.is_return(), "{wake:?}");
        }
        let glance = Wake::Shown { hidden_ms: 2_000 };
        assert!(!glance.slept() && glance.is_return());
    }
}
