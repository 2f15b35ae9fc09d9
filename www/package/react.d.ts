// The types of `pilothouse/react`.

import type { CSSProperties, ForwardRefExoticComponent, HTMLAttributes, RefAttributes } from "react";

import type { Auth, HostTransport, PilotHouseAttributes, PilotHouseElement, PilotHouseEventMap } from "./index.js";

type Handler<Name extends keyof PilotHouseEventMap> = (event: PilotHouseEventMap[Name]) => void;

/** The element's attributes and events, and the props of any element. */
export interface PilotHouseProps
  extends Omit<PilotHouseAttributes, "answer-url" | "readonly" | "attention" | "transport">,
    Omit<HTMLAttributes<PilotHouseElement>, "onError"> {
  answerUrl?: string;
  /** A transport of the page's own has to stay the same object, as from `useMemo`. */
  transport?: PilotHouseAttributes["transport"] | HostTransport;
  auth?: Auth;
  readOnly?: boolean;
  attention?: boolean;
  style?: CSSProperties;
  suggestions?: PilotHouseElement["suggestions"];
  commands?: PilotHouseElement["commands"];
  completions?: PilotHouseElement["completions"];
  entryActions?: PilotHouseElement["entryActions"];
  filter?: PilotHouseElement["filter"];
  onRequest?: Handler<"pilothouse-request">;
  onAnswer?: Handler<"pilothouse-answer">;
  onCall?: Handler<"pilothouse-call">;
  onResult?: Handler<"pilothouse-result">;
  onStatus?: Handler<"pilothouse-status">;
  onTelemetry?: Handler<"pilothouse-telemetry">;
  onError?: Handler<"pilothouse-error">;
}

/** `<pilot-house>`. It calls `load()` when it is mounted; the ref is the element. */
export const PilotHouse: ForwardRefExoticComponent<PilotHouseProps & RefAttributes<PilotHouseElement>>;
