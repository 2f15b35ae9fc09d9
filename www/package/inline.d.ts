// The types of `pilothouse/inline`, which is one file with everything in it: the same as `pilothouse`, and what `pilothouse/headless` adds.

export * from "./index.js";
export * from "./headless.js";
