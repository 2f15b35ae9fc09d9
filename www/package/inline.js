// `pilothouse/inline`: the whole package in one script, for webviews and `file:` pages. The script can also be used without
// modules: it sets `globalThis.pilothouse`.

import "./inline.global.js";

export const { ConnectionError, Session, changes, connect, load, registerNotification, registerRenderer } = globalThis.pilothouse;
