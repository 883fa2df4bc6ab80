/** The page at `/`: an image goes in, both sides come out. */
import { createAccount } from "./account.js";
import { Batch } from "./batch.js";
import { createBuckets } from "./buckets.js";
import { createDeliveries } from "./deliveries.js";
import { createDial } from "./dial.js";
import { byId, copyButton } from "./dom.js";
import { Editor } from "./editor.js";
import { createForm } from "./form.js";
import { Formats } from "./formats.js";
import { Growth } from "./growth.js";
import { createHistory } from "./history.js";
import { Live, waitAfter } from "./live.js";
import { explained, resultOf, submit } from "./processing.js";
import { createPurposes } from "./purposes.js";
import { clearRefusal, showRefusal } from "./refusals.js";
import { apiDocument } from "./schema.js";
import { bindKey, readKey } from "./session.js";
import { fragmentOf, settingsIn } from "./share.js";
import { Showcase } from "./showcase.js";
import { isShownType } from "./shown-formats.js";
import { programs } from "./snippets.js";
import { createSource } from "./source.js";
import { createTabs } from "./tabs.js";
import { createTakeaway } from "./takeaway.js";

/**
 * @import { Preview } from "./live.js"
 * @import { Called, Entry, Field, SetSuccess, Success, UploadBody } from "./shapes.d.ts"
 */

const tabs = createTabs("Language");
const dial = createDial({ onTurn: turnTo });
const takeaway = createTakeaway({
  copy: copyButton(tabs.text, "the program of this request", "Copy code"),
  onMake: () => void process(),
});
const growth = new Growth();
const showcase = new Showcase({ dial, takeaway, growth, onError: fail });
const source = createSource(
  sourceChanged,
  () => void process({ compares: true }),
  (files) => {
    byId("welcome").hidden = true;
    void batch.add(files);
  },
);
const batch = new Batch({ read: () => form?.read(), onOpen: (file) => source.take(file) });
const purposes = createPurposes({ read: () => form?.read(), onPick: (body) => set(body) });
const formats = new Formats({
  growth,
  onMeasured: () => showcase.tellBytes(),
  onTake: (entry, of) => void take(entry, of),
  onCompare: compareAnew,
});
const history = createHistory({ onShow: (entry) => void again(entry) });
const live = new Live({
  body: () => form?.read(),
  onVisible: (visible) => {
    editor.clear(source.current()?.file !== undefined);
    void showcase.showOriginal(visible);
  },
  onChange: () => {
    formats.tell(form?.read());
    if (byId("live", HTMLInputElement).checked) formats.pause();
    showcase.markOld();
  },
  onPreview: (preview) => void presentPreview(preview),
  onWait: (seconds) => showcase.tellWait(seconds),
  onError: (error) => {
    showRefusal(error);
    formats.resume();
  },
});
const editor = new Editor({
  read: () => form?.read() ?? {},
  write: (body, isDone) => (isDone ? set(body) : writeForm(body)),
  draw: (before) => live.drawn(before),
  onToggle: (isOpen) => byId("compare").classList.toggle("editing", isOpen),
  onError: showRefusal,
});
const account = createAccount({ useWatermark });
const deliveries = createDeliveries({ readRequest: () => form?.read() });
const buckets = createBuckets({ readRequest: () => form?.read() });
/** What each view is, by its name in the address; the first is the playground itself. */
const VIEWS = { try: undefined, deliveries, buckets, account };
/** @type {Field | undefined} */
let form;
/** @type {AbortController | undefined} */
let running;
/** Whether the form is written by this page, and not by whoever sits before it. */
let isWriting = false;

/** What is under way is not wanted any more. */
function cancel() {
  running?.abort();
  running = undefined;
  byId("progress-row").hidden = true;
}

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

/** Another original: what is on show is not of it. */
function sourceChanged() {
  const current = source.current();
  cancel();
  formats.clear();
  growth.clear();
  showcase.clear();
  editor.clear(false);
  byId("welcome").hidden = current !== undefined;
  // What no browser shows comes out in a format that all of them do.
  if (current?.file && !isShownType(current.file.type) && form && !form.read()?.output?.format) {
    writeForm({ ...form.read(), output: { ...form.read()?.output, format: "auto" } });
  }
  live.take(current);
  refresh();
}

/** @param {UploadBody | undefined} body */
function writeForm(body) {
  isWriting = true;
  try {
    form?.write(body);
  } finally {
    isWriting = false;
  }
  settingsShown();
  keepInAddress();
}

/** What stands beside the form says the same. */
function settingsShown() {
  const body = form?.read();
  dial.write(body?.optimize);
  purposes.mark(body);
}

/**
 * A control was moved.
 * @param {Pick<Event, "target">} [event]
 */
function formChanged({ target } = { target: null }) {
  if (isWriting) return;
  refresh();
  settingsShown();
  cancel();
  live.changed({ wait: target ? waitAfter(target) : 0, isTried: byId("live", HTMLInputElement).checked });
}

/**
 * Settings that were not made in the form: they are written into it, and tried out.
 * @param {UploadBody | undefined} body
 * @param {number} [wait]
 */
function set(body, wait = 0) {
  writeForm(body);
  refresh();
  cancel();
  live.changed({ wait, isTried: byId("live", HTMLInputElement).checked });
}

/** @param {import("./dial.js").Preset | undefined} preset */
function turnTo(preset) {
  const { optimize, ...rest } = form?.read() ?? {};
  const { effort } = optimize ?? {};
  const wanted = { ...(effort && { effort }), ...(preset && { compression: preset }) };
  writeForm(Object.keys(wanted).length === 0 ? rest : { ...rest, optimize: wanted });
  refresh();
  cancel();
  live.changed({ wait: waitAfter(byId("dial")) });
}

