// The extras whose libraries are present. None, because `trunk serve` copies this
// folder; `cargo xtask build` rewrites it.
export const present = [];
