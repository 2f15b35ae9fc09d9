// Lets a permission on the first screen be answered before the page's program is there. It is in the page behind such a screen. What
// is sent and said stands with each button (`core/markup/cards.rs`). The promises are those of `ui/requests/answer_controls.rs`, kept
// in the simplest way: an answer that allows counts once the whole card has stood in view for a while. One that does not fit waits
// for the program.
(() => {
  const screen = document.querySelector("pilot-house")?.shadowRoot?.querySelector(".first-screen");
  // A page around this one could hide any part of a card.
  if (!screen || self !== top) return;

  /** Presses don't count before a card has stood in view for so many milliseconds. */
  const ARMING = 400;
  /** Pixels that it may move meanwhile. */
  const STILL = 1;
  /** How long an answer may take, in milliseconds. */
  const PATIENCE = 10_000;

  const list = screen.querySelector(".first-list");
  const note = screen.querySelector(".first-note");
  const cards = new Set();
  const answers = [...screen.querySelectorAll("[data-call]")].map((button) => {
    const card = button.closest(".request-card");
    cards.add(card);
    // What refuses need not have been read.
    return { button, card, what: button.dataset.answer === "reject" ? button : card };
  });

  /** Whether all of an element is in view: in the list, above what floats at its end, in what a keyboard or a zoom leaves. */
  const isInView = ({ left, top, right, bottom }) => {
    const [outer, seen] = [list.getBoundingClientRect(), visualViewport];
    const end = Math.min(outer.bottom, note.getBoundingClientRect().top, seen.offsetTop + seen.height);
    const isWithin = left >= Math.max(outer.left, seen.offsetLeft) && right <= Math.min(outer.right, seen.offsetLeft + seen.width);
    return isWithin && top >= Math.max(outer.top, seen.offsetTop) && bottom <= end;
  };
  /** Whether something in it is wider than its place. */
  const isCut = (what) => [what, ...what.querySelectorAll(".request-head *, .request-body *")].some(
    (part) => part.clientWidth > 1 && part.scrollWidth > part.clientWidth + 1,
  );
  const hasMoved = ({ what, box }) => {
    const now = what.getBoundingClientRect();
    return !box || ["left", "top", "right", "bottom"].some((edge) => Math.abs(now[edge] - box[edge]) > STILL);
  };

  const arm = (answer, isArmed) => {
    if (answer.isArmed === isArmed) return;
    answer.isArmed = isArmed;
    answer.button.disabled = false;
    if (isArmed) answer.button.removeAttribute("title");
    if (isArmed) answer.button.removeAttribute("aria-disabled");
    else answer.button.setAttribute("aria-disabled", "true");
  };

  let last = 0;
  /** Runs in each frame. A page that is not seen has none, so it begins again after a gap. */
  const look = (now) => {
    if (!screen.isConnected) return;
    const isGap = now - last > ARMING;
    last = now;
    for (const answer of answers) {
      if (isGap || hasMoved(answer)) {
        Object.assign(answer, { box: answer.what.getBoundingClientRect(), isWhole: !isCut(answer.what), since: now });
      }
      if (!answer.isWhole || !isInView(answer.what.getBoundingClientRect())) answer.since = now;
      arm(answer, cards.has(answer.card) && now - answer.since >= ARMING);
    }
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);

  const send = async ({ button, card }) => {
    const session = JSON.parse(button.dataset.call).params.sessionId;
    const { sending, taken, refused, unsure } = JSON.parse(button.dataset.said);
    cards.delete(card);
    // The program waits until it is known what became of it.
    for (const part of [card, button]) part.setAttribute("aria-busy", "true");
    // It is told where it takes no room.
    note.textContent = sending;
    let words = unsure;
    try {
      const response = await fetch(`/api/sessions/${encodeURIComponent(session)}/rpc`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: button.dataset.call,
        signal: AbortSignal.timeout(PATIENCE),
      });
      const { result, error } = await response.json();
      if (result) words = result.success === false ? refused : taken;
      else words = error.message;
    } catch {
      // It may have arrived.
    }
    note.textContent = words;
    for (const part of [card, button]) part.removeAttribute("aria-busy");
  };

  for (const answer of answers) {
    answer.button.addEventListener("click", () => {
      if (answer.isArmed && cards.has(answer.card) && !hasMoved(answer)) send(answer);
    });
  }
})();
