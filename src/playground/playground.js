/** The page at `/`: an image goes in, both sides come out. */
import { createAccount } from "./account.js";
import { createCompare } from "./compare.js";
import { createDeliveries } from "./deliveries.js";
import { byId, copyButton, durationText, fill, h } from "./dom.js";
import { createForm } from "./form.js";
import { createFormats } from "./formats.js";
import { createHistory } from "./history.js";
import { resultOf, submit, totalOf } from "./processing.js";
import { Refusal } from "./request.js";
import { factsOf } from "./result.js";
import { apiDocument } from "./schema.js";
import { bindKey, readKey } from "./session.js";
import { createSet } from "./set.js";
import { fragmentOf, settingsIn } from "./share.js";
import { programs } from "./snippets.js";
import { createSource } from "./source.js";
import { createTabs } from "./tabs.js";

/**
 * @import { Called, Entry, Field, SetSuccess, Source, Success } from "./shapes.d.ts"
 * @typedef {object} Shown
 * @property {Source} source
 * @property {Success} answer
 * @property {string | undefined} before object URL
 * @property {Blob | undefined} result
 * @property {string | undefined} after object URL of the result
 * @property {string | undefined} rendered object URL of the result as PNG, where this browser cannot show the other
 */

const LOSSLESS = { optimize: { compression: "lossless" }, response: { mode: "binary" } };
/** What browsers show. Anything else, and a file that this browser could not show, is asked for as PNG. */
const SHOWN = ["JPEG", "PNG", "GIF", "WEBP", "AVIF", "SVG", "BMP", "ICO"];

const tabs = createTabs("Language");
const compare = createCompare({ onOriginal: showOriginal, onResult: showResult });
const source = createSource(refresh, () => void process({ compares: true }));
const formats = createFormats({ onTake: (entry) => void again(entry) });
const set = createSet();
const history = createHistory({ onShow: (entry) => void again(entry) });
const account = createAccount({ useWatermark });
const deliveries = createDeliveries({ readRequest: () => form?.read() });
/** What each view is, by its name in the address; the first is the playground itself. */
const VIEWS = { try: undefined, deliveries, account };
/** @type {Field | undefined} */
let form;
/** @type {AbortController | undefined} */
let running;
/** @type {Shown | undefined} what is on show */
let shown;

function refresh() {
  const current = source.current();
  tabs.show(
    programs({
      origin: location.origin,
      key: readKey(),
      source: current?.url === undefined ? { file: current?.file?.name ?? "photo.jpg" } : { url: current.url },
      body: form?.read(),
    }),
  );
  byId("send", HTMLButtonElement).disabled = current === undefined || running !== undefined;
}

/**
 * @param {object} [how]
 * @param {boolean} [how.compares] other formats are asked for as well
 */
async function process({ compares = false } = {}) {
  const current = source.current();
  if (!current || !form || running) return;
  running = new AbortController();
  begin();
  try {
    const body = form.read();
    /** @type {Called<Success | SetSuccess>} */
    const called = await submit(current, body, { signal: running.signal, onUpload: showUpload });
    const { answer, milliseconds } = called;
    if ("outputs" in answer) return presentSet(answer, milliseconds);
    const entry = { source: current, body, called: { ...called, answer } };
    await present(entry);
    if (!shown || body?.webhook || body?.store) return;
    if (compares) void formats.run(entry).then(() => formats.mark(entry));
    else formats.offer(entry);
  } catch (error) {
    fail(error);
  } finally {
    running = undefined;
    byId("progress-row").hidden = true;
    refresh();
  }
}

function begin() {
  byId("send", HTMLButtonElement).disabled = true;
  formats.clear();
  byId("welcome").hidden = true;
  byId("error").hidden = true;
  byId("progress-row").hidden = false;
  byId("progress").removeAttribute("value");
  byId("status").textContent = "Sending …";
}

/** @param {number} share */
function showUpload(share) {
  byId("progress", HTMLProgressElement).value = share;
  if (share < 1) return;
  byId("progress").removeAttribute("value");
  byId("status").textContent = "Processing …";
}

/** @param {unknown} error */
function fail(error) {
  const refusal = error instanceof Refusal ? error : undefined;
  byId("status").textContent = shown ? "Below is the result of the request before." : "";
  byId("error").hidden = false;
  fill(
    byId("error"),
    h("strong", {}, refusal?.status ? refusal.status : "Not sent"),
    h("span", {}, error instanceof Error ? error.message : String(error)),
    refusal?.answer?.id && h("small", {}, `Request ${refusal.answer.id}`),
  );
  byId("error").scrollIntoView({ block: "nearest" });
}

/**
 * Shows an answer; the result is fetched, so that it can be looked at and saved after its URL has expired.
 * @param {Entry} entry
 */
