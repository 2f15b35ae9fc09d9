//! Tokens: what the context holds, and what a prompt used.

use pilothouse_core::json_writer::object;
use pilothouse_core::protocol::EventKind;
use serde_json::{Value, json};

use super::event::Out;
use super::known::Tokens;

/// The names of tokens here, and by which the agents give them.
const NAMES: [(&str, &[&str]); 5] = [
    ("inputTokens", &["inputTokens", "input_tokens"]),
    ("outputTokens", &["outputTokens", "output_tokens"]),
    ("cacheReadTokens", &["cachedReadTokens", "cachedInputTokens", "cached_input_tokens"]),
    ("cacheWriteTokens", &["cachedWriteTokens", "cacheWriteInputTokens"]),
    ("reasoningTokens", &["thoughtTokens", "reasoningOutputTokens"]),
];

/// What was used so far, as far as it has to be known.
#[derive(Debug, Default)]
pub struct Usage {
    /// The tokens of the session so far, if the agent tells only these.
    total: [u64; 5],
}

impl Usage {
    /// A session is new, or is loaded: the agent counts from here.
    pub fn begin(&mut self) {
        self.total = [0; 5];
    }

    /// Tells what a prompt used, from its response.
    pub fn prompt_ended(&mut self, response: &Value, tokens: Tokens, model: &str, out: &mut Out<'_>) {
        if tokens == Tokens::Quota {
            let by_model = response.pointer("/_meta/quota/model_usage").and_then(Value::as_array);
            for used in by_model.into_iter().flatten() {
                let model = used.get("model").and_then(Value::as_str).unwrap_or(model);
                tell(read(used.get("token_count").unwrap_or(&Value::Null)), model, out);
            }
            return;
        }
        if tokens == Tokens::LastCall {
            return;
        }
        let used = response.get("usage").filter(|usage| usage.is_object());
        let Some(mut used) = used.map(read) else { return };
        if tokens == Tokens::Session {
            let total = std::mem::replace(&mut self.total, used.map(Option::unwrap_or_default));
            for (used, before) in used.iter_mut().zip(total) {
                *used = used.map(|used| used.saturating_sub(before));
            }
        }
        tell(used, model, out);
    }

    /// Tells what the context holds. The cost has no field among the session events.
    pub fn context(update: &Value, out: &mut Out<'_>) {
        let number = |name: &str| update.get(name).and_then(Value::as_u64);
        let (Some(used), Some(size)) = (number("used"), number("size")) else {
            return out.leave_out("a usage update without its figures");
        };
        // Nothing is ever in a context: an agent that was stopped, or has asked no model since a load, does not know.
        if used == 0 {
            return out.leave_out("a context of which the agent does not know the size");
        }
        let cost = update.get("cost").filter(|cost| cost.is_object());
        let cost = cost.map(|cost| json!({ "amount": cost.get("amount"), "currency": cost.get("currency") }));
        let data = object([
            ("currentTokens", Some(used.into())),
            ("tokenLimit", Some(size.into())),
            ("messagesLength", Some(0.into())),
            ("agentCost", cost),
        ]);
        out.event(EventKind::SessionUsageInfo, data);
    }
}

fn read(from: &Value) -> [Option<u64>; 5] {
    NAMES.map(|(_, names)| names.iter().find_map(|name| from.get(*name)?.as_u64()))
}

fn tell(used: [Option<u64>; 5], model: &str, out: &mut Out<'_>) {
    if used.iter().flatten().all(|tokens| *tokens == 0) {
        return;
    }
    let mut data = json!({ "model": model });
    for ((name, _), tokens) in NAMES.iter().zip(used) {
        if let Some(tokens) = tokens {
            data[*name] = tokens.into();
        }
    }
    out.event(EventKind::AssistantUsage, data);
}
