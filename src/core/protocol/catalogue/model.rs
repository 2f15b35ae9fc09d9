//! The catalogue's rows for the choice of model and for the calls to it.

use super::EventType;

pub(super) const MODEL: &[EventType] = rows! { Model:
    SessionModelChange Persisted No Timeline,
        "newModel, previousModel?, reasoningEffort?, source?",
        "a milestone, unless the session begins with it, and the header's model (schema)";
    SessionModelDeselected Persisted No Timeline,
        "previousModel, reason",
        "the model that a person chose is no longer offered: a milestone that says why, and the header shows it no \
         longer (schema)";
    SessionAutoModeResolved Persisted No Status,
        "chosenModel, candidateModels?, fallback?, fallbackReason?",
        "the model behind 'auto', for the header (schema)";
    AutoModeSwitchRequested Ephemeral No Request,
        "requestId, errorCode?, retryAfterSeconds?",
        "the model is out of reach: may another one answer? (schema)";
    AutoModeSwitchCompleted Ephemeral No Timeline,
        "requestId, response",
        "closes the card everywhere and leaves the decision as its trace; without `response` nobody \
         knows it (schema, wire 23)";
    SessionAutoTierRecommendation Ephemeral No Notifications,
        "recommendedAutoTier",
        "advice that nobody has to follow (schema)";
    SessionAutoTierSwitchFailed Ephemeral No Timeline,
        "requestedAutoTier, effectiveAutoTier?, reason",
        "a choice that a person made did not take effect (schema)";
    ModelCallStart Ephemeral No Nowhere superseded_by Itself,
        "turnId, model?",
        "telemetry; assistant.turn_start says the same to people (schema)";
    ModelCallFinished Ephemeral No Nowhere superseded_by Itself,
        "turnId, outcome, dispatchDurationMs",
        "telemetry (schema)";
    ModelCallFailure Ephemeral No Notifications,
        "model?, errorMessage?, statusCode?, failureKind?",
        "one attempt, a quiet warning; what does not heal comes as session.error (schema, recording \
         errors-and-retries)";
    PromptCacheBreak Ephemeral No Notifications superseded_by Next,
        "primaryReason, contributingReasons, shortfallTokens, retentionRatio",
        "why a call read more than it had to: one line, counted; 200 of them in one recording (schema)";
};
