//! Owns how a function's body falls into spans: instructions that run one after the other, or not at all. Refuses to know
//! which of them run.

use anyhow::Result;
use wasmparser::{FunctionBody, Operator};

/// Whether another span begins behind an instruction.
pub fn ends_span(operator: &Operator<'_>) -> bool {
    matches!(operator, Operator::If { .. } | Operator::Else | Operator::End | Operator::BrIf { .. })
}

/// How many spans a body has.
pub fn count(body: &FunctionBody<'_>) -> Result<usize> {
    // The last end has nothing behind it, and the first span nothing before.
    let mut spans = 0;
    for operator in body.get_operators_reader()? {
        spans += usize::from(ends_span(&operator?));
    }
    Ok(spans)
}
