// Plays recordings in the elements of a page: `<pilot-house transport="none" data-recording="FILE">`, with the package that the
// gateway serves.

import { load } from "../../pkg/index.js";

/** The longest time between two events, in milliseconds. Readers don't wait as long as the recorded session did. */
const LONGEST = 300;

/** The events of a recording. */
export async function recorded(address) {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address}: ${response.status}`);
  return (await response.text()).trim().split("\n").map((line) => JSON.parse(line));
}

/** Whether an event waits for a person. */
export const asks = ({ type }) => type === "permission.requested";

/**
 * Pushes the events, with the times between them as they were recorded. At a request it waits for an answer, and then goes on as
 * it was recorded, whatever the answer is.
 */
export async function play(element, events) {
  let answered = () => {};
  element.addEventListener("pilothouse-answer", (event) => {
    event.preventDefault(); // there is no server
    answered();
  });
  for (const [nth, event] of events.entries()) {
    if (!element.isConnected) return;
    const answer = asks(event) && new Promise((done) => (answered = done));
    element.push(event);
    const pause = events[nth + 1] ? Date.parse(events[nth + 1].timestamp) - Date.parse(event.timestamp) : 0;
    await (answer || new Promise((done) => setTimeout(done, Math.min(Math.max(pause, 0), LONGEST))));
  }
}

for (const element of document.querySelectorAll("pilot-house[data-recording]")) {
  const [, events] = await Promise.all([load(), recorded(new URL(element.dataset.recording, document.baseURI))]);
  play(element, events);
}
