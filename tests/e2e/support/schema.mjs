// Checks the params of a call against the runtime's own schema, whose file `API_SCHEMA`
// names; it comes with the runtime's npm package. Without it nothing is checked. Only
// the keywords used by that schema are supported.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

const file = process.env.API_SCHEMA;
const schema = file ? JSON.parse(readFileSync(file, "utf8")) : undefined;
const methods = new Map();
if (schema) collect(schema.server), collect(schema.session);

function collect(part) {
  if (typeof part?.rpcMethod === "string") methods.set(part.rpcMethod, part);
  else if (part && typeof part === "object") Object.values(part).forEach(collect);
}

/** Fails if the params of a method do not match the schema. */
export function check(method, params) {
  if (!schema) return;
  const known = methods.get(method);
  assert.ok(known, `${method} is a method of the runtime`);
  assert.deepEqual(faults(known.params ?? {}, params, "params"), [], method);
}

function faults(rule, value, place) {
  if (rule.$ref) return faults(schema.definitions[rule.$ref.split("/").pop()], value, place);
  if (rule.anyOf ?? rule.oneOf) {
    const tried = (rule.anyOf ?? rule.oneOf).map((one) => faults(one, value, place));
    return tried.some((found) => found.length === 0) ? [] : [`${place}: none of ${tried.length} fits: ${tried[0]}`];
  }
  if (rule.not && Object.keys(rule.not).length === 0) return [`${place}: nothing fits`];
  if ("const" in rule && rule.const !== value) return [`${place}: not ${rule.const}`];
  if (rule.enum && !rule.enum.includes(value)) return [`${place}: ${value} is none of ${rule.enum}`];
  const types = [rule.type ?? []].flat();
  if (types.length > 0 && !types.some((type) => is(type, value))) return [`${place}: no ${types}`];
  if (typeof value === "string" && value.length < (rule.minLength ?? 0)) return [`${place}: too short`];
  if (typeof value === "number" && value < (rule.minimum ?? -Infinity)) return [`${place}: too small`];
  if (Array.isArray(value)) return value.flatMap((item, at) => faults(rule.items ?? {}, item, `${place}[${at}]`));
  if (!value || typeof value !== "object") return [];
  const own = rule.properties ?? {};
  return [
    ...(rule.required ?? []).filter((name) => !(name in value)).map((name) => `${place}: ${name} is missing`),
    ...Object.entries(value).flatMap(([name, inside]) => {
      if (own[name]) return faults(own[name], inside, `${place}.${name}`);
      return rule.additionalProperties === false ? [`${place}: ${name} is unknown`] : [];
    }),
  ];
}

function is(type, value) {
  switch (type) {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value);
    case "integer":
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}