async function present(entry) {
  const { source: current, called } = entry;
  const { answer, header, milliseconds } = called;
  byId("answer").hidden = false;
  byId("answer-text").textContent = JSON.stringify(answer, null, 2);
  forget();
  if (answer.output === undefined) {
    byId("status").textContent = "Accepted. The answer goes to the webhook; the account page shows how far it is.";
    return;
  }
  const result = entry.result ?? (await resultOf(answer.output.url));
  entry.result = result;
  const after = result && URL.createObjectURL(result);
  const before = current.file && URL.createObjectURL(current.file);
  shown = { source: current, answer, before, result, after, rendered: undefined };
  await showPictures();
  byId("facts").replaceChildren(
    ...factsOf(answer, { milliseconds, timing: totalOf(header), blobUrl: after }).filter((part) => part !== undefined),
  );
  byId("status").textContent = `Done in ${durationText(milliseconds)}.`;
  history.add(entry);
  history.mark(entry);
  formats.mark(entry);
  byId("status").scrollIntoView({ block: matchMedia("(max-width: 800px)").matches ? "start" : "nearest" });
}

/**
 * @param {SetSuccess} answer
 * @param {number} milliseconds
 */
function presentSet(answer, milliseconds) {
  byId("answer").hidden = false;
  byId("answer-text").textContent = JSON.stringify(answer, null, 2);
  forget();
  set.show(answer);
  byId("status").textContent = `Done in ${durationText(milliseconds)}.`;
}

/**
 * Shows what was made before, with the settings that made it.
 * @param {Entry} entry
 */
async function again(entry) {
  form?.write(entry.body);
  refresh();
  byId("error").hidden = true;
  await present(entry);
}

function forget() {
  for (const url of [shown?.before, shown?.after, shown?.rendered]) if (url) URL.revokeObjectURL(url);
  shown = undefined;
  set.clear();
  compare.clear();
  byId("facts").replaceChildren();
}

async function showPictures() {
  if (!shown?.after) return;
  const { before, after, rendered, answer } = shown;
  const { width, height } = answer.output;
  await compare.show({ before, after: rendered ?? after, width, height });
}

/** Has the API make the original visible: without loss, and as PNG where browsers do not know its format. */
async function showOriginal() {
  if (!shown) return;
  const { source: asked, answer } = shown;
  const shows = asked.file === undefined && SHOWN.includes(answer.input.format);
  const output = shows ? {} : { output: { format: "png" } };
  try {
    const { bytes } = await submit(asked, { ...LOSSLESS, ...output }, { binary: true });
    if (shown?.answer !== answer) return;
    if (shown.before) URL.revokeObjectURL(shown.before);
    shown.before = URL.createObjectURL(bytes);
    await showPictures();
  } catch (error) {
    fail(error);
  }
}

/** Has the API make a result visible whose format this browser does not know; the download stays what it is. */
async function showResult() {
  if (!shown?.result) return;
  const { answer, result } = shown;
  const file = new File([result], answer.output.name);
  try {
    const { bytes } = await submit({ file }, { ...LOSSLESS, output: { format: "png" } }, { binary: true });
    if (shown.answer !== answer) return;
    shown.rendered = URL.createObjectURL(bytes);
    await showPictures();
  } catch (error) {
    fail(error);
  }
}

/** @param {string} id */
function useWatermark(id) {
  form?.write({ ...form.read(), watermark: { id, gravity: "bottom-right", padding: 24 } });
  location.hash = "#try";
  refresh();
}

function viewShown() {
  const named = location.hash.slice(1);
  return named === "account" || named === "deliveries" ? named : "try";
}

/** The settings that a link brings. */
function readLink() {
  const settings = settingsIn(location.hash);
  if (!settings) return;
  try {
    form?.write(settings);
  } catch {
    form?.write(undefined);
    fail(new Error("The settings in the address of this page cannot be read."));
  }
  refresh();
}

/** The address of the page says the settings, so that it can be passed on or kept. */
function keepInAddress() {
  const fragment = fragmentOf(form?.read());
  if (viewShown() === "try") globalThis.history.replaceState(null, "", fragment || location.pathname);
}

function showView() {
  const view = viewShown();
  for (const name of Object.keys(VIEWS)) byId(`view-${name}`).hidden = name !== view;
  for (const link of document.querySelectorAll("[data-view]")) {
    if (link.getAttribute("data-view") === view) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  void VIEWS[view]?.load();
}

async function start() {
  byId("snippets").append(tabs.element);
  byId("compare").append(compare.element);
  byId("view-deliveries").append(deliveries.element);
  byId("view-account").append(account.element);
  bindKey(byId("key", HTMLInputElement), () => {
    refresh();
    void VIEWS[viewShown()]?.load();
  });
  byId("looks").append(formats.element);
  byId("set").append(set.element);
  byId("history").append(history.element);
  byId("share").append(
    copyButton(() => location.origin + location.pathname + fragmentOf(form?.read()), "to these settings", "Copy link"),
  );
  addEventListener("hashchange", () => {
    showView();
    readLink();
  });
  showView();
  refresh();
  try {
    form = createForm(await apiDocument());
  } catch (error) {
    byId("operations").textContent = "";
    fail(error);
    return;
  }
  byId("operations").replaceChildren(form.element);
  readLink();
  byId("request").addEventListener("input", refresh);
  byId("request").addEventListener("change", keepInAddress);
  byId("request").addEventListener("submit", (event) => {
    event.preventDefault();
    void process();
  });
  byId("reset").addEventListener("click", () => {
    form?.write(undefined);
    keepInAddress();
    refresh();
  });
  byId("cancel").addEventListener("click", () => running?.abort());
  addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void process();
  });
  refresh();
}

void start();
