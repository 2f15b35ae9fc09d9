//! Tokens and cost, added up over model calls. Refuses prices: cost is the runtime's own figure.

use super::fields::Fields;

/// What the session used so far.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Usage {
    /// Tokens sent to models.
    pub input_tokens: i64,
    /// Tokens models produced.
    pub output_tokens: i64,
    /// Tokens read from prompt caches, part of the input.
    pub cache_read_tokens: i64,
    /// Cost in the runtime's unit (premium request multipliers).
    pub cost: f64,
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
}

impl Usage {
    /// Adds one `assistant.usage`.
    pub fn add_call(&mut self, data: &mut Fields) {
        let add = |sum: &mut i64, figure: Option<i64>| *sum = sum.saturating_add(figure.unwrap_or(0));
        add(&mut self.input_tokens, data.integer("inputTokens"));
        add(&mut self.output_tokens, data.integer("outputTokens"));
        add(&mut self.cache_read_tokens, data.integer("cacheReadTokens"));
        self.cost += data.number("cost").unwrap_or(0.0);
    }

    /// Takes the newest figures of the context window, whichever of them an event carries.
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
