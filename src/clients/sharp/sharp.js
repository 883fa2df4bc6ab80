/**
 * Chains with sharp's names, for programs that make pictures with sharp and are to run where it cannot: what a chain asks
 * for is sent to the service. What is not offered throws by its name.
 */
import { Buffer } from "node:buffer";
import { Duplex } from "node:stream";

import { createClient } from "@darkroom-images/client";

import { metadataOf } from "./header.js";
import { Source } from "./source.js";
import { checkFit, gravityOf, hexOf, joins, stepsOf, uprightStep } from "./steps.js";
import { FORMATS, MISSING, notOffered, OPTIONS, READ_ONLY, regionOf, sideOf, STATICS, TOLD } from "./words.js";

/** @import { Success, UploadBody } from "@darkroom-images/client/api-types" */
/** @import { Metadata } from "./header.js" */
/** @import { Calls, Members, Region, ResizeOptions } from "./steps.js" */

/**
 * Where pictures are made: a service binding to the entrance `Images`, or the address of the service with a key.
 * @typedef {{ service: { fetch: typeof fetch } } | { baseURL: string | URL, key: string, fetch?: typeof fetch }} Place
 */

/** @typedef {string | ArrayBuffer | ArrayBufferView | Options | null | undefined} Input */

/**
 * @typedef {object} Options
 * @property {boolean} [animated] All frames; the first alone unless it is said.
 * @property {number} [pages] The same: -1 is all.
 * @property {boolean} [autoOrient]
 */

/**
 * What is said of a result.
 * @typedef {object} Info
 * @property {string} format
 * @property {number} size
 * @property {number} width
 * @property {number} height Of all frames under each other.
 * @property {number} channels
 * @property {boolean} premultiplied
 * @property {boolean} hasAlpha
 * @property {number} [pages]
 * @property {number} [pageHeight]
 */

/** @typedef {{ data: Buffer, info: Info }} Made */
/** @typedef {{ isOpaque: boolean, dominant: { r: number, g: number, b: number } }} Stats */
/** @typedef {{ upload: (file: Uint8Array<ArrayBuffer>, body: UploadBody) => Promise<{ metadata: Success, arrayBuffer: () => Promise<ArrayBuffer> }> }} Client */
/** @typedef {Record<string, any>} FormatOptions */

/** Between two requests of one chain nothing is lost: pixels as they are, in a format that holds animations as well. */
const BETWEEN = { still: "png", animated: "webp" };

/** A chain. Writes are the original where none was given, reads are the result. */
export class Sharp extends Duplex {
  /** @type {Client} */
  #client;
  /** @type {Source} */
  #source;
  #hasAllFrames = false;
  #isReading = false;
  /** @type {Calls} */
  #calls = { upright: false, angle: 0, turnsFirst: false, flip: false, flop: false };
  /** @type {string | undefined} */
  #format;
  /** @type {FormatOptions} */
  #formatOptions = {};
  /** @type {Members} */
  #kept = {};

  /**
   * @param {Client} client
   * @param {Input} [input]
   * @param {Options} [options]
   */
  constructor(client, input, options) {
    super();
    this.#client = client;
    const isOptions =
      typeof input === "object" && input !== null && !(input instanceof ArrayBuffer) && !ArrayBuffer.isView(input);
    const given = /** @type {Options & Record<string, unknown>} */ ((isOptions ? input : options) ?? {});
    for (const name of Object.keys(given)) {
      if (!OPTIONS.includes(name) && given[name] !== undefined) throw notOffered(`The option ${name}`);
    }
    if ((given["page"] ?? 0) !== 0 || ![undefined, 1, -1].includes(given.pages))
      throw notOffered("A part of the pages");
    this.#source = new Source(isOptions ? undefined : input);
    this.#hasAllFrames = given.animated === true || given.pages === -1;
    this.#calls.upright = given.autoOrient === true;
  }

