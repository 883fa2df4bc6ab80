/** What the header of a file says, by the names of sharp's `metadata`: read here, so that it costs no request. */

/**
 * @typedef {object} Metadata
 * @property {string} format
 * @property {number} size Bytes of the file.
 * @property {number} width As it is stored, before any turn; see `orientation`.
 * @property {number} height Of all frames under each other where all of them are asked for.
 * @property {string} space
 * @property {number} channels
 * @property {string} depth
 * @property {boolean} hasAlpha
 * @property {boolean} hasProfile
 * @property {number} [orientation] Of EXIF, from 1 to 8.
 * @property {number} [density]
 * @property {boolean} [isProgressive]
 * @property {boolean} [isPalette]
 * @property {number} [pages] Frames of an animation, or pages.
 * @property {number} [pageHeight] Of one frame, where all of them are asked for.
 * @property {string} [compression]
 * @property {{ width: number, height: number }} autoOrient The size as it is shown.
 */

/** @typedef {Partial<Metadata> & { format: string, width: number, height: number }} Facts */

class Bytes {
  /** @param {Uint8Array} bytes */
  constructor(bytes) {
    this.all = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** @param {number} at */
  u8 = (at) => this.view.getUint8(at);
  /** @param {number} at @param {boolean} [little] */
  u16 = (at, little = false) => this.view.getUint16(at, little);
  /** @param {number} at @param {boolean} [little] */
  u32 = (at, little = false) => this.view.getUint32(at, little);
  /** @param {number} at */
  u24 = (at) => this.u16(at, true) | (this.u8(at + 2) << 16);
  /** @param {number} from @param {number} length */
  text = (from, length) => String.fromCharCode(...this.all.subarray(from, from + length));
  /** @param {number} from @param {number} [to] */
  part = (from, to) => new Bytes(this.all.subarray(from, to));
}

/** @typedef {{ type: string, at: number, end: number }} Part */

/** @param {Bytes} file @returns {Facts} */
function jpeg(file) {
  /** @type {Partial<Facts>} */
  const facts = { format: "jpeg", hasProfile: false };
  for (let at = 2; ;) {
    while (file.u8(at) !== 0xff) at += 1;
    while (file.u8(at) === 0xff) at += 1;
    const marker = file.u8(at);
    const length = file.u16(at + 1);
    const data = at + 3;
    if (marker === 0xe0 && file.text(data, 4) === "JFIF") {
      const unit = file.u8(data + 7);
      if (unit > 0) facts.density = Math.round(file.u16(data + 8) * (unit === 2 ? 2.54 : 1));
    } else if (marker === 0xe1 && file.text(data, 4) === "Exif") {
      Object.assign(facts, orientationIn(file.part(data + 6, at + 1 + length)));
    } else if (marker === 0xe2 && file.text(data, 11) === "ICC_PROFILE") facts.hasProfile = true;
    else if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      const channels = file.u8(data + 5);
      const space = { 1: "b-w", 3: "srgb", 4: "cmyk" }[channels] ?? "srgb";
      const isProgressive = marker === 0xc2;
      return {
        ...facts,
        format: "jpeg",
        width: file.u16(data + 3),
        height: file.u16(data + 1),
        channels,
        space,
        isProgressive,
      };
    }
    at += 1 + length;
  }
}

/** @param {Bytes} tiff A block of EXIF. */
function orientationIn(tiff) {
  try {
    const { orientation } = directory(tiff).tags;
    return orientation !== undefined && orientation >= 1 && orientation <= 8 ? { orientation } : {};
  } catch {
    return {};
  }
}

/** Tags by their numbers. */
const TAGS = /** @type {Record<number, string>} */ ({
  256: "width",
  257: "height",
  258: "bits",
  274: "orientation",
  277: "samples",
  338: "extra",
  34_675: "profile",
});

