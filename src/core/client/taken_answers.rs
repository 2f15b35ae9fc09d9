//! Answers that the server has taken and no event has confirmed yet: the tab keeps them, so that after a reload nobody is
//! asked again.

use serde_json::{Value, json};

use super::page::{SessionKey, TakenAnswers};
use super::{Client, Effect, With};
use crate::Session;
use crate::json_writer::one_line;
use crate::model::request::{Ending, RequestStage};

impl TakenAnswers {
    fn get(&self, request: &str) -> Option<Ending> {
        let known = self.answers.get(request)?;
        let text = |at: usize| known.get(at).and_then(Value::as_str);
        Some(Ending::new(text(0)?, text(1)?).with_reply(text(2)))
    }

    fn insert(&mut self, request: &str, answer: &Ending) {
        let reply = answer.reply.as_ref().map(|reply| reply.words());
        // The words are those of the language in which the answer was given.
        self.answers.insert(request.to_owned(), json!([answer.word, answer.outcome.words(), reply]));
    }

    /// What the tab keeps, and under which name.
    fn stored(&self) -> Effect {
        let text = (!self.answers.is_empty()).then(|| one_line(&Value::Object(self.answers.clone())));
        Effect::Keep(name(&self.key), text)
    }
}

/// Servers may have sessions of the same id.
fn name(key: &SessionKey) -> String {
    ["taken.", key.server.as_deref().unwrap_or_default(), ".", &key.session].concat()
}

impl Client {
    /// Asks the tab once what it kept of this session.
    pub(super) fn recall_answers(&mut self, with: &mut With<'_>) {
        let key = &self.me.key;
        if key.server.is_some() && !key.session.is_empty() && with.page.taken(key).is_none() {
            self.effects.push(Effect::Recall(name(key)));
            with.page.know_taken(key.clone());
        }
    }

    /// The tab has said what it kept.
    pub(super) fn answers_recalled(&mut self, stored: Option<&str>, with: &mut With<'_>) {
        let answers = stored.and_then(|stored| serde_json::from_str::<Value>(stored).ok());
        if let (Some(Value::Object(answers)), Some(taken)) = (answers, with.page.taken(&self.me.key)) {
            taken.answers = answers;
            for request in Self::open(with.session, &|request| request.stage == RequestStage::Waiting) {
                self.adopt_taken(&request, with);
            }
        }
    }

    /// Keeps an answer that the server has taken.
    pub(super) fn keep_taken(&mut self, request: &str, with: &mut With<'_>) {
        if let (Some(RequestStage::Taken(answer)), Some(taken)) =
            (Self::life(with.session, request), with.page.taken(&self.me.key))
        {
            taken.insert(request, &answer);
            self.effects.push(taken.stored());
        }
    }

    /// Shows an answer that was taken before the page was loaded again.
    pub(super) fn adopt_taken(&mut self, request: &str, with: &mut With<'_>) {
        let Some(answer) = with.page.taken(&self.me.key).and_then(|taken| taken.get(request)) else { return };
        with.session.answer_sending(request, answer);
        with.session.answer_taken(request);
        self.look_into_later();
    }

    /// Forgets the answers to these requests.
    pub(super) fn forget_taken(&mut self, over: &dyn Fn(&Session, &str) -> bool, with: &mut With<'_>) {
        let Some(taken) = with.page.taken(&self.me.key) else { return };
        let before = taken.answers.len();
        taken.answers.retain(|request, _| !over(with.session, request));
        if taken.answers.len() < before {
            self.effects.push(taken.stored());
        }
    }
}
