// Owns loading the functions that were cut out of the program: soon by itself, and at once when one is called before
// that. Refuses to load them twice. Part of the glue, so it has its `wasm` and its imports.

let laterHere = false;
let laterTry;

const laterFile = () => new URL("later_bg.wasm", import.meta.url);

/** Whether files are read, not fetched. */
const laterNode = () => laterFile().protocol === "file:" && typeof process !== "undefined";

function laterStart(module) {
  if (laterHere) return;
  const by = (table) => new Proxy({}, { get: (_, slot) => table.get(+slot) });
  const [stayed, placed] = [by(wasm.later), by(wasm.__indirect_function_table)];
  new WebAssembly.Instance(module, { ...__wbg_get_imports(), first: wasm, stayed, placed });
  laterHere = true;
}

async function laterFetched() {
  if (laterNode()) {
    const { readFile } = await import(/* @vite-ignore */ "node:fs/promises");
    return WebAssembly.compile(await readFile(laterFile()));
  }
  const response = await fetch(laterFile(), { priority: "low" });
  if (!response.ok) throw new Error(`${response.url}: ${response.status}`);
  const typed = /^application\/wasm\b/.test(response.headers.get("content-type"));
  return typed ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
}

/** One try at a time, whoever asks. */
function laterAsked() {
  return (laterTry ??= laterFetched()
    .then(laterStart)
    .finally(() => (laterTry = undefined)));
}

/** For parts of the program that come later still: what they refer to may be in this one. */
export const laterReady = () => laterHere || laterAsked();

async function laterSoon() {
  for (let pause = 1000; !laterHere; pause = Math.min(2 * pause, 30000)) {
    try {
      await laterAsked();
    } catch (error) {
      console.warn("Pilothouse: a part of the program did not come, and is asked for again.", error);
      await new Promise((over) => setTimeout(over, pause));
    }
  }
}

/** What stands for a function calls this, and can't wait. */
function laterNow() {
  try {
    laterStart(new WebAssembly.Module(laterRead()));
  } catch (error) {
    console.error("Pilothouse: a part of the program is needed now and can't be loaded. Load the page again.", error);
    throw error;
  }
}

function laterRead() {
  if (laterNode()) return process.getBuiltinModule("node:fs").readFileSync(laterFile());
  const request = new XMLHttpRequest();
  request.open("GET", laterFile(), false);
  // A document gets no bytes from a request that it waits for: each becomes a letter, whose lowest eight bits it is.
  request.overrideMimeType("text/plain; charset=x-user-defined");
  request.send();
  if (request.status !== 200) throw new Error(`${laterFile()}: ${request.status}`);
  return Uint8Array.from(request.responseText, (letter) => letter.charCodeAt(0));
}
