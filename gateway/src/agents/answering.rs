//! Only one answer to a request is on its way to an agent at a time.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The requests of one session to which an answer is on its way.
#[derive(Clone, Debug, Default)]
pub struct Answering(Arc<Mutex<HashSet<String>>>);

/// An answer that is on its way. Dropping it lets another one begin.
#[derive(Debug)]
pub struct AnswerPermit {
    answering: Answering,
    request_id: String,
}

impl Answering {
    /// Begins an answer to this request; none while another one is on its way.
    pub fn begin(&self, request_id: &str) -> Option<AnswerPermit> {
        let free = self.requests().insert(request_id.to_owned());
        free.then(|| AnswerPermit { answering: self.clone(), request_id: request_id.to_owned() })
    }

    fn requests(&self) -> MutexGuard<'_, HashSet<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for AnswerPermit {
    fn drop(&mut self) {
        self.answering.requests().remove(&self.request_id);
    }
}

#[cfg(test)]
mod tests {
    use super::Answering;

    #[test]
    fn one_answer_to_a_request_is_on_its_way() {
        let answering = Answering::default();
        let first = answering.begin("a");
        assert!(first.is_some());
        assert!(answering.begin("a").is_none());
        assert!(answering.begin("b").is_some(), "another request is another matter");
        drop(first);
        assert!(answering.begin("a").is_some());
    }
}
