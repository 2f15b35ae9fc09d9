// Drives the real OpenCode through the page.

import { scenesOf } from "./support/scenes.mjs";

scenesOf("opencode");
