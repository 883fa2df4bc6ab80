/**
 * A change of a control, shown a moment later: the request is tried out on the screen's copy of the original. What comes next
 * cancels what is under way, and the final file is made when somebody asks for it.
 */
import { QUICK_FORMATS } from "./format-lists.js";
import { patiently, sleepFor } from "./patience.js";
import { explained, resultOf, submit, submitForBytes } from "./processing.js";
import { canBeTried, scaledRequest } from "./scaled-request.js";
import { screenCopyOf } from "./screen-copy.js";

/** Milliseconds after the last change: whoever types a number is not done after its first digit. */
const AFTER_TYPING = 200;
/** What is dragged passes many values, and wants to be followed: the first at once, others this much after one another. */
const AFTER_MOVING = 100;

/**
 * @import { ScreenCopy, Visible } from "./screen-copy.js"
 * @import { Called, Source, Success, UploadBody } from "./shapes.d.ts"
 * @typedef {object} Preview
 * @property {Success} answer
 * @property {Blob | undefined} result
 * @property {number} scale by how much smaller it is than the result will be
 * @property {boolean} isFinal whether it is made of the original, and is the file itself
 * @property {number} milliseconds
 * @property {(name: string) => string | null} header
 *
 * @typedef {object} LivePorts
 * @property {() => UploadBody | undefined} body what the form says now
 * @property {(visible: Visible) => void} onVisible the original can be seen
 * @property {() => void} onChange what is on show is older than the settings
 * @property {(preview: Preview) => void} onPreview
 * @property {(seconds: number) => void} onWait the service is busy: it is asked again so much later
 * @property {(error: unknown) => void} onError
 */

/**
 * How long to wait after a control was changed: what is chosen is chosen, what is dragged or typed may go on.
 * @param {EventTarget | null} control
 */
export function waitAfter(control) {
  if (control instanceof HTMLSelectElement) return 0;
  if (!(control instanceof HTMLInputElement)) return AFTER_TYPING;
  if (control.type === "checkbox") return 0;
  return control.type === "range" || control.type === "color" ? AFTER_MOVING : AFTER_TYPING;
}

/** The settings of a form, tried out on an original. */
export class Live {
  /** @type {LivePorts} */
  #ports;
  /** @type {Source | undefined} */
  #source;
  /** @type {Promise<ScreenCopy | undefined> | undefined} */
  #copying;
  /** @type {Visible | undefined} */
  #visible;
  #ofSource = new AbortController();
  /** @type {AbortController | undefined} */
  #running;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #waiting;
  #changedAt = -Infinity;

  /** @param {LivePorts} ports */
  constructor(ports) {
    this.#ports = ports;
  }

  /** The original as it can be shown; undefined as long as it cannot. */
  get visible() {
    return this.#visible;
  }

  /** Whether a preview is awaited. */
  get isBusy() {
    return this.#waiting !== undefined || this.#running !== undefined;
  }

