/* What only this browser knows of the first screen, before its first frame: the reader's clock, what is open, how the board is shown.
   Old syntax only, so that old browsers can run it. */
(function (el) {
  var first = el.shadowRoot && el.shadowRoot.querySelector(".first-screen");
  var changed = [];
  try {
    if (first) begin();
  } finally {
    /* From now on it is seen. */
    el.removeAttribute("data-begins");
  }

  function begin() {
    each(first, "time", words);
    if (first.matches(".board")) return board();
    /* laid out from its start its rows lie on whole pixels, as they do in the page that takes its place */
    var list = first.querySelector(".first-list");
    list.classList.add("from-start");
    list.scrollTop = list.scrollHeight;
    if (kept("panel") === null && el.clientWidth >= 1100) first.appendChild(first.querySelector("template").content.cloneNode(true));
  }

  function each(root, selector, act) {
    Array.prototype.forEach.call(root.querySelectorAll(selector), act);
  }

  function kept(name) {
    try { return localStorage.getItem("pilothouse." + name); } catch (e) { return null; }
  }

  function words(time) {
    var date = new Date(time.dateTime);
    var style = isOld(time, date) ? { month: "short", day: "numeric", hour: "numeric", minute: "2-digit" } : { timeStyle: "short" };
    var unit = time.getAttribute("data-unit");
    var kind = (navigator.languages || []).filter(function (tag) { return tag.split("-")[0] === first.lang; })[0];
    time.textContent = unit ? new Intl.RelativeTimeFormat(first.lang).format(-time.getAttribute("data-ago"), unit)
      : new Intl.DateTimeFormat(kind || first.lang, style).format(date);
  }

  /* Whether a time has its day beside it. */
  function isOld(time, date) {
    return time.hasAttribute("data-day") && date.toDateString() !== new Date().toDateString();
  }

  function board() {
    if (kept("board.list") !== null) {
      first.setAttribute("data-view", "list");
      first.querySelector("[aria-pressed]").setAttribute("aria-pressed", "true");
    }
    group(kept("board.group"));
    open();
    addEventListener("hashchange", open);
  }

  /* The order by status is that of the board, so the first tiles are those of the first groups. */
  function group(by) {
    if (by !== "status" && by !== "repository" && by !== "machine" && by !== "agent") return;
    if (!first.querySelector("[data-choice=group] option[value=" + by + "]")) return;
    var area = first.querySelector(".board-area");
    var section = area.querySelector("section");
    var groups = {};
    first.querySelector("[data-choice=group]").value = by;
    if (by !== "status" && area.querySelector(".first-more")) return section.remove();
    each(first, ".tile", function (tile) {
      var key = tile.getAttribute("data-" + by) || "";
      if (!groups["=" + key]) {
        var own = section.cloneNode(false);
        var name = document.createElement("h2");
        var option = by === "status" && first.querySelector("[data-choice=status] option[value=" + key + "]");
        name.dir = "auto";
        name.textContent = option ? option.textContent : key || area.getAttribute("data-no-" + by);
        if (name.textContent) own.appendChild(name);
        own.appendChild(section.firstChild.cloneNode(false));
        area.insertBefore(own, section);
        groups["=" + key] = own.lastChild;
      }
      groups["=" + key].appendChild(tile);
    });
    section.remove();
  }

  /* A session in the address is open beside the tiles, or over them. Those that wait have another form there. */
  function open() {
    var pane = first.querySelector(".pane");
    var id;
    try { id = decodeURIComponent((/^#session=(.+)/.exec(location.hash) || [])[1] || ""); } catch (e) { id = ""; }
    /* From when it is mounted the program does this. */
    if (!first.querySelector("[data-session]")) return;
    changed.forEach(function (change) { change[1].replaceWith(change[0]); });
    changed = [];
    each(first, "[data-current]", function (tile) { tile.removeAttribute("data-current"); });
    first.toggleAttribute("data-open", !!id);
    if (!id) return pane && pane.remove();
    if (!pane) first.appendChild(first.querySelector(".first-pane").content.cloneNode(true));
    if (el.clientWidth < 1100) return;
    each(first, ".tile", function (tile) {
      var form = tile.querySelector("template");
      var isOpen = tile.getAttribute("data-session") === id;
      if (isOpen) tile.setAttribute("data-current", "");
      if (form) {
        var part = isOpen ? ".tile-age" : ".tile";
        var other = form.content.querySelector(part).cloneNode(true);
        var own = isOpen ? tile.querySelector(part) : tile;
        each(other, "time", words);
        own.replaceWith(other);
        changed.push([own, other]);
      }
    });
  }
})(document.querySelector("pilot-house, pilot-house-board"));
