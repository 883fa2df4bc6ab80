/** A batch on the page of buckets: shown as it goes, and steered. */
import { countFigures, estimateFigures, progressText, shareOf } from "./bucket-figures.js";
import { section, smallButton, sureButton } from "./cards.js";
import { fill, h, moment } from "./dom.js";

/**
 * @import { BatchFound, BatchRecord, Child } from "./shapes.d.ts"
 * @typedef {"pause" | "resume" | "cancel"} Order
 * @typedef {object} BatchCard
 * @property {HTMLElement} element
 * @property {() => BatchRecord} batch
 * @property {(found: Pick<BatchFound, "batch"> & Partial<BatchFound>) => boolean} show shows what is new; whether the state is another one
 */

/** @param {BatchRecord["state"]} state */
export function isAtWork(state) {
  return state === "listing" || state === "running";
}

/**
 * What a batch is about, in words.
 * @param {BatchRecord} batch
 * @param {(id: string) => string} named the name of a connector
 */
export function titleOf({ source, target, dry_run: isDryRun }, named) {
  const place = (/** @type {{ connector: string, prefix: string }} */ { connector, prefix }) =>
    `${named(connector)}/${prefix}`;
  return `${isDryRun ? "Estimate of " : ""}${place(source)}${target === "in-place" ? ", in place" : ` to ${place(target)}`}`;
}

/**
 * @param {BatchRecord} first
 * @param {object} ports
 * @param {(id: string) => string} ports.named
 * @param {(order: Order) => Promise<void>} ports.steer
 * @returns {BatchCard}
 */
export function createBatchCard(first, { named, steer }) {
  const title = titleOf(first, named);
  let batch = first;
  const bar = h("progress", { "aria-label": `Progress of ${title}`, max: 1 });
  const state = h("span", { class: "state" });
  const told = h("span", { class: "hint" });
  const figures = h("div", { class: "entries" });
  const reason = h("p", { class: "hint" });
  const failures = h("ul", { class: "rows" });
  const failed = h("details", { hidden: true }, h("summary", {}, "Last failures"), failures);
  const pause = smallButton("Pause", `Pause ${title}`, () => void steer(isAtWork(batch.state) ? "pause" : "resume"));
  const cancel = sureButton("Cancel", `Cancel ${title}`, () => steer("cancel"));
  const actions = h("div", { class: "row-actions" }, pause, cancel);
  const element = section(`batch-${first.id}`, title, [
    h("p", {}, state, " ", told),
    bar,
    reason,
    figures,
    failed,
    actions,
    h("p", { class: "hint" }, "Begun ", moment(first.created_at), ", ", h("code", {}, first.id)),
  ]);
  /** @type {BatchCard["show"]} */
  const show = (found) => {
    const isOther = found.batch.state !== batch.state;
    batch = found.batch;
    state.textContent = batch.state;
    state.className = `state ${CLASSES[batch.state] ?? ""}`;
    told.textContent = progressText(batch);
    const share = shareOf(batch);
    if (share === undefined) bar.removeAttribute("value");
    else bar.value = share;
    bar.hidden = !isAtWork(batch.state);
    reason.hidden = batch.reason === undefined;
    reason.textContent = batch.reason ?? "";
    fill(figures, batch.estimate ? estimateFigures(batch.estimate) : !batch.dry_run && countFigures(batch));
    if (found.failures) fill(failures, found.failures.map(failureRow));
    failed.hidden = !failures.hasChildNodes();
    showActions();
    return isOther;
  };
  function showActions() {
    const isOver = batch.state === "done" || batch.state === "canceled";
    const hadFocus = actions.contains(document.activeElement);
    const word = isAtWork(batch.state) ? "Pause" : "Resume";
    if (pause.textContent !== word) pause.textContent = word;
    pause.setAttribute("aria-label", `${word} ${title}`);
    actions.hidden = isOver;
    // A button that is gone leaves the focus nowhere.
    if (isOver && hadFocus) element.querySelector("h2")?.focus();
  }
  show({ batch });
  return { element, batch: () => batch, show };
}

/** @type {Readonly<Partial<Record<BatchRecord["state"], string>>>} */
const CLASSES = { done: "delivered", failed: "failed" };

/** @param {BatchFound["failures"][number]} failure */
function failureRow({ key, reason, at }) {
  /** @type {Child} */
  const about = [h("strong", {}, key), h("span", {}, reason), h("span", { class: "hint" }, moment(at))];
  return h("li", {}, h("div", {}, about));
}
