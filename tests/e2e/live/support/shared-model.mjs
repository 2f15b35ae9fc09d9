// What files of tests share that start gateways themselves.

import { after, before, test } from "node:test";

import { scriptedModel } from "./model.mjs";
import { absent, home } from "./runtime.mjs";

/**
 * Scenarios with a scripted model and folders of their own, which `take` gets before the first of them. Where the
 * runtime is not installed one test of this name is skipped in their place.
 */
export function withModel(name, take, scenarios) {
  if (absent) return void test(name, { skip: absent });
  let model;
  let folders;
  before(async () => {
    model = await scriptedModel();
    folders = await home();
    take(model, folders);
  });
  after(async () => {
    model?.close();
    await folders?.remove();
  });
  scenarios();
}
