/** One picture in several formats: figures as they arrive, and a click takes one. */
import { bytesText, fill, h } from "./dom.js";
import { SOURCE_FORMATS } from "./format-lists.js";
import { patiently, sleepFor } from "./patience.js";
import { submit } from "./processing.js";

/**
 * @typedef {{ isCopy: boolean, scale: number }} Of
 * whether files are made of a copy of the original, and by how much smaller than their finals they are
 */
/**
 * @import { Growth } from "./growth.js"
 * @typedef {{ entry: Entry, scale: number, made: Entry }} Task what is asked in every format, by how much smaller than finals
 * the files are, and the final that is there
 * @typedef {object} FormatsPorts
 * @property {Growth} growth
 * @property {() => void} onMeasured
 * @property {(entry: Entry, of: Of) => void} onTake
 * @property {() => void} onCompare
 * @import { Called, Entry, SetSuccess } from "./shapes.d.ts"
 */

/** The strip of all formats below the stage. */
export class Formats {
  element = h("section", { class: "formats", "aria-labelledby": "formats-title", hidden: true });
  #note = h("div");
  /** @type {FormatsPorts} */
  #ports;
  /** @type {AbortController | undefined} */
  #running;
  /** @type {Map<string, ReturnType<typeof rowOf>>} */
  #rows = new Map();
  /** @type {Task | undefined} what is compared, until all of it is there */
  #task;
  /** What is compared, but for the format. */
  #settings = "";
  /** Whether what it shows is of settings before. */
  isOld = false;

  /** @param {FormatsPorts} ports */
  constructor(ports) {
    this.#ports = ports;
  }

  clear() {
    this.pause();
    this.#rows = new Map();
    this.#task = undefined;
    this.#setOld(false);
    this.element.hidden = true;
  }

