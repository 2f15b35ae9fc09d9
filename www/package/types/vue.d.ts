// Types for the elements in Vue's templates: `import type {} from "pilothouse/types/vue"`, once in an app.

import type { HTMLAttributes } from "vue";

import type {
  PilotHouseAttributes, PilotHouseBoardAttributes, PilotHouseBoardElement, PilotHouseBoardEventMap, PilotHouseElement,
  PilotHouseEventMap,
} from "../index.js";

/** `@pilothouse-request` in a template is the prop `onPilothouseRequest`. */
type On<Events> = { [Name in keyof Events & string as `on${Camel<Name>}`]?: (event: Events[Name]) => void };
type Camel<Name extends string> = Name extends `${infer First}-${infer Rest}`
  ? `${Capitalize<First>}${Camel<Rest>}`
  : Capitalize<Name>;

declare module "vue" {
  interface GlobalComponents {
    "pilot-house": new () => PilotHouseElement & {
      $props: PilotHouseAttributes & On<PilotHouseEventMap> & HTMLAttributes;
    };
    "pilot-house-board": new () => PilotHouseBoardElement & {
      $props: PilotHouseBoardAttributes & On<PilotHouseBoardEventMap> & HTMLAttributes;
    };
  }
}
