// The package's entry without a view: `load`, `Session`, and a connection to a gateway.

export { Session, load } from "./index.js";
export { ConnectionError, changes, connect } from "./connection.js";
