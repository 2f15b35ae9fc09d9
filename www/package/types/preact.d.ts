// Types for the elements in Preact's JSX: `import type {} from "pilothouse/types/preact"`, once in an app.

import type { HTMLAttributes } from "preact";

import type {
  PilotHouseAttributes, PilotHouseBoardAttributes, PilotHouseBoardElement, PilotHouseBoardEventMap, PilotHouseElement,
  PilotHouseEventMap,
} from "../index.js";

type On<Events> = { [Name in keyof Events & string as `on${Name}`]?: (event: Events[Name]) => void };

declare module "preact" {
  namespace JSX {
    interface IntrinsicElements {
      "pilot-house": PilotHouseAttributes & On<PilotHouseEventMap> & HTMLAttributes<PilotHouseElement>;
      "pilot-house-board": PilotHouseBoardAttributes & On<PilotHouseBoardEventMap> & HTMLAttributes<PilotHouseBoardElement>;
    }
  }
}