  /** @param {Source | undefined} source */
  take(source) {
    this.stop();
    this.#ofSource.abort();
    const { signal } = (this.#ofSource = new AbortController());
    this.#source = source;
    this.#visible = undefined;
    const onVisible = (/** @type {Visible} */ visible) => {
      this.#visible = visible;
      this.#ports.onVisible(visible);
    };
    this.#copying = source?.file && screenCopyOf(source.file, { signal, onVisible });
  }

  stop() {
    clearTimeout(this.#waiting);
    this.#waiting = undefined;
    this.#running?.abort();
    this.#running = undefined;
  }

  /**
   * What is dragged is tried out at once where nothing was changed just before.
   * @param {{ wait?: number, isTried?: boolean }} [change] how many milliseconds to wait for the next
   */
  changed({ wait = 0, isTried = true } = {}) {
    if (!this.#source) return;
    this.stop();
    this.#ports.onChange();
    const isFirst = performance.now() - this.#changedAt > AFTER_MOVING;
    this.#changedAt = performance.now();
    if (!isTried || !this.#source.file || !canBeTried(this.#ports.body())) return;
    this.#waiting = setTimeout(() => void this.#tryOut(), wait <= AFTER_MOVING && isFirst ? 0 : wait);
  }

  /** Nothing more is to be waited for: what was typed is entered. */
  hurry() {
    if (this.#waiting === undefined) return;
    clearTimeout(this.#waiting);
    void this.#tryOut();
  }

  /**
   * The request that tries out the settings as they are now; undefined where nothing can be tried out.
   * @param {{ isFollowed?: boolean, settings?: UploadBody }} [how] whether somebody waits at a control: then what takes
   * long is smaller; and settings, where they are not those of now
   */
  async asked({ isFollowed = false, settings } = {}) {
    const source = this.#source;
    const copy = await this.#copying;
    const body = settings ?? this.#ports.body();
    if (!source?.file || !copy || !canBeTried(body)) return undefined;
    const { width, height } = copy;
    const followed = isQuick(body, source.file) ? copy.followed : copy.slow;
    const sent = isFollowed ? followed : copy.screen;
    const request = scaledRequest(body, { scale: sent.scale, width, height });
    return { ...request, source: { file: request.whole ? source.file : sent.file } };
  }

  /**
   * The original with some operations done to it, to be drawn on; undefined where there is no file that can be shown.
   * @param {UploadBody} body
   * @returns {Promise<import("./editor.js").Drawn | undefined>}
   */
  async drawn(body) {
    const { signal } = this.#ofSource;
    const copy = await this.#copying;
    const visible = this.#visible;
    if (!this.#source?.file || !copy || !visible) return undefined;
    const { file, scale } = copy.screen;
    const request = scaledRequest({ ...body, analyze: ["faces", "focus"] }, { ...copy, scale });
    const source = { file: request.whole ? this.#source.file : file };
    const made = { ...request.body, output: { format: "webp" }, optimize: { quality: 90 } };
    const asked = submit(source, made, { signal });
    const seen = asked.then(seenIn, () => undefined);
    if (Object.keys(body).length === 0) {
      return { ...(await pictureOf(visible.visible)), width: copy.width, height: copy.height, seen };
    }
    const { output } = (await asked).answer;
    const result = await resultOf(output.url);
    const [width, height] = [output.width, output.height].map((side) => Math.round(side / request.scale));
    return result && { ...(await pictureOf(result)), width: width ?? 1, height: height ?? 1, seen };
  }

  async #tryOut() {
    this.#waiting = undefined;
    const mine = new AbortController();
    this.#running = mine;
    try {
      const request = await this.asked({ isFollowed: true });
      if (!request || mine.signal.aborted) return;
      const { source, body, scale, whole } = request;
      const isFinal = whole && scale === 1;
      const { signal } = mine;
      const ask = () => (isFinal ? madeOf(source, body, signal) : submitForBytes(source, body, signal));
      const sleep = (/** @type {number} */ milliseconds) => sleepFor(milliseconds, signal);
      const { result, ...made } = await patiently(ask, { onWait: this.#ports.onWait, sleep });
      if (signal.aborted) return;
      this.#ports.onPreview({ ...made, result, scale, isFinal });
    } catch (error) {
      if (!mine.signal.aborted) this.#ports.onError(error);
    } finally {
      if (this.#running === mine) this.#running = undefined;
    }
  }
}

/**
 * The file itself, which stays at an address for a while.
 * @param {Source} source
 * @param {UploadBody | undefined} body
 * @param {AbortSignal} signal
 */
async function madeOf(source, body, signal) {
  /** @type {Called<Success>} */
  const called = await submit(source, explained(body), { signal });
  return { ...called, result: await resultOf(called.answer.output.url) };
}

/**
 * @param {UploadBody | undefined} body
 * @param {File} file
 */
function isQuick(body, { type }) {
  return QUICK_FORMATS.includes(body?.output?.format ?? type.replace("image/", ""));
}

/** @param {Blob} blob */
async function pictureOf(blob) {
  const image = new Image();
  const address = URL.createObjectURL(blob);
  image.src = address;
  await image.decode().finally(() => URL.revokeObjectURL(address));
  return { image };
}

/**
 * @param {import("./shapes.d.ts").Called<Success>} called
 * @returns {import("./editor.js").Seen}
 */
function seenIn({ answer: { analysis, output } }) {
  const faces = (analysis?.faces ?? []).map(({ x, y, width, height }) => ({
    x: x / output.width,
    y: y / output.height,
    width: width / output.width,
    height: height / output.height,
  }));
  return { faces, focus: analysis?.focus };
}
