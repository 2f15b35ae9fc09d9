// Drives the real Copilot CLI through the page.

import { scenesOf } from "./support/scenes.mjs";

scenesOf("copilot");
