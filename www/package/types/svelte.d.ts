// Types for the elements in Svelte's templates: `import type {} from "pilothouse/types/svelte"`, once in an app.

import type { HTMLAttributes } from "svelte/elements";

import type {
  PilotHouseAttributes, PilotHouseBoardAttributes, PilotHouseBoardElement, PilotHouseBoardEventMap, PilotHouseElement,
  PilotHouseEventMap,
} from "../index.js";

type On<Events> = { [Name in keyof Events & string as `on${Name}`]?: (event: Events[Name]) => void };

declare module "svelte/elements" {
  interface SvelteHTMLElements {
    "pilot-house": PilotHouseAttributes & On<PilotHouseEventMap> & HTMLAttributes<PilotHouseElement>;
    "pilot-house-board": PilotHouseBoardAttributes & On<PilotHouseBoardEventMap> & HTMLAttributes<PilotHouseBoardElement>;
  }
}
