/** What is on show: the original, its result, a preview of one, or several results; and what is said about them. */
import { createCompare } from "./compare.js";
import { byId, durationText } from "./dom.js";
import { resultOf, submit, totalOf } from "./processing.js";
import { clearRefusal } from "./refusals.js";
import { factsOf } from "./result.js";
import { createSet } from "./set.js";
import { isShown } from "./shown-formats.js";

/**
 * @import { createDial } from "./dial.js"
 * @import { createTakeaway } from "./takeaway.js"
 * @import { Growth } from "./growth.js"
 * @import { Preview } from "./live.js"
 * @import { Visible } from "./screen-copy.js"
 * @import { Called, Entry, SetSuccess, Source, Success } from "./shapes.d.ts"
 * @typedef {object} Shown
 * @property {Source} source
 * @property {Success} answer
 * @property {string | HTMLImageElement | undefined} before the original, decoded, or its object URL
 * @property {Blob | undefined} result
 * @property {string | undefined} after object URL of the result
 * @property {string | undefined} rendered object URL of the result as PNG, where this browser cannot show the other
 * @property {number} scale by how much smaller it is than the result will be: below 1 for a preview
 */

const LOSSLESS = { optimize: { compression: "lossless" }, response: { mode: "binary" } };
/** What is on show; the stage stays as it is until something takes its place. */
export class Showcase {
  #compare = createCompare({ onOriginal: () => this.#askOriginal(), onResult: () => this.#askResult() });
  #set = createSet();
  /** @type {ReturnType<typeof createDial>} */
  #dial;
  /** @type {ReturnType<typeof createTakeaway>} */
  #takeaway;
  /** @type {Growth} */
  #growth;
  /** @type {(error: unknown) => void} */
  #onError;
  /** @type {Shown | undefined} */
  #shown;

  /**
   * @param {object} ports
   * @param {ReturnType<typeof createDial>} ports.dial
   * @param {ReturnType<typeof createTakeaway>} ports.takeaway
   * @param {Growth} ports.growth
   * @param {(error: unknown) => void} ports.onError
   */
  constructor({ dial, takeaway, growth, onError }) {
    this.#growth = growth;
    this.#dial = dial;
    this.#takeaway = takeaway;
    this.#onError = onError;
  }

  get element() {
    return this.#compare.element;
  }

  get setElement() {
    return this.#set.element;
  }

  /** Whether there is a result on show. */
  get hasResult() {
    return this.#shown !== undefined;
  }

  clear() {
    this.#forget();
    this.#compare.clear();
    this.#dial.clear();
  }

  markOld() {
    if (!this.#shown?.after) return;
    this.#compare.markOld(true);
    say("The settings have changed: below is the result of the request before.");
  }

  /** @param {number} seconds until the service is asked again */
  tellWait(seconds) {
    say(`The service is busy: the preview is asked for again in ${seconds} s.`);
  }

  /** @param {Visible} original */
  async showOriginal({ visible, image, width, height }) {
    const shown = this.#shown;
    if (shown) {
      // The result was there first: what this browser cannot decode had to be made visible.
      if (visible === shown.source.file) return;
      release(shown.before);
      shown.before = image;
      return this.#showPictures(shown);
    }
    await this.#compare.show({ before: image, after: undefined, width, height });
  }

  /** What bytes a preview stands for has become known. */
  tellBytes() {
    const shown = this.#shown;
    if (!shown || shown.scale >= 1) return;
    this.#tellDial(shown);
    this.#tellTaken(shown, false);
  }

  /** @param {Pick<Shown, "answer" | "scale">} shown */
  #tellDial({ answer, scale }) {
    const { width, height, bytes } = answer.output;
    this.#dial.show(answer, { scale, side: Math.max(width, height), bytes: this.#growth.bytesOf(bytes, scale) });
  }

