// The entry `pilothouse/headless` for Node, Deno and Bun.

export { Session, load } from "./index.node.js";
export { ConnectionError, changes, connect } from "./connection.js";