/** @param {Bytes} file @param {number} [offset] Of a directory; the first unless it is said. */
function directory(file, offset) {
  const little = file.text(0, 2) === "II";
  const at = offset ?? file.u32(4, little);
  const count = file.u16(at, little);
  /** @type {Record<string, number>} */
  const tags = {};
  for (let entry = at + 2; entry < at + 2 + count * 12; entry += 12) {
    const name = TAGS[file.u16(entry, little)];
    if (name === undefined) continue;
    const isShort = file.u16(entry + 2, little) === 3;
    const isInline = file.u32(entry + 4, little) * (isShort ? 2 : 4) <= 4;
    const place = isInline ? entry + 8 : file.u32(entry + 8, little);
    tags[name] = isShort ? file.u16(place, little) : file.u32(place, little);
  }
  return { tags, next: file.u32(at + 2 + count * 12, little) };
}

/** @param {Bytes} file @returns {Facts} */
function tiff(file) {
  const { tags, next } = directory(file);
  let pages = 1;
  for (let at = next; at !== 0 && pages < 10_000; pages += 1) at = directory(file, at).next;
  const { width = 0, height = 0, samples: channels = 1, bits = 8, orientation } = tags;
  return {
    format: "tiff",
    width,
    height,
    channels,
    space: channels < 3 ? "b-w" : "srgb",
    depth: depthOf(bits),
    hasAlpha: tags["extra"] !== undefined,
    hasProfile: tags["profile"] !== undefined,
    ...(orientation !== undefined && { orientation }),
    pages,
  };
}

/** @param {number} bits */
const depthOf = (bits) => (bits > 8 ? "ushort" : "uchar");

/** @param {Bytes} file @returns {Facts} */
function png(file) {
  const type = file.u8(25);
  const isPalette = type === 3;
  let hasAlpha = type >= 4;
  let hasProfile = false;
  let orientation = {};
  let density = {};
  for (let at = 33; at + 8 <= file.all.length; at += 12 + file.u32(at)) {
    const name = file.text(at + 4, 4);
    if (name === "tRNS") hasAlpha = true;
    if (name === "iCCP") hasProfile = true;
    if (name === "eXIf") orientation = orientationIn(file.part(at + 8, at + 8 + file.u32(at)));
    if (name === "pHYs" && file.u8(at + 16) === 1) density = { density: Math.round(file.u32(at + 8) * 0.0254) };
    if (name === "IDAT") break;
  }
  const isGray = type === 0 || type === 4;
  return {
    format: "png",
    width: file.u32(16),
    height: file.u32(20),
    channels: (isGray ? 1 : 3) + (hasAlpha ? 1 : 0),
    space: isGray ? (file.u8(24) === 16 ? "grey16" : "b-w") : file.u8(24) === 16 ? "rgb16" : "srgb",
    depth: depthOf(file.u8(24)),
    isPalette,
    hasAlpha,
    hasProfile,
    ...orientation,
    ...density,
  };
}

/** @param {Bytes} file @returns {Facts} */
function gif(file) {
  const tableAfter = (/** @type {number} */ flags) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);
  const past = (/** @type {number} */ from) => {
    let at = from;
    while (file.u8(at) !== 0) at += file.u8(at) + 1;
    return at + 1;
  };
  let pages = 0;
  let hasAlpha = false;
  try {
    for (let at = 13 + tableAfter(file.u8(10)); file.u8(at) !== 0x3b;) {
      if (file.u8(at) === 0x21) {
        if (file.u8(at + 1) === 0xf9 && file.u8(at + 3) & 1) hasAlpha = true;
        at = past(at + 2);
      } else {
        pages += 1;
        at = past(at + 11 + tableAfter(file.u8(at + 9)));
      }
    }
  } catch {
    // A file that ends too early has the frames that were there.
  }
  const channels = hasAlpha ? 4 : 3;
  const size = { width: file.u16(6, true), height: file.u16(8, true) };
  return { format: "gif", ...size, channels, hasAlpha, isPalette: true, ...(pages > 1 && { pages }) };
}

