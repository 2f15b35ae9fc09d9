//! Tokens and cost of the model calls, in total and by agent and model. All figures are the runtime's own.

use crate::wire::fields::Fields;

/// What the session used so far.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Usage {
    /// Tokens sent to models.
    pub input_tokens: i64,
    /// Tokens that models produced.
    pub output_tokens: i64,
    /// Tokens read from prompt caches, part of the input.
    pub cache_read_tokens: i64,
    /// Tokens written to prompt caches, part of the input.
    pub cache_write_tokens: i64,
    /// Reasoning tokens, part of the output.
    pub reasoning_tokens: i64,
    /// Sum of the model calls' durations, in milliseconds.
    pub model_time: i64,
    /// Sum of the calls' `cost`, which is the multiplier of the call's model, billed or not.
    pub cost: f64,
    /// Premium requests: the total at the runtime's last checkpoint, plus the billed calls since.
    pub premium_requests: f64,
    /// Billionths of an AI credit, counted by the same rule.
    pub nano_credits: f64,
    /// Tokens in the context window now.
    pub context_tokens: Option<i64>,
    /// Size of the context window.
    pub context_limit: Option<i64>,
    /// Of the context: system prompt.
    pub system_tokens: Option<i64>,
    /// Of the context: tool definitions.
    pub tool_tokens: Option<i64>,
    /// Of the context: the conversation.
    pub conversation_tokens: Option<i64>,
    /// The figures are what the agent reports for each prompt, however many calls of the model it has made.
    pub by_prompt: bool,
    /// The same sums by agent and model, in the order of their first calls.
    pub shares: Vec<Share>,
    /// What the account has left, one item per quota.
    pub quotas: Vec<Quota>,
    /// How many tools the main agent's last call offered to its model.
    pub tools_offered: Option<i64>,
}

/// What one agent used of one model.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Share {
    /// The `task` call that started the agent; none for the main one.
    pub agent: Option<String>,
    /// The model.
    pub model: String,
    /// Number of calls; 0 if nobody knows.
    pub calls: i64,
    /// Tokens sent.
    pub input: i64,
    /// Tokens produced.
    pub output: i64,
    /// Tokens read from the cache, part of those sent.
    pub cached: i64,
}

/// A quota of the account.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Quota {
    /// The runtime's name for it: `premium_interactions`, `chat`, …
    pub name: String,
    /// There is no limit.
    pub unlimited: bool,
    /// Used so far.
    pub used: i64,
    /// Granted for the period.
    pub granted: i64,
    /// Per cent left.
    pub left: f64,
    /// When it is reset, as an ISO timestamp.
    pub resets: Option<String>,
}

impl Usage {
    /// Adds one `assistant.usage` event. How many calls one of a whole prompt stands for is not known.
    pub fn add_call(&mut self, data: &mut Fields) {
        let figure = |data: &mut Fields, name| data.integer(name).unwrap_or(0);
        let (input, output) = (figure(data, "inputTokens"), figure(data, "outputTokens"));
        let cached = figure(data, "cacheReadTokens");
        let cost = data.number("cost").unwrap_or(0.0);
        self.input_tokens = self.input_tokens.saturating_add(input);
        self.output_tokens = self.output_tokens.saturating_add(output);
        self.cache_read_tokens = self.cache_read_tokens.saturating_add(cached);
        self.cost += cost;
        for (sum, name) in [
            (&mut self.cache_write_tokens, "cacheWriteTokens"),
            (&mut self.reasoning_tokens, "reasoningTokens"),
            (&mut self.model_time, "duration"),
        ] {
            *sum = sum.saturating_add(data.integer(name).unwrap_or(0));
        }
        // The runtime bills only the calls that a person caused.
        if data.non_empty_text("initiator").is_none_or(|initiator| initiator == "user") {
            self.premium_requests += cost;
        }
        self.nano_credits += data.object("copilotUsage").number("totalNanoAiu").unwrap_or(0.0);

        let agent = data.non_empty_text("parentToolCallId");
        if agent.is_none() {
            self.tools_offered = data.integer("availableToolCount").or(self.tools_offered);
        }
        let is_call = !self.by_prompt;
        let share = self.share(agent, data.text("model").unwrap_or_default());
        if let Some(share) = share {
            share.calls += i64::from(is_call);
            share.input = share.input.saturating_add(input);
            share.output = share.output.saturating_add(output);
            share.cached = share.cached.saturating_add(cached);
        }
        let quotas = data.object("quotaSnapshots");
        if let serde_json::Value::Object(quotas) = quotas.rest()
            && !quotas.is_empty()
        {
            self.quotas = quotas.into_iter().map(|(name, data)| quota(name, Fields::of(data))).collect();
        }
    }

    /// Takes the runtime's totals since the session began. They include the calls of earlier processes, for
    /// which histories keep no `assistant.usage`. A rewind resets the totals of a session's end (`at_end`),
    /// so these count only if they are larger.
    pub fn take_totals(&mut self, data: &mut Fields, at_end: bool) {
        let mut take = |slot: &mut f64, name| {
            if let Some(total) = data.number(name).filter(|total| total.is_finite() && *total >= 0.0) {
                *slot = if at_end { slot.max(total) } else { total };
            }
        };
        take(&mut self.premium_requests, "totalPremiumRequests");
        take(&mut self.nano_credits, "totalNanoAiu");
    }

    fn share(&mut self, agent: Option<String>, model: String) -> Option<&mut Share> {
        let known = self.shares.iter().position(|share| share.agent == agent && share.model == model);
        let place = known.unwrap_or_else(|| {
            self.shares.push(Share { agent, model, ..Share::default() });
            self.shares.len() - 1
        });
        self.shares.get_mut(place)
    }

    /// Updates those figures of the context window that an event carries.
    pub fn set_context(&mut self, data: &mut Fields) {
        let mut set = |slot: &mut Option<i64>, name| {
            if let Some(value) = data.integer(name) {
                *slot = Some(value);
            }
        };
        set(&mut self.context_tokens, "currentTokens");
        set(&mut self.context_limit, "tokenLimit");
        set(&mut self.system_tokens, "systemTokens");
        set(&mut self.tool_tokens, "toolDefinitionsTokens");
        set(&mut self.conversation_tokens, "conversationTokens");
    }
}

fn quota(name: String, mut data: Fields) -> Quota {
    Quota {
        name,
        unlimited: data.flag("isUnlimitedEntitlement").unwrap_or(false),
        used: data.integer("usedRequests").unwrap_or(0),
        granted: data.integer("entitlementRequests").unwrap_or(0),
        left: data.number("remainingPercentage").unwrap_or(0.0),
        resets: data.non_empty_text("resetDate"),
    }
}
