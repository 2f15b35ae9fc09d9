// Measures the wasm's memory, whatever its bindings are called, by watching what the browser instantiates.
// Import it before anything that loads wasm.

const memories = new Set();

for (const name of ["instantiate", "instantiateStreaming"]) {
  const original = WebAssembly[name];
  WebAssembly[name] = async (...given) => {
    const made = await original.apply(WebAssembly, given);
    for (const exported of Object.values((made.instance ?? made).exports)) {
      if (exported instanceof WebAssembly.Memory) memories.add(exported);
    }
    return made;
  };
}

/** Bytes. Wasm memory never shrinks, so this is also the peak. */
export const wasmBytes = () => [...memories].reduce((sum, memory) => sum + memory.buffer.byteLength, 0);
