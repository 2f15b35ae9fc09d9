// Owns how large the wasm's memory is, whatever its glue is called: it looks at what the browser instantiates.
// Refuses to know the package. Import it before anything that loads wasm.

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

/** Bytes; wasm never gives any back, so this is also the most that was needed. */
export const wasmBytes = () => [...memories].reduce((sum, memory) => sum + memory.buffer.byteLength, 0);
