//! The catalogue's rows for the choice of model and for the calls to it.

use super::EventType;

pub(super) const MODEL: &[EventType] = rows! { Model:
    "session.model_change" Persisted No Timeline,
        "newModel, previousModel?, reasoningEffort?, source?",
        "a milestone, and the header's model (schema)";
    "session.auto_mode_resolved" Persisted No Status,
        "chosenModel, candidateModels?, fallback?, fallbackReason?",
        "the model behind 'auto', for the header (schema)";
    "auto_mode_switch.requested" Ephemeral No Request,
        "requestId, errorCode?, retryAfterSeconds?",
        "the model is out of reach: may another one answer? (schema)";
    "auto_mode_switch.completed" Ephemeral No Timeline,
        "requestId, response",
        "closes the card everywhere and leaves the decision as its trace; without `response` nobody \
         knows it (schema, wire 23)";
    "session.auto_tier_recommendation" Ephemeral No Tray,
        "recommendedAutoTier",
        "advice that nobody has to follow (schema)";
    "session.auto_tier_switch_failed" Ephemeral No Timeline,
        "requestedAutoTier, effectiveAutoTier?, reason",
        "a choice that a person made did not take effect (schema)";
    "model.call_start" Ephemeral No Nowhere,
        "turnId, model?",
        "telemetry; assistant.turn_start says the same to people (schema)";
    "model.call_finished" Ephemeral No Nowhere,
        "turnId, outcome, dispatchDurationMs",
        "telemetry (schema)";
    "model.call_failure" Ephemeral No Tray,
        "model?, errorMessage?, statusCode?, failureKind?",
        "one attempt, a quiet warning; what does not heal comes as session.error (schema, recording \
         errors-and-retries)";
    "prompt_cache_break" Ephemeral No Tray,
        "primaryReason, contributingReasons, shortfallTokens, retentionRatio",
        "why a call read more than it had to: one line, counted; 200 of them in one recording (schema)";
};
