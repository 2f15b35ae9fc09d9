// Drives the real Codex through the page.

import { scenesOf } from "./support/scenes.mjs";

scenesOf("codex");
