// Validates params against the runtime's own schema. Methods that it does not list fail.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

import formats from "ajv-formats";
import Ajv from "ajv/dist/2019.js";

import { API_SCHEMA } from "./runtime.mjs";

let schema;
let ajv;
const checks = new Map();

function load() {
  schema = JSON.parse(readFileSync(API_SCHEMA, "utf8"));
  ajv = new Ajv({ strict: false, allErrors: true });
  formats(ajv);
  ajv.addSchema({ $id: "api", definitions: schema.definitions });
}

/** The description of a method, wherever it is in the tree. */
function described(method, branch = [schema.server, schema.session]) {
  for (const value of Object.values(branch)) {
    if (value === null || typeof value !== "object") continue;
    if (value.rpcMethod === method) return value;
    const below = value.rpcMethod ? undefined : described(method, value);
    if (below) return below;
  }
  return undefined;
}

/** Fails unless the params match the schema of this method. */
export function assertValid(method, params) {
  if (!schema) load();
  if (!checks.has(method)) {
    const found = described(method);
    assert.ok(found, `the schema knows no ${method}`);
    const own = JSON.parse(JSON.stringify(found.params).replaceAll('"#/definitions/', '"api#/definitions/'));
    checks.set(method, ajv.compile(own));
  }
  const check = checks.get(method);
  assert.ok(check(params), `${method} ${JSON.stringify(params)}: ${ajv.errorsText(check.errors)}`);
}
