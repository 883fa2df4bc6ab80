/** One picture in several formats: figures as they arrive, and a click takes one. */
import { bytesText, durationText, h } from "./dom.js";
import { SOURCE_FORMATS } from "./format-lists.js";
import { submit } from "./processing.js";

/**
 * @typedef {{ isCopy: boolean, scale: number }} Of
 * whether files are made of a copy of the original, and by how much smaller than their finals they are
 */
/** @import { Called, Entry, SetSuccess } from "./shapes.d.ts" */

/**
 * `{ element, clear(), stop(), offer(onCompare), run(entry), mark(entry) }`
 * @param {{ onTake: (entry: Entry, of: Of) => void }} ports
 */
export function createFormats({ onTake }) {
  const element = h("section", { class: "formats", "aria-labelledby": "formats-title", hidden: true });
  /** @type {AbortController | undefined} */
  let running;
  /** @type {Map<string, ReturnType<typeof rowOf>>} */
  let rows = new Map();
  const stop = () => {
    running?.abort();
    running = undefined;
  };
  const clear = () => {
    stop();
    rows = new Map();
    element.hidden = true;
    element.replaceChildren();
  };
  /**
   * @param {Entry} entry what is asked in every format
   * @param {{ scale: number, made: Entry }} of by how much smaller than finals the files are, and the final that is there
   */
  const run = async (entry, { scale, made }) => {
    const isCopy = entry !== made;
    clear();
    const mine = new AbortController();
    running = mine;
    rows = new Map(SOURCE_FORMATS.map(({ name, label }) => [label, rowOf(name, label, { isCopy, scale, onTake })]));
    element.replaceChildren(title(), tableOf([...rows.values()]));
    element.hidden = false;
    rows.get(made.called.answer.output.format)?.arrive(made, true);
    for (const [name, arrived] of await asSet(entry, [...rows.values()], mine.signal)) {
      [...rows.values()].find((row) => row.name === name)?.arrive(arrived);
    }
    if (mine.signal.aborted) return;
    markSmallest([...rows.values()]);
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
    stop,
    run,
    /** @param {() => void} onCompare */
    offer: (onCompare) => {
      clear();
      const button = h("button", { type: "button", class: "quiet small", onclick: onCompare }, "Compare");
      element.replaceChildren(title(), h("p", { class: "notice" }, button, " takes a credit for each format."));
      element.hidden = false;
    },
    /** @param {Entry} entry the one on show */
    mark: (entry) => {
      for (const row of rows.values()) row.mark(row.entry() === entry);
    },
  };
}

/**
 * The formats that are still missing, all by one request, which takes a third of the time of one for each. None where it
 * was refused: all formats or none is its rule, and one that cannot be made must not hide the others.
 * @param {Entry} entry
 * @param {readonly ReturnType<typeof rowOf>[]} rows
 * @param {AbortSignal} signal
 * @returns {Promise<[name: string, entry: Entry][]>}
 */
async function asSet({ source, body }, rows, signal) {
  const names = rows.filter((row) => !row.entry()).map(({ name }) => name);
  const outputs = Object.fromEntries(names.map((name) => [name, { output: { ...body?.output, format: name } }]));
  try {
    const called = await setOf(source, { ...body, outputs }, signal);
    const { outputs: made, ...answer } = called.answer;
    return names.flatMap((name) => {
      // Files of one request have names of their own; the one that is taken is as if it had been asked for alone.
      const output = made[name] && { ...made[name], name: made[name].name.replace(`-${name}.`, ".") };
      const asked = { ...body, output: { ...body?.output, format: name } };
      return output ? [[name, { source, body: asked, called: { ...called, answer: { ...answer, output } } }]] : [];
    });
  } catch {
    return [];
  }
}

/**
 * @param {Entry["source"]} source
 * @param {object} body
 * @param {AbortSignal} signal
 * @returns {Promise<Called<SetSuccess>>}
 */
function setOf(source, body, signal) {
  return submit(source, body, { signal });
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
 * @param {Of & { onTake: (entry: Entry, of: Of) => void }} of
 */
function rowOf(name, label, { isCopy, scale, onTake }) {
  /** @type {Entry | undefined} */
  let entry;
  let isFinal = !isCopy;
  let bytes = Infinity;
  const take = h("button", { type: "button", class: "link", disabled: true, "aria-label": `Take ${label}` }, label);
  take.addEventListener(
    "click",
    () => entry && onTake(entry, isFinal ? { isCopy: false, scale: 1 } : { isCopy, scale }),
  );
  const cells = [h("td", {}, "…"), h("td"), h("td")];
  const element = h("tr", {}, h("th", { scope: "row" }, take), cells);
  /** @param {readonly (string | undefined)[]} texts */
  const write = (texts) => cells.forEach((cell, index) => (cell.textContent = texts[index] ?? "–"));
  return {
    name,
    element,
    entry: () => entry,
    bytes: () => bytes,
    arrive: (/** @type {Entry} */ arrived, isMade = !isCopy) => {
      entry = arrived;
      isFinal = isMade;
      const { output } = arrived.called.answer;
      const score = output.score === undefined ? undefined : String(Math.round(output.score));
      bytes = isFinal ? output.bytes : Math.round(output.bytes / scale ** 2);
      write([
        (isFinal || scale === 1 ? "" : "≈ ") + bytesText(bytes),
        score,
        durationText(arrived.called.milliseconds),
      ]);
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
  const least = Math.min(...rows.map((row) => row.bytes()));
  for (const row of rows) row.element.classList.toggle("smallest", row.bytes() === least);
}
