/** One picture in several formats: figures as they arrive, and a click takes one. */
import { bytesText, durationText, h } from "./dom.js";
import { SOURCE_FORMATS } from "./format-lists.js";
import { submit } from "./processing.js";

/** @import { Entry } from "./shapes.d.ts" */

/**
 * `{ element, clear(), offer(entry), run(entry), mark(entry) }`
 * @param {{ onTake: (entry: Entry) => void }} ports
 */
export function createFormats({ onTake }) {
  const element = h("section", { class: "formats", "aria-labelledby": "formats-title", hidden: true });
  /** @type {AbortController | undefined} */
  let running;
  /** @type {Map<string, ReturnType<typeof rowOf>>} */
  let rows = new Map();
  const clear = () => {
    running?.abort();
    running = undefined;
    rows = new Map();
    element.hidden = true;
    element.replaceChildren();
  };
  /** @param {Entry} entry */
  const run = async (entry) => {
    clear();
    const mine = new AbortController();
    running = mine;
    rows = new Map(SOURCE_FORMATS.map(({ name, label }) => [label, rowOf(name, label, onTake)]));
    element.replaceChildren(title(), tableOf([...rows.values()]));
    element.hidden = false;
    rows.get(entry.called.answer.output.format)?.arrive(entry);
    for (const row of rows.values()) {
      if (row.entry()) continue;
      const body = { ...entry.body, output: { ...entry.body?.output, format: row.name } };
      try {
        const called = await submit(entry.source, body, { signal: mine.signal });
        row.arrive({ source: entry.source, body, called });
      } catch (error) {
        if (mine.signal.aborted) return;
        row.fail(error);
      }
      markSmallest([...rows.values()]);
    }
  };
  return {
    element,
    clear,
    run,
    /** @param {Entry} entry */
    offer: (entry) => {
      clear();
      const button = h("button", { type: "button", class: "quiet small", onclick: () => void run(entry) }, "Compare");
      element.replaceChildren(title(), h("p", { class: "notice" }, button, " costs a request for each format."));
      element.hidden = false;
    },
    /** @param {Entry} entry the one on show */
    mark: (entry) => {
      for (const row of rows.values()) row.mark(row.entry() === entry);
    },
  };
}

function title() {
  return h("h2", { id: "formats-title" }, "Formats");
}

/** @param {ReturnType<typeof rowOf>[]} rows */
function tableOf(rows) {
  const heads = ["Format", "Bytes", "Score", "Time"].map((name) => h("th", { scope: "col" }, name));
  return h(
    "table",
    {},
    h("thead", {}, h("tr", {}, heads)),
    h(
      "tbody",
      {},
      rows.map(({ element }) => element),
    ),
  );
}

/**
 * @param {typeof SOURCE_FORMATS[number]["name"]} name
 * @param {string} label
 * @param {(entry: Entry) => void} onTake
 */
function rowOf(name, label, onTake) {
  /** @type {Entry | undefined} */
  let entry;
  const take = h("button", { type: "button", class: "link", disabled: true, "aria-label": `Take ${label}` }, label);
  take.addEventListener("click", () => entry && onTake(entry));
  const cells = [h("td", {}, "…"), h("td"), h("td")];
  const element = h("tr", {}, h("th", { scope: "row" }, take), cells);
  /** @param {readonly (string | undefined)[]} texts */
  const write = (texts) => cells.forEach((cell, index) => (cell.textContent = texts[index] ?? "–"));
  return {
    name,
    element,
    entry: () => entry,
    arrive: (/** @type {Entry} */ arrived) => {
      entry = arrived;
      const { output } = arrived.called.answer;
      const score = output.score === undefined ? undefined : String(Math.round(output.score));
      write([bytesText(output.bytes), score, durationText(arrived.called.milliseconds)]);
      take.disabled = false;
    },
    fail: (/** @type {unknown} */ error) => {
      const cell = h("td", { colspan: 3, class: "hint" }, error instanceof Error ? error.message : String(error));
      element.replaceChildren(h("th", { scope: "row" }, label), cell);
    },
    mark: (/** @type {boolean} */ isShown) => {
      if (isShown) element.setAttribute("aria-current", "true");
      else element.removeAttribute("aria-current");
    },
  };
}

/** @param {ReturnType<typeof rowOf>[]} rows */
function markSmallest(rows) {
  const bytes = (/** @type {typeof rows[number]} */ row) => row.entry()?.called.answer.output.bytes ?? Infinity;
  const least = Math.min(...rows.map(bytes));
  for (const row of rows) row.element.classList.toggle("smallest", bytes(row) === least);
}