  /**
   * @param {Pick<Shown, "answer" | "scale" | "after">} shown
   * @param {boolean} isFinal
   */
  #tellTaken({ answer, scale, after }, isFinal) {
    const bytes = this.#growth.bytesOf(answer.output.bytes, scale);
    this.#takeaway.show(answer, { bytes, isExact: scale >= 1, isFinal, blobUrl: after });
  }

  /**
   * @param {Preview} preview
   * @param {Source} source
   * @param {Visible} original
   */
  async showPreview({ answer, result, scale, isFinal, milliseconds, header }, source, original) {
    clearRefusal();
    const called = { answer, milliseconds, header };
    await this.#show({ source, answer, result, scale, before: original.image });
    if (isFinal) this.#showFacts(called);
    this.#tellTaken({ answer, scale, after: this.#shown?.after }, isFinal);
    say(isFinal ? `Done in ${durationText(milliseconds)}.` : "A preview of the changed settings.");
  }

  /**
   * Shows an answer; the result is fetched, so that it can be looked at and saved after its URL has expired.
   * @param {Entry} entry
   * @param {() => Visible | undefined} original asked when the result is there: it may have become visible meanwhile
   * @returns {Promise<boolean>} whether there is a result: what goes to a webhook comes later
   */
  async showEntry(entry, original) {
    const { source, called } = entry;
    const { answer, milliseconds } = called;
    showAnswer(answer);
    if (answer.output === undefined) {
      this.#forget();
      say("Accepted. The answer goes to the webhook; the account page shows how far it is.");
      return false;
    }
    entry.result ??= await resultOf(answer.output.url);
    const before = original()?.image ?? (source.file && URL.createObjectURL(source.file));
    await this.#show({ source, answer, result: entry.result, scale: 1, before });
    this.#showFacts(called);
    this.#tellTaken({ answer, scale: 1, after: this.#shown?.after }, true);
    say(`Done in ${durationText(milliseconds)}.`);
    byId("status").scrollIntoView({ block: matchMedia("(max-width: 800px)").matches ? "start" : "nearest" });
    return true;
  }

  /** @param {Pick<Called<SetSuccess>, "answer" | "milliseconds">} called */
  showSet({ answer, milliseconds }) {
    showAnswer(answer);
    this.clear();
    this.#set.show(answer);
    say(`Done in ${durationText(milliseconds)}.`);
  }

  /** @param {Pick<Shown, "source" | "answer" | "before" | "result" | "scale">} what */
  async #show({ result, ...rest }) {
    this.#forget();
    const after = result && URL.createObjectURL(result);
    this.#shown = { ...rest, result, after, rendered: undefined };
    await this.#showPictures(this.#shown);
  }

  /** @param {Shown} shown */
  async #showPictures({ before, after, rendered, answer, scale }) {
    if (!after) return this.#compare.clear();
    const { width, height } = answer.output;
    const size = { width: Math.round(width / scale), height: Math.round(height / scale) };
    await this.#compare.show({ before, after: rendered ?? after, ...size });
    this.#tellDial({ answer, scale });
  }

  #forget() {
    for (const picture of [this.#shown?.before, this.#shown?.after, this.#shown?.rendered]) release(picture);
    this.#shown = undefined;
    this.#set.clear();
    this.#takeaway.clear();
    byId("facts").replaceChildren();
  }

  /** Has the API make the original visible: without loss, and as PNG where browsers do not know its format. */
  async #askOriginal() {
    const shown = this.#shown;
    if (!shown) return;
    const shows = shown.source.file === undefined && isShown(shown.answer.input.format);
    const output = shows ? {} : { output: { format: "png" } };
    const bytes = await this.#visible(shown, shown.source, { ...LOSSLESS, ...output });
    if (!bytes) return;
    release(shown.before);
    shown.before = URL.createObjectURL(bytes);
    await this.#showPictures(shown);
  }

  /** Has the API make a result visible whose format this browser does not know; the download stays what it is. */
  async #askResult() {
    const shown = this.#shown;
    if (!shown?.result) return;
    const file = new File([shown.result], shown.answer.output.name);
    const bytes = await this.#visible(shown, { file }, { ...LOSSLESS, output: { format: "png" } });
    if (!bytes) return;
    shown.rendered = URL.createObjectURL(bytes);
    await this.#showPictures(shown);
  }

  /**
   * Bytes that this browser shows; undefined where something else is on show by then.
   * @param {Shown} shown
   * @param {Source} source
   * @param {object} body
   */
  async #visible(shown, source, body) {
    try {
      const { bytes } = await submit(source, body, { binary: true });
      return this.#shown === shown ? bytes : undefined;
    } catch (error) {
      this.#onError(error);
      return undefined;
    }
  }

  /** @param {Pick<Called<Success>, "answer" | "milliseconds" | "header">} called */
  #showFacts({ answer, milliseconds, header }) {
    showAnswer(answer);
    const facts = factsOf(answer, { milliseconds, timing: totalOf(header) });
    byId("facts").replaceChildren(...facts.filter((part) => part !== undefined));
  }
}

/** @param {string | HTMLImageElement | undefined} picture */
function release(picture) {
  if (typeof picture === "string") URL.revokeObjectURL(picture);
}

/** @param {string} text */
function say(text) {
  byId("status").textContent = text;
}

/** @param {Success | SetSuccess} answer */
function showAnswer(answer) {
  byId("answer").hidden = false;
  byId("answer-text").textContent = JSON.stringify(answer, null, 2);
}