  // oxlint-disable no-underscore-dangle -- names of Node
  /** @param {Uint8Array} chunk @param {string} _ @param {(error?: Error) => void} done */
  _write(chunk, _, done) {
    if (!this.#source.isPiped) return done(new Error("Unexpected data on Writable Stream"));
    this.#source.take(chunk);
    done();
  }

  /** @param {() => void} done */
  _final(done) {
    this.#source.end();
    done();
  }

  _read() {
    if (this.#isReading) return;
    this.#isReading = true;
    this.#make().then(
      ({ data, info }) => {
        this.emit("info", info);
        this.push(data);
        this.push(null);
      },
      (/** @type {Error} */ error) => this.destroy(error),
    );
  }
  // oxlint-enable no-underscore-dangle

  /** The same calls on the same original, to which others are added. */
  clone() {
    const copy = new Sharp(this.#client);
    copy.#source = this.#source;
    copy.#hasAllFrames = this.#hasAllFrames;
    copy.#calls = { ...this.#calls };
    copy.#format = this.#format;
    copy.#formatOptions = this.#formatOptions;
    copy.#kept = this.#kept;
    return copy;
  }

  autoOrient() {
    this.#calls.upright = true;
    return this;
  }

  /** @param {number} [angle] Whole degrees; without it as EXIF says. @param {{ background?: unknown }} [options] */
  rotate(angle, { background } = {}) {
    if (angle === undefined || angle === null) return this.autoOrient();
    if (!Number.isInteger(angle)) throw notOffered("rotate by parts of a degree");
    this.#calls.angle = ((angle % 360) + 360) % 360;
    this.#calls.behind = background;
    return this;
  }

  /** @param {boolean} [value] */
  flip(value = true) {
    this.#calls.flip = value;
    return this;
  }

  /** @param {boolean} [value] */
  flop(value = true) {
    this.#calls.flop = value;
    return this;
  }

  /** @param {{ threshold?: number, background?: unknown, margin?: number, lineArt?: boolean }} [options] */
  trim({ threshold = 10, background, margin, lineArt = false } = {}) {
    if (lineArt) throw notOffered("trim with lineArt");
    const color = background === undefined ? {} : { color: hexOf(background, "background") };
    this.#calls.trim = { threshold, ...color, ...(margin !== undefined && { padding: margin }) };
    return this.#turnedBefore();
  }

  /** @param {Region} region */
  extract(region) {
    const isLate = this.#calls.resize !== undefined || this.#calls.before !== undefined;
    this.#calls[isLate ? "after" : "before"] = regionOf(region);
    return this.#calls.resize === undefined ? this.#turnedBefore() : this;
  }

  /** @param {number | ResizeOptions | null} [width] @param {number | null} [height] @param {ResizeOptions} [options] */
  resize(width, height, options) {
    const isObject = typeof width === "object" && width !== null;
    const given = /** @type {ResizeOptions} */ (options ?? (isObject ? width : {}));
    const wide = sideOf("width", given.width ?? (isObject ? undefined : width));
    const high = sideOf("height", given.height ?? height);
    checkFit(given.fit);
    gravityOf(given.position);
    if (given.background !== undefined) hexOf(given.background, "background");
    if (wide === undefined && high === undefined) return this;
    this.#calls.resize = { ...this.#calls.resize, ...given, width: wide, height: high };
    return this.#turnedBefore();
  }

  #turnedBefore() {
    if (this.#calls.angle !== 0) this.#calls.turnsFirst = true;
    return this;
  }

  /** @param {number | { top?: number, right?: number, bottom?: number, left?: number, background?: unknown, extendWith?: string }} extend */
  extend(extend) {
    const all = typeof extend === "number" ? { top: extend, right: extend, bottom: extend, left: extend } : extend;
    const {
      top = 0,
      right = 0,
      bottom = 0,
      left = 0,
      extendWith = "background",
      ...rest
    } = /** @type {FormatOptions} */ (all);
    if (extendWith !== "background") throw notOffered(`extend with ${extendWith}`);
    this.#calls.extend = { top, right, bottom, left, ...rest };
    return this;
  }

  /** @param {boolean | { background?: unknown }} [options] */
  flatten(options = true) {
    const { background = "black" } = typeof options === "object" ? options : {};
    if (options === false) delete this.#calls.flatten;
    else this.#calls.flatten = hexOf(background, "background").slice(0, 6);
    return this;
  }

  /** @param {string | { id: string }} format @param {FormatOptions} [options] */
  toFormat(format, options = {}) {
    const name = typeof format === "object" ? format.id : format;
    const own = Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined;
    if (own === undefined)
      throw new Error(`Expected one of: ${Object.keys(FORMATS).join(", ")} for format but received ${name}`);
    const { quality } = options;
    if (quality !== undefined && !(Number.isInteger(quality) && quality >= 1 && quality <= 100)) {
      throw new Error(
        `Expected integer between 1 and 100 for quality but received ${quality} of type ${typeof quality}`,
      );
    }
    this.#format = own === "heic" && (options["compression"] ?? "av1") === "av1" ? "avif" : own;
    this.#formatOptions = options;
    return this;
  }

  /** @param {FormatOptions} [options] */
  jpeg = (options) => this.toFormat("jpeg", options);
  /** @param {FormatOptions} [options] */
  png = (options) => this.toFormat("png", options);
  /** @param {FormatOptions} [options] */
  webp = (options) => this.toFormat("webp", options);
  /** @param {FormatOptions} [options] */
  avif = (options) => this.toFormat("avif", options);
  /** @param {FormatOptions} [options] */
  heif = (options) => this.toFormat("heif", options);
  /** @param {FormatOptions} [options] */
  gif = (options) => this.toFormat("gif", options);
  /** @param {FormatOptions} [options] */
  tiff = (options) => this.toFormat("tiff", options);
  /** @param {FormatOptions} [options] */
  jxl = (options) => this.toFormat("jxl", options);

  /** EXIF, XMP and IPTC are kept. @param {object} [options] */
  withMetadata(options = {}) {
    const [name] = Object.keys(options);
    if (name !== undefined) throw notOffered(`withMetadata with ${name}`);
    this.#kept = { ...this.#kept, metadata: "all" };
    return this;
  }

  keepMetadata() {
    this.#kept = { metadata: "all", profile: "keep" };
    return this;
  }

  keepExif() {
    return this.withMetadata();
  }

  keepIccProfile() {
    this.#kept = { ...this.#kept, profile: "keep" };
    return this;
  }

  /**
   * What the header of the original says, whatever is asked of the result.
   * @param {(error: unknown, metadata?: Metadata) => void} [callback]
   * @returns {Promise<Metadata>}
   */
  metadata(callback) {
    return answered(callback, async () => metadataOf(await this.#source.bytes, this.#hasAllFrames));
  }

  /**
   * Decodes the original, and says what the service measures of it.
   * @param {(error: unknown, stats?: Stats) => void} [callback]
   * @returns {Promise<Stats>}
   */
  stats(callback) {
    return answered(callback, async () => {
      const { metadata } = await this.#client.upload(await this.#source.bytes, {
        resize: { width: 64, height: 64, mode: "exact" },
        analyze: ["color"],
        output: { format: "png" },
        optimize: { lossless: true },
        response: { mode: "binary", keep: false },
      });
      const hex = Number.parseInt(String(metadata.analysis?.color ?? "").replace("#", ""), 16);
      const stats = { isOpaque: !metadata.output.alpha, dominant: { r: hex >> 16, g: (hex >> 8) & 255, b: hex & 255 } };
      for (const name of ["channels", "entropy", "sharpness"]) {
        Object.defineProperty(stats, name, {
          get: () => {
            throw notOffered(`stats().${name}`);
          },
        });
      }
      return stats;
    });
  }

  /**
   * @overload
   * @param {{ resolveWithObject: true }} options
   * @returns {Promise<Made>}
   */
  /**
   * @overload
   * @param {{ resolveWithObject?: false } | ((error: unknown, data?: Buffer, info?: Info) => void)} [options]
   * @returns {Promise<Buffer>}
   */
  /** @param {{ resolveWithObject?: boolean } | ((error: unknown, data?: Buffer, info?: Info) => void)} [options] */
  async toBuffer(options) {
    if (typeof options === "function") {
      await this.#make().then(({ data, info }) => options(null, data, info), options);
      return;
    }
    const made = await this.#make();
    return options?.resolveWithObject ? made : made.data;
  }

  /**
   * Writes the result into a file, in the format of its name unless one was asked for.
   * @param {string} path
   * @param {(error: unknown, info?: Info) => void} [callback]
   * @returns {Promise<Info>}
   */
  toFile(path, callback) {
    return answered(callback, async () => {
      if (!path) throw new Error("Missing output file path");
      const [, ending = ""] = /\.(\w+)$/.exec(path) ?? [];
      const named = Object.hasOwn(FORMATS, ending.toLowerCase()) ? FORMATS[ending.toLowerCase()] : undefined;
      const { data, info } = await this.#make(named);
      const { writeFile } = await import("node:fs/promises");
      await writeFile(path, data);
      return info;
    });
  }

  /** @param {string} [named] The format of the file's name. @returns {Promise<Made>} */
  async #make(named) {
    const original = await this.#source.bytes;
    if (original.length === 0) throw new Error("Input Buffer is empty");
    const known = headerOf(original);
    const format = this.#format ?? named ?? (known && (READ_ONLY[known.format] ?? ownName(known)));
    const last = this.#lastMembers(format, known?.hasAlpha ?? false);
    const { upright } = this.#calls;
    /** @type {Members} */
    let members = {};
    let bytes = original;
    let size = known && (upright ? known.autoOrient : known);
    const send = async (/** @type {Members} */ more) => {
      // Not called for, EXIF does not turn the original.
      const turn = bytes === original &&
        !upright && { rotate: { angle: 0, .../** @type {object} */ (members["rotate"]), upright: false } };
      const body = { ...members, ...turn, ...more, response: { mode: "binary", keep: false } };
      const answer = await this.#client.upload(bytes, /** @type {UploadBody} */ (body));
      bytes = new Uint8Array(await answer.arrayBuffer());
      members = {};
      return answer.metadata.output;
    };
    const between = async () => {
      const animation = this.#hasAllFrames;
      const output = { ...this.#kept, format: animation ? BETWEEN.animated : BETWEEN.still, animation };
      size = await send({ output, optimize: { lossless: true } });
    };
    const steps = stepsOf(this.#calls);
    // Sharp keeps the tag that turns the result where it is shown. The service writes none, and so turns the result.
    if (!upright && this.#kept["metadata"] && known?.orientation) steps.push(uprightStep(known.orientation));
    for (const { needsSize, at } of steps) {
      // oxlint-disable no-await-in-loop -- each request works on what the one before has made
      if (needsSize && size === undefined) await between();
      let step = at(size);
      if (!joins(members, step.members)) {
        await between();
        step = at(size);
      }
      // oxlint-enable no-await-in-loop
      members = { ...members, ...step.members };
      size = step.size;
    }
    const output = await send(last);
    return { data: Buffer.from(bytes.buffer), info: infoOf(output, bytes.length) };
  }

  /** @param {string | undefined} format @param {boolean} hasAlpha @returns {Members} */
  #lastMembers(format, hasAlpha) {
    const { quality, lossless, progressive, palette } = this.#formatOptions;
    const isExact = lossless === true || (format === "png" && quality === undefined && palette !== true);
    return {
      output: {
        ...this.#kept,
        ...(format !== undefined && { format }),
        ...(progressive !== undefined && format === "jpeg" && { encoding: progressive ? "progressive" : "baseline" }),
        animation: this.#hasAllFrames,
      },
      ...(isExact ? { optimize: { lossless: true } } : quality !== undefined && { optimize: { quality } }),
      // Formats without transparency are black where there was one.
      ...(format === "jpeg" && hasAlpha && this.#calls.flatten === undefined && { background: { color: "000000" } }),
    };
  }
}

for (const name of MISSING) {
  Object.defineProperty(Sharp.prototype, name, {
    value: () => {
      throw notOffered(name);
    },
  });
}

/** @param {Uint8Array} bytes */
function headerOf(bytes) {
  try {
    return metadataOf(bytes, false);
  } catch {
    return undefined; // the service reads more formats
  }
}

/** @param {Metadata} metadata */
const ownName = ({ format, compression }) => (format === "heif" && compression === "av1" ? "avif" : FORMATS[format]);

/**
 * @param {Success["output"]} output
 * @param {number} size
 * @returns {Info}
 */
function infoOf({ format, width, height, alpha, colorspace, frames }, size) {
  const channels = (/gr[ae]y/i.test(colorspace ?? "") ? 1 : 3) + (alpha ? 1 : 0);
  const pages = frames !== undefined && frames > 1 ? { pages: frames, pageHeight: height } : {};
  const told = TOLD[format] ?? format.toLowerCase();
  return {
    format: told,
    width,
    height: height * (pages.pages ?? 1),
    channels,
    premultiplied: false,
    hasAlpha: alpha ?? false,
    size,
    ...pages,
  };
}

/**
 * @template Value
 * @param {((error: unknown, value?: Value) => void) | undefined} callback
 * @param {() => Promise<Value>} work
 * @returns {Promise<Value>}
 */
async function answered(callback, work) {
  const value = work();
  if (callback) value.then((found) => callback(null, found), callback);
  return value;
}

/**
 * What `import sharp from "sharp"` gives.
 * @typedef {((input?: Input, options?: Options) => Sharp) & typeof STATICS} Module
 */

/**
 * What `import sharp from "sharp"` gives, over the service.
 * @param {Place} place
 * @returns {Module}
 */
export function sharpOver(place) {
  const options =
    "service" in place
      ? { baseURL: "https://images.internal", key: "of-the-binding", fetch: place.service.fetch.bind(place.service) }
      : place;
  const client = /** @type {Client} */ (/** @type {unknown} */ (createClient(options)));
  return Object.assign(
    (/** @type {[input?: Input, options?: Options]} */ ...given) => new Sharp(client, ...given),
    STATICS,
  );
}
