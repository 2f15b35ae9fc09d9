// Types for the elements in React's JSX: `import type {} from "pilothouse/types/react"`, once in an app.

import type { DetailedHTMLProps, HTMLAttributes } from "react";

import type {
  PilotHouseAttributes, PilotHouseBoardAttributes, PilotHouseBoardElement, PilotHouseBoardEventMap, PilotHouseElement,
  PilotHouseEventMap,
} from "../index.js";

type On<Events> = { [Name in keyof Events & string as `on${Name}`]?: (event: Events[Name]) => void };

declare module "react" {
  namespace JSX {
    interface IntrinsicElements {
      "pilot-house": PilotHouseAttributes &
        On<PilotHouseEventMap> &
        DetailedHTMLProps<HTMLAttributes<PilotHouseElement>, PilotHouseElement>;
      "pilot-house-board": PilotHouseBoardAttributes &
        On<PilotHouseBoardEventMap> &
        DetailedHTMLProps<HTMLAttributes<PilotHouseBoardElement>, PilotHouseBoardElement>;
    }
  }
}
