// Vue's and Svelte's compilers look the elements up in these tables.

import type {} from "pilothouse/types/svelte";
import type {} from "pilothouse/types/vue";
import type { SvelteHTMLElements } from "svelte/elements";
import type { GlobalComponents } from "vue";

export const svelte: SvelteHTMLElements["pilot-house"] = {
  src: "/",
  class: "side",
  "onpilothouse-request": ({ detail }) => detail.request.kind.length,
};
export const svelteBoard: SvelteHTMLElements["pilot-house-board"] = { history: true };
// @ts-expect-error no such transport
export const wrong: SvelteHTMLElements["pilot-house"] = { transport: "pigeon" };

type Props<Tag extends keyof GlobalComponents> = InstanceType<GlobalComponents[Tag]>["$props"];
export const vue: Props<"pilot-house"> = { src: "/", onPilothouseRequest: ({ detail }) => detail.request.kind.length };
export const vueBoard: Props<"pilot-house-board"> = { onPilothouseOpen: ({ detail }) => detail.sessionId.length };
// @ts-expect-error no such transport
export const wrongAgain: Props<"pilot-house"> = { transport: "pigeon" };
