// Fetches the later parts of the program when they are first asked for. A failure is not kept: who asks again has the part
// fetched again.

import { initSync } from "./page.js";

/** Compiles while it comes, from servers that say what it is. */
async function compiled(asked) {
  const response = await asked;
  if (!response.ok) throw new Error(`${response.status} for ${response.url}`);
  if (response.headers.get("content-type") === "application/wasm") return WebAssembly.compileStreaming(response);
  return WebAssembly.compile(await response.arrayBuffer());
}

function part(needs, ask) {
  let made;
  const make = async () => {
    const [module] = await Promise.all([ask && compiled(ask()), ...needs().map((need) => need())]);
    if (module) await WebAssembly.instantiate(module, { page: initSync() });
  };
  return () => (made ??= make().catch((error) => {
    made = undefined;
    throw error;
  }));
}

/** Tells the program, at a place of its table, whether a part has come. */
function telling(part) {
  return async (place, whom) => {
    let there = true;
    try {
      await part();
    } catch (error) {
      console.error(error);
      there = false;
    }
    initSync().__indirect_function_table.get(place)(whom, there);
  };
}
