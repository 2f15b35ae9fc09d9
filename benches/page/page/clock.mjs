// Waiting in the page, and timing the frames that pass meanwhile. CPU time and tasks
// are measured by the runner.

export const frame = () => new Promise((done) => requestAnimationFrame(done));

const channel = new MessageChannel();
const waiting = [];
channel.port1.onmessage = () => waiting.shift()?.();

/** Resolves in the next task. After a frame, that means that the frame was produced. */
export const task = () =>
  new Promise((done) => {
    waiting.push(done);
    channel.port2.postMessage(0);
  });

export const painted = async () => {
  await frame();
  await task();
};

/** Waits until no task was late for `ms`. Returns when that period began. */
export async function quiet(ms = 500, late = 25) {
  let since = performance.now();
  for (;;) {
    const before = performance.now();
    await new Promise((done) => setTimeout(done, 8));
    const now = performance.now();
    if (now - before > 8 + late) since = now;
    else if (now - since > ms) return since;
  }
}

/** Times the frames until `end`. */
export function watch() {
  const gaps = [];
  let on = true;
  let last = performance.now();
  const tick = () => {
    const now = performance.now();
    gaps.push(now - last);
    last = now;
    if (on) requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
  return {
    async end() {
      on = false;
      await painted();
      gaps.sort((a, b) => a - b);
      return { frames: gaps.length, worstFrame: gaps.at(-1) ?? 0, p99Frame: gaps[Math.floor(gaps.length * 0.99)] ?? 0 };
    },
  };
}