/**
 * @param {object} [how]
 * @param {boolean} [how.compares] other formats are asked for as well
 */
async function process({ compares = false } = {}) {
  const current = source.current();
  if (!current || !form) return;
  live.stop();
  cancel();
  const mine = new AbortController();
  running = mine;
  begin();
  try {
    const body = form.read();
    /** @type {Called<Success | SetSuccess>} */
    const called = await submit(current, explained(body), { signal: mine.signal, onUpload: showUpload });
    const { answer } = called;
    if ("outputs" in answer) return showcase.showSet({ ...called, answer });
    const entry = { source: current, body, called: { ...called, answer } };
    await present(entry);
    if (!showcase.hasResult || body?.webhook || body?.store) return;
    if (compares) void compareFormats(entry);
    else formats.offer(() => void compareFormats(entry));
  } catch (error) {
    if (!mine.signal.aborted) fail(error);
    else if (running === mine) byId("status").textContent = "Canceled.";
  } finally {
    if (running === mine || running === undefined) {
      running = undefined;
      byId("progress-row").hidden = true;
      refresh();
      formats.resume();
    }
  }
}

/**
 * What other formats make of the picture: of a large one on the screen's copy of it, since all of them at once take a while.
 * @param {Entry} entry
 */
async function compareFormats(entry) {
  const request = await live.asked({ settings: entry.body ?? {} });
  if (entry.source !== source.current()) return;
  const isCopy = request !== undefined && !request.whole;
  formats.run(isCopy ? { ...entry, source: request.source, body: request.body } : entry, {
    scale: isCopy ? request.scale : 1,
    made: entry,
    isLater: live.isBusy,
  });
  formats.mark(entry.called.answer.output.format);
  formats.tell(form?.read());
}

function compareAnew() {
  void process({ compares: true });
}

/**
 * A format was taken from the strip: the settings name it from now on.
 * @param {Entry} entry
 * @param {{ isCopy: boolean, scale: number }} of
 */
async function take(entry, { isCopy, scale }) {
  const wanted = { ...form?.read(), output: { ...form?.read()?.output, format: entry.body?.output?.format } };
  // The strip is of settings before: the format is tried out with those of now.
  if (formats.isOld) return set(wanted);
  if (!isCopy) return again(entry);
  const { answer, header, milliseconds } = entry.called;
  live.stop();
  writeForm(wanted);
  refresh();
  entry.result ??= await resultOf(answer.output.url);
  const original = live.visible;
  const preview = { answer, result: entry.result, scale, isFinal: false, milliseconds, header };
  if (original) await showcase.showPreview(preview, entry.source, original);
  formats.mark(answer.output.format);
}

function begin() {
  byId("send", HTMLButtonElement).disabled = true;
  formats.pause();
  byId("welcome").hidden = true;
  clearRefusal();
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
  byId("status").textContent = showcase.hasResult ? "Below is the result of the request before." : "";
  showRefusal(error, { isAsked: true });
}

/** @param {Entry} entry */
async function present(entry) {
  const original = () => (entry.source === source.current() ? live.visible : undefined);
  if (!(await showcase.showEntry(entry, original))) return;
  history.add(entry);
  history.mark(entry);
  const isOfThis = entry.source === source.current();
  formats.tell(entry.body);
  if (isOfThis) formats.arrive(entry);
  formats.mark(isOfThis ? entry.called.answer.output.format : undefined);
}

/** @param {Preview} preview */
async function presentPreview(preview) {
  const current = source.current();
  const original = live.visible;
  if (!current || !original) return;
  await showcase.showPreview(preview, current, original);
  formats.mark(preview.answer.output.format);
  formats.resume();
  formats.offer(compareAnew);
}

/**
 * Shows what was made before, with the settings that made it.
 * @param {Entry} entry
 */
async function again(entry) {
  live.stop();
  writeForm(entry.body);
  refresh();
  clearRefusal();
  await present(entry);
}

/** @param {string} id */
function useWatermark(id) {
  writeForm({ ...form?.read(), watermark: { id, gravity: "bottom-right", padding: 24 } });
  location.hash = "#try";
  refresh();
}

/** @returns {keyof typeof VIEWS} */
function viewShown() {
  const named = /** @type {keyof typeof VIEWS} */ (location.hash.slice(1));
  return Object.hasOwn(VIEWS, named) ? named : "try";
}

/** The settings that a link brings. */
function readLink() {
  const settings = settingsIn(location.hash);
  if (!settings) return;
  try {
    writeForm(settings);
  } catch {
    writeForm(undefined);
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
  byId("compare").append(editor.bar, editor.element, showcase.element, dial.element);
  byId("view-deliveries").append(deliveries.element);
  byId("view-buckets").append(buckets.element);
  byId("view-account").append(account.element);
  bindKey(byId("key", HTMLInputElement), () => {
    refresh();
    void VIEWS[viewShown()]?.load();
  });
  byId("looks").append(formats.element);
  byId("set").append(showcase.setElement);
  byId("batch").append(batch.element);
  byId("take").append(takeaway.element);
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
  byId("operations").replaceChildren(purposes.element, form.element);
  settingsShown();
  readLink();
  if (await batch.resume()) byId("welcome").hidden = true;
  byId("operations").addEventListener("input", formChanged);
  byId("request").addEventListener("change", keepInAddress);
  byId("operations").addEventListener("change", () => live.hurry());
  byId("request").addEventListener("submit", (event) => {
    event.preventDefault();
    void process();
  });
  byId("reset").addEventListener("click", () => set(undefined));
  byId("cancel").addEventListener("click", () => running?.abort());
  addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void process();
  });
  refresh();
  // What was chosen while the page was still loading.
  if (source.current()?.file) void process({ compares: true });
}

void start();