/** @param {Bytes} file @returns {Facts} */
function webp(file) {
  let pages = 0;
  let hasAlpha = false;
  let hasProfile = false;
  let orientation = {};
  /** @type {{ width: number, height: number } | undefined} */
  let size;
  for (let at = 12; at + 8 <= file.all.length; at += 8 + file.u32(at + 4, true) + (file.u32(at + 4, true) & 1)) {
    const name = file.text(at, 4);
    const data = at + 8;
    if (name === "VP8X") {
      hasAlpha = (file.u8(data) & 0x10) !== 0;
      size = { width: file.u24(data + 4) + 1, height: file.u24(data + 7) + 1 };
    } else if (name === "VP8 ") {
      size ??= { width: file.u16(data + 6, true) & 0x3fff, height: file.u16(data + 8, true) & 0x3fff };
    } else if (name === "VP8L") {
      const bits = file.u32(data + 1, true);
      if (size === undefined) hasAlpha = ((bits >>> 28) & 1) === 1;
      size ??= { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    } else if (name === "ICCP") hasProfile = true;
    else if (name === "ANMF") pages += 1;
    else if (name === "EXIF") {
      const skipped = file.text(data, 4) === "Exif" ? 6 : 0;
      orientation = orientationIn(file.part(data + skipped, data + file.u32(at + 4, true)));
    }
  }
  if (size === undefined) throw new RangeError("no picture");
  return {
    format: "webp",
    ...size,
    channels: hasAlpha ? 4 : 3,
    hasAlpha,
    hasProfile,
    ...orientation,
    ...(pages > 1 && { pages }),
  };
}

/** @param {Bytes} file @param {number} from @param {number} end @returns {Part[]} Boxes of ISO/IEC 14496-12. */
function boxes(file, from, end) {
  const found = [];
  for (let at = from; at + 8 <= end;) {
    const length = file.u32(at);
    const head = length === 1 ? 16 : 8;
    const whole = length === 1 ? file.u32(at + 8) * 2 ** 32 + file.u32(at + 12) : length === 0 ? end - at : length;
    if (whole < head) break;
    found.push({ type: file.text(at + 4, 4), at: at + head, end: Math.min(at + whole, end) });
    at += whole;
  }
  return found;
}

/** @param {Bytes} file @returns {Facts} */
function heif(file) {
  const within = (/** @type {Part[]} */ list, /** @type {string} */ type) => {
    const found = list.find((box) => box.type === type);
    if (found === undefined) throw new RangeError(`no ${type}`);
    return found;
  };
  const meta = within(boxes(file, 0, file.all.length), "meta");
  const parts = boxes(file, meta.at + 4, meta.end);
  const primary = within(parts, "pitm");
  const item = file.u8(primary.at) === 0 ? file.u16(primary.at + 4) : file.u32(primary.at + 4);
  const iprp = within(parts, "iprp");
  const kinds = boxes(file, iprp.at, iprp.end);
  const container = within(kinds, "ipco");
  const all = boxes(file, container.at, container.end);
  const own = propertiesOf(file, within(kinds, "ipma"), item).flatMap((index) => all[index - 1] ?? []);
  const size = within(own, "ispe");
  const turn = own.find(({ type }) => type === "irot");
  const bits = own.find(({ type }) => type === "pixi");
  const stored = [file.u32(size.at + 4), file.u32(size.at + 8)];
  const [width = 0, height = 0] = turn && file.u8(turn.at) & 1 ? stored.reverse() : stored;
  const hasAlpha = all.some(
    ({ type, at, end }) => type === "auxC" && /alpha|:aux:\w*:?1/.test(file.text(at + 4, end - at - 4)),
  );
  return {
    format: "heif",
    pages: 1,
    width,
    height,
    compression: own.some(({ type }) => type === "av1C") ? "av1" : "hevc",
    channels: hasAlpha ? 4 : 3,
    depth: depthOf(bits ? file.u8(bits.at + 5) : 8),
    hasAlpha,
    hasProfile: own.some(({ type, at }) => type === "colr" && /prof|rICC/.test(file.text(at, 4))),
  };
}

/** Numbers of the properties of an item, from 1. @param {Bytes} file @param {Part} ipma @param {number} item */
function propertiesOf(file, ipma, item) {
  const isLong = file.u8(ipma.at) > 0;
  const isWide = (file.u8(ipma.at + 3) & 1) === 1;
  let at = ipma.at + 8;
  for (let left = file.u32(ipma.at + 4); left > 0; left -= 1) {
    const id = isLong ? file.u32(at) : file.u16(at);
    at += isLong ? 4 : 2;
    const count = file.u8(at);
    at += 1;
    const width = isWide ? 2 : 1;
    const from = at;
    const read = (/** @type {unknown} */ _, /** @type {number} */ index) =>
      isWide ? file.u16(from + index * 2) & 0x7fff : file.u8(from + index) & 0x7f;
    if (id === item) return Array.from({ length: count }, read);
    at += count * width;
  }
  throw new RangeError("no properties");
}

/** @param {string} text @returns {Facts} */
function svg(text) {
  const [tag = ""] = /<svg[\s>][^>]*>?/i.exec(text) ?? [];
  const side = (/** @type {string} */ name) => {
    const [, value, unit = "px"] = new RegExp(`\\s${name}\\s*=\\s*["']\\s*([\\d.]+)(\\w+|%)?`, "i").exec(tag) ?? [];
    const pixels = { px: 1, pt: 4 / 3, pc: 16, in: 96, cm: 96 / 2.54, mm: 96 / 25.4 }[unit];
    return value === undefined || pixels === undefined ? undefined : Number(value) * pixels;
  };
  const [, , boxWidth = Number.NaN, boxHeight = Number.NaN] = (/viewbox\s*=\s*["']([^"']*)/i.exec(tag)?.[1] ?? "")
    .trim()
    .split(/[\s,]+/)
    .map(Number);
  const [width, height] = [side("width"), side("height")];
  const wide = width ?? (height === undefined ? boxWidth : (height * boxWidth) / boxHeight);
  const high = height ?? (width === undefined ? boxHeight : (width * boxHeight) / boxWidth);
  if (!(wide > 0 && high > 0)) throw new RangeError("no size");
  return { format: "svg", width: Math.round(wide), height: Math.round(high), channels: 4, hasAlpha: true, density: 72 };
}

/** @param {Bytes} file @returns {((file: Bytes) => Facts) | undefined} */
function readerOf(file) {
  const start = file.text(0, 16);
  if (start.startsWith("\xff\xd8\xff")) return jpeg;
  if (start.startsWith("\x89PNG\r\n\x1a\n")) return png;
  if (/^GIF8[79]a/.test(start)) return gif;
  if (/^RIFF[^]{4}WEBP/.test(start)) return webp;
  if (/^(?:II\*\0|MM\0\*)/.test(start)) return tiff;
  if (/^[^]{4}ftyp(?:avif|avis|heic|heix|mif1|msf1)/.test(start)) return heif;
  const text = new TextDecoder().decode(file.all.subarray(0, 65_536));
  return /^\s*(?:<\?xml|<!--|<!DOCTYPE svg|<svg)/i.test(text) && /<svg[\s>]/i.test(text) ? () => svg(text) : undefined;
}

/**
 * @param {Uint8Array} bytes
 * @param {boolean} hasAllFrames Whether frames are one picture, each under the one before, as sharp takes animations.
 * @returns {Metadata}
 * @throws Error with sharp's words where the format is none that sharp reads, or the header is damaged
 */
export function metadataOf(bytes, hasAllFrames) {
  const file = new Bytes(bytes);
  const read = readerOf(file);
  if (read === undefined) throw new Error("Input buffer contains unsupported image format");
  const facts = told(() => read(file));
  const { orientation = 1, pages = 1, width, height: pageHeight } = facts;
  if (width === 0 || pageHeight === 0) throw new Error("Input buffer has corrupt header");
  const height = hasAllFrames ? pageHeight * pages : pageHeight;
  const autoOrient = orientation >= 5 ? { width: height, height: width } : { width, height };
  const { channels = 3, hasAlpha = false, hasProfile = false, space = "srgb", depth = "uchar" } = facts;
  const frames = hasAllFrames && pages > 1 ? { pageHeight } : {};
  return { ...facts, size: bytes.length, height, space, channels, depth, hasAlpha, hasProfile, ...frames, autoOrient };
}

/** @param {() => Facts} read */
function told(read) {
  try {
    return read();
  } catch (cause) {
    throw new Error("Input buffer has corrupt header", { cause });
  }
}