  /**
   * @param {Entry} entry what is asked in every format
   * @param {{ scale: number, made: Entry, isLater: boolean }} of by how much smaller than finals the files are, the final that
   * is there, and whether to wait for `resume`
   */
  run(entry, { scale, made, isLater }) {
    this.clear();
    const { growth, onTake } = this.#ports;
    const of = { isCopy: entry !== made, scale, growth, onTake };
    this.#rows = new Map(SOURCE_FORMATS.map(({ name, label }) => [label, rowOf(name, label, of)]));
    this.#settings = settingsOf(made.body);
    this.element.replaceChildren(title(), tableOf([...this.#rows.values()]), this.#note);
    this.element.hidden = false;
    this.#task = { entry, scale, made };
    this.arrive(made);
    if (!isLater) this.resume();
  }

  /** Somebody waits for another picture: what is under way is asked for again afterwards. */
  pause() {
    this.#running?.abort();
    this.#running = undefined;
  }

  resume() {
    if (this.#task && !this.#running) void this.#fill(this.#task);
  }

  /** @param {Task} task */
  async #fill(task) {
    const mine = new AbortController();
    this.#running = mine;
    await fillRows([...this.#rows.values()], task, { ...this.#ports, signal: mine.signal });
    if (mine.signal.aborted) return;
    this.#task = undefined;
    this.#running = undefined;
  }

  /** @param {Entry["body"]} body the settings of now: what is there stays, and says where it is of those before */
  tell(body) {
    this.#setOld(this.#rows.size > 0 && settingsOf(body) !== this.#settings);
  }

  /** @param {boolean} isOld */
  #setOld(isOld) {
    if (isOld !== this.isOld) fill(this.#note, isOld && noteOf(this.#ports.onCompare, isOld));
    this.isOld = isOld;
    this.element.classList.toggle("old", isOld);
  }

  /** @param {() => void} onAccept where nothing is compared yet */
  offer(onAccept) {
    if (this.#rows.size > 0) return;
    this.element.replaceChildren(title(), noteOf(onAccept, false));
    this.element.hidden = false;
  }

  /** @param {Entry} entry a file that was made: it takes the place of what stood for it */
  arrive(entry) {
    if (this.isOld) return;
    this.#rows.get(entry.called.answer.output.format)?.arrive(entry, true);
    markSmallest([...this.#rows.values()]);
  }

  /** @param {string | undefined} format of what is on show; undefined where that is of another original */
  mark(format) {
    for (const row of this.#rows.values()) row.mark(row.label === format);
  }
}

/**
 * What rows of one comparison have in common.
 * @param {Entry["body"]} body
 */
function settingsOf(body) {
  return JSON.stringify({ ...body, output: { ...body?.output, format: undefined } });
}

/**
 * @param {() => void} onCompare
 * @param {boolean} isOld
 */
function noteOf(onCompare, isOld) {
  const button = h("button", { type: "button", class: "quiet small", onclick: onCompare }, "Compare");
  const old = isOld && "These are of the settings before. ";
  return h("p", { class: "notice" }, old, button, " takes a credit for each format.");
}

/**
 * Asks for the rows that are missing.
 * @param {ReturnType<typeof rowOf>[]} rows
 * @param {Task} task
 * @param {{ growth: Growth, onMeasured: () => void, signal: AbortSignal }} how
 */
async function fillRows(rows, { entry, scale, made }, { growth, onMeasured, signal }) {
  const final = made.called.answer.output;
  const finalRow = rows.find((row) => row.label === final.format);
  // What the copy takes in the format of the file that is there says by how much the others are to be enlarged.
  const isMeasured = scale < 1 && growth.bytesOf(1, scale) === undefined;
  const asked = rows.filter((row) => !row.entry() || (isMeasured && row === finalRow));
  for (const [name, arrived] of asked.length > 0 ? await asSet(entry, asked, signal) : []) {
    if (name === finalRow?.name) growth.learn(final.bytes, arrived.called.answer.output.bytes, scale);
    else rows.find((row) => row.name === name)?.arrive(arrived);
  }
  if (signal.aborted) return;
  for (const row of rows) row.write();
  markSmallest(rows);
  onMeasured();
  for (const row of rows) {
    if (row.entry()) continue;
    const body = { ...entry.body, output: { ...entry.body?.output, format: row.name } };
    try {
      const called = await unhurried(() => submit(entry.source, body, { signal }), signal);
      row.arrive({ source: entry.source, body, called });
    } catch (error) {
      if (signal.aborted) return;
      row.fail(error);
    }
    markSmallest(rows);
  }
}

/**
 * These formats, all by one request, which takes a third of the time of one for each. None where it was refused: all formats or none is its rule, and one that cannot be made must not hide the others.
 * @param {Entry} entry
 * @param {readonly ReturnType<typeof rowOf>[]} rows
 * @param {AbortSignal} signal
 * @returns {Promise<[name: string, entry: Entry][]>}
 */
async function asSet({ source, body }, rows, signal) {
  const names = rows.map(({ name }) => name);
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
  return unhurried(() => submit(source, body, { signal }), signal);
}

/**
 * Nobody waits for these figures: a busy service is asked again as late as it says.
 * @template Answer
 * @param {() => Promise<Answer>} ask
 * @param {AbortSignal} signal
 */
function unhurried(ask, signal) {
  return patiently(ask, { onWait: () => undefined, sleep: (milliseconds) => sleepFor(milliseconds, signal) });
}

function title() {
  return h("h2", { id: "formats-title" }, "Formats");
}

/** @param {ReturnType<typeof rowOf>[]} rows */
function tableOf(rows) {
  const heads = ["Format", "Bytes", "Score"].map((name) => h("th", { scope: "col" }, name));
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
 * @param {Of & { growth: Growth, onTake: (entry: Entry, of: Of) => void }} of
 */
function rowOf(name, label, { isCopy, scale, growth, onTake }) {
  /** @type {Entry | undefined} */
  let entry;
  let isFinal = !isCopy;
  let bytes = Infinity;
  const take = h("button", { type: "button", class: "link", disabled: true, "aria-label": `Take ${label}` }, label);
  take.addEventListener(
    "click",
    () => entry && onTake(entry, isFinal ? { isCopy: false, scale: 1 } : { isCopy, scale }),
  );
  const cells = [h("td", {}, "…"), h("td")];
  const element = h("tr", {}, h("th", { scope: "row" }, take), cells);
  const write = () => {
    if (!entry) return;
    const { output } = entry.called.answer;
    const known = isFinal ? output.bytes : growth.bytesOf(output.bytes, scale);
    bytes = known ?? Infinity;
    const texts = [
      known === undefined ? "not measured" : (isFinal || scale === 1 ? "" : "≈ ") + bytesText(known),
      output.score === undefined ? "–" : String(Math.round(output.score)),
    ];
    cells.forEach((cell, index) => (cell.textContent = texts[index] ?? ""));
  };
  return {
    name,
    label,
    element,
    entry: () => entry,
    bytes: () => bytes,
    write,
    arrive: (/** @type {Entry} */ arrived, isMade = !isCopy) => {
      entry = arrived;
      isFinal = isMade;
      write();
      take.disabled = false;
    },
    fail: (/** @type {unknown} */ error) => {
      const cell = h("td", { colspan: 2, class: "hint" }, error instanceof Error ? error.message : String(error));
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
  for (const row of rows) row.element.classList.toggle("smallest", row.bytes() === least && least < Infinity);
}
