// Types for the elements in Solid's JSX: `import type {} from "pilothouse/types/solid"`, once in an app.

import type { JSX } from "solid-js";

import type {
  PilotHouseAttributes, PilotHouseBoardAttributes, PilotHouseBoardElement, PilotHouseBoardEventMap, PilotHouseElement,
  PilotHouseEventMap,
} from "../index.js";

type On<Events> = { [Name in keyof Events & string as `on:${Name}`]?: (event: Events[Name]) => void };

declare module "solid-js" {
  namespace JSX {
    interface IntrinsicElements {
      "pilot-house": PilotHouseAttributes & On<PilotHouseEventMap> & JSX.HTMLAttributes<PilotHouseElement>;
      "pilot-house-board": PilotHouseBoardAttributes & On<PilotHouseBoardEventMap> & JSX.HTMLAttributes<PilotHouseBoardElement>;
    }
  }
}
