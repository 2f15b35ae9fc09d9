// Fetches the later chunks of the program when they are first needed. A failed fetch is not cached: the next call tries again.

/** What the program exports. */
let page;

/**
 * The program calls this when it starts, before it needs a chunk. Importing the exports would be a circle, because the
 * program imports this module, and bundlers may evaluate a circle in the wrong order.
 */
export function provide(exports) {
  page = exports;
}

/** Milliseconds after which a file that has not arrived is given up: the connection may be dead without anybody knowing. */
const PATIENCE = 60_000;

/** Compiles while the bytes arrive, where the server sends the content type of WebAssembly. */
async function compiled(url) {
  // The build in one file has a promise of the bytes here (tools/inline.mjs).
  if (typeof url.then === "function") return WebAssembly.compile(await url);
  // Vite before 8 moves the scripts of a dependency, in development, and not its other files.
  const place = url.href.replace("/node_modules/.vite/deps/", "/node_modules/pilothouse/");
  const response = await fetch(place, { signal: AbortSignal.timeout(PATIENCE) });
  if (!response.ok) throw new Error(`${response.status} for ${response.url}`);
  if (response.headers.get("content-type") === "application/wasm") return WebAssembly.compileStreaming(response);
  return WebAssembly.compile(await response.arrayBuffer());
}

/** A function that loads a chunk once, behind the chunks that it needs. */
function chunk(needs, url) {
  let loading;
  const load = async () => {
    const [module] = await Promise.all([url && compiled(url()), ...needs().map((need) => need())]);
    if (module) await WebAssembly.instantiate(module, { page });
  };
  return () => (loading ??= load().catch((error) => {
    loading = undefined;
    throw error;
  }));
}

/** Loads a chunk and calls the program's callback, an index into its table of functions, with whether that succeeded. */
function notifying(load) {
  return async (callback, data) => {
    let loaded = true;
    try {
      await load();
    } catch (error) {
      console.error(`Pilothouse: a chunk of the program was not loaded: ${error}`);
      loaded = false;
    }
    page.__indirect_function_table.get(callback)(data, loaded);
  };
}

