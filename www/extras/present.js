// Which extras have their libraries: none, as `trunk serve` copies this folder. `cargo xtask build` writes the list anew.
export const present = [];
