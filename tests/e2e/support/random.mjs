// Random numbers that are the same in each run.

/** A function that gives integers from 0 up to, and without, a limit. */
export function random(seed) {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}
