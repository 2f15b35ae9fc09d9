// Drives the real Gemini CLI through the page.

import { scenesOf } from "./support/scenes.mjs";

scenesOf("gemini");
