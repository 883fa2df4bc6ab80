/**
 * What can be set on the picture itself, and how it is said in a request. Each tool works on the picture as it is before its
 * own operation: a cut on the turned original, words on what is cut and resized.
 */
import { largestOf, within } from "./regions.js";

/**
 * @import { Region } from "./regions.js"
 * @import { UploadBody } from "./shapes.d.ts"
 * @typedef {{ width: number, height: number }} Size of the picture that is drawn on, in its own pixels
 *
 * @typedef {object} Tool
 * @property {string} id
 * @property {string} name
 * @property {string} noun what is moved
 * @property {"region" | "point" | "box"} kind a box is moved, and grows with its own setting
 * @property {readonly string[]} before operations that come before it
 * @property {string} hint
 * @property {(body: UploadBody) => string | undefined} [missing] why there is nothing to be moved yet
 * @property {(body: UploadBody, size: Size) => Region} read
 * @property {(body: UploadBody, region: Region, size: Size) => UploadBody} write
 * @property {(body: UploadBody, step: number) => UploadBody} [grow]
 * @property {(body: UploadBody, size: Size) => number | undefined} [shape] width by height, in shares
 * @property {(body: UploadBody, size: Size) => { text: string, share: number }} [words] what is written, in letters of this share of the height
 * @property {(body: UploadBody) => UploadBody} [another] one more of what there may be several of
 * @property {(body: UploadBody, size: Size) => readonly Region[]} [others] what is set besides the one that is moved
 * @property {(body: UploadBody) => UploadBody} remove
 */

const TO_CUT = ["trim", "flip", "rotate", "upscale"];
const TO_COVERS = [...TO_CUT, "crop", "resize", "scale", "auto", "adjust", "filter", "stylize"];
const TO_MARKS = [...TO_COVERS, "redact"];
/** Whoever has no pointer but a finger has no keys either. */
const HAS_KEYS = !globalThis.matchMedia?.("(hover: none)").matches;
const KEYS = HAS_KEYS
  ? "Drag it or its corners, or use the arrow keys, with Shift to resize. Escape cancels, Enter is done."
  : "Drag it, or drag its corners to resize it.";

const FIRST_COVER = { x: 0.4, y: 0.4, width: 0.2, height: 0.2 };

/** @type {readonly Tool[]} */
export const TOOLS = [
  {
    id: "crop",
    name: "Crop",
    noun: "Crop rectangle",
    kind: "region",
    before: TO_CUT,
    hint: KEYS,
    read: ({ crop }, size) => {
      const shape = shapeOf(crop?.ratio, size);
      const { x, y, width, height } = crop ?? {};
      if (shape && crop?.mode === "ratio") return largestOf(shape, crop.focus);
      if (!width || !height) return { x: 0.1, y: 0.1, width: 0.8, height: 0.8 };
      const region = { width: shareOf(width, size.width), height: shareOf(height, size.height) };
      if (x === undefined || y === undefined)
        return { ...region, x: 0.5 - region.width / 2, y: 0.5 - region.height / 2 };
      return { ...region, x: Number(x) / size.width, y: Number(y) / size.height };
    },
    write: (body, region, size) => {
      const { ratio, mode } = body.crop ?? {};
      if (mode === "ratio" && ratio && isLargest(region)) {
        const focus = { x: round(region.x + region.width / 2), y: round(region.y + region.height / 2) };
        return { ...body, crop: { mode, ratio, focus } };
      }
      const x = Math.round(region.x * size.width);
      const y = Math.round(region.y * size.height);
      const width = within(Math.round(region.width * size.width), 1, size.width - x);
      return {
        ...body,
        crop: { x, y, width, height: within(Math.round(region.height * size.height), 1, size.height - y) },
      };
    },
    shape: ({ crop }, size) => (crop?.mode === "ratio" ? shapeOf(crop.ratio, size) : undefined),
    remove: (body) => without(body, "crop"),
  },
  {
    id: "focus",
    name: "Focus",
    noun: "Focus point",
    kind: "point",
    before: TO_CUT,
    hint: HAS_KEYS
      ? "Click what is to stay in the middle of every cut, or move the point with the arrow keys. Escape cancels, Enter is done."
      : "Tap what is to stay in the middle of every cut.",
    read: ({ crop, resize }) => ({ ...(crop?.focus ?? resize?.focus ?? { x: 0.5, y: 0.5 }), width: 0, height: 0 }),
    write: (body, { x, y }) => focused(body, { x: round(x), y: round(y) }),
    remove: ({ crop, resize, ...rest }) => ({
      ...rest,
      ...(crop && { crop: without(crop, "focus") }),
      ...(resize && { resize: without(resize, "focus") }),
    }),
  },
  {
    id: "redact",
    name: "Redact",
    noun: "Rectangle to cover",
    kind: "region",
    before: TO_COVERS,
    hint: `${KEYS} What it covers is gone from the file.`,
    read: ({ redact }, size) => shareRegionOf(redact?.regions?.at(-1) ?? FIRST_COVER, size),
    write: (body, region) => {
      const others = body.redact?.regions?.slice(0, -1) ?? [];
      return { ...body, redact: { ...body.redact, regions: [...others, coverOf(region)] } };
    },
    another: (body) => ({
      ...body,
      redact: { ...body.redact, regions: [...(body.redact?.regions ?? []), FIRST_COVER] },
    }),
    others: ({ redact }, size) => (redact?.regions ?? []).slice(0, -1).map((region) => shareRegionOf(region, size)),
    remove: ({ redact, ...rest }) => {
      const regions = redact?.regions?.slice(0, -1) ?? [];
      if (redact && regions.length > 0) return { ...rest, redact: { ...redact, regions } };
      return redact?.faces ? { ...rest, redact: without(without(redact, "regions"), "mode") } : rest;
    },
  },
  markTool("text", "Text", ({ text }) => (text?.value ? undefined : "Write a text below “Words and marks” first.")),
  markTool("watermark", "Watermark", ({ watermark }) =>
    watermark?.id ? undefined : "Take a watermark on the account page first.",
  ),
];

/**
 * Words and watermarks are placed by their top left corner.
 * @param {"text" | "watermark"} id
 * @param {string} name
 * @param {(body: UploadBody) => string | undefined} missing
 * @returns {Tool}
 */
function markTool(id, name, missing) {
  const grown = { text: "size", watermark: "scale" }[id];
  const rest = { text: 0.05, watermark: 1 }[id];
  return {
    id,
    name,
    noun: name,
    kind: "box",
    before: id === "text" ? [...TO_MARKS, "watermark"] : TO_MARKS,
    hint: KEYS,
    missing,
    ...(id === "text" && {
      words: (/** @type {UploadBody} */ { text }, /** @type {Size} */ { height }) => ({
        text: String(text?.value ?? ""),
        share: shareOf(text?.size ?? 0.05, height),
      }),
    }),
    read: (body, size) => {
      const { x, y, gravity = "center", padding = 0 } = body[id] ?? {};
      const extent = extentOf(body, id, size);
      if (x !== undefined && y !== undefined)
        return { x: Number(x) / size.width, y: Number(y) / size.height, ...extent };
      const [across, down] = [padding / size.width, padding / size.height];
      return {
        x: pulled(gravity, ["left", "right"], { length: extent.width, padding: across }),
        y: pulled(gravity, ["top", "bottom"], { length: extent.height, padding: down }),
        ...extent,
      };
    },
    write: (body, region, size) => {
      const { gravity: _, padding: __, ...mark } = /** @type {any} */ (body[id]) ?? {};
      const place = { x: Math.round(region.x * size.width), y: Math.round(region.y * size.height) };
      return { ...body, [id]: { ...mark, ...place } };
    },
    grow: (body, step) => {
      const mark = /** @type {any} */ (body[id]) ?? {};
      const now = Number(mark[grown] ?? rest);
      const next =
        now >= 1 && id === "text" ? now * (1 + step) : within(round(now * (1 + step)), 0.01, id === "text" ? 0.99 : 1);
      return { ...body, [id]: { ...mark, [grown]: next >= 1 && id === "text" ? Math.round(next) : next } };
    },
    remove: (body) => {
      const { x: _, y: __, ...mark } = /** @type {any} */ (body[id]) ?? {};
      return { ...body, [id]: mark };
    },
  };
}

/**
 * About as much as a mark covers: letters are half as wide as they are high.
 * @param {UploadBody} body
 * @param {"text" | "watermark"} id
 * @param {Size} size
 */
function extentOf({ text, watermark }, id, size) {
  if (id === "watermark") return { width: 0.2 * (watermark?.scale ?? 1), height: 0.2 * (watermark?.scale ?? 1) };
  const lines = String(text?.value ?? "").split("\n");
  const letters = shareOf(text?.size ?? 0.05, size.height);
  const longest = Math.max(1, ...lines.map((line) => line.length));
  return {
    width: Math.min(1, (longest * letters * size.height) / size.width / 2),
    height: letters * 1.2 * lines.length,
  };
}

/**
 * Where a gravity puts the beginning of a length.
 * @param {string} gravity
 * @param {readonly [begin: string, end: string]} sides
 * @param {{ length: number, padding: number }} of shares of the side
 */
function pulled(gravity, [begin, end], { length, padding }) {
  const rest = Math.max(0, 1 - length);
  if (gravity.includes(begin)) return Math.min(padding, rest);
  return gravity.includes(end) ? Math.max(0, rest - padding) : rest / 2;
}

/**
 * The point goes where something is cut off by it: to the cut, to a box that is filled, or else to a square.
 * @param {UploadBody} body
 * @param {{ x: number, y: number }} focus
 * @returns {UploadBody}
 */
function focused(body, focus) {
  const { crop, resize } = body;
  if (crop && crop.x === undefined && crop.mode !== "face") {
    return { ...body, crop: { ...without(without(crop, "gravity"), "offset"), focus } };
  }
  if (!crop && resize?.width && resize.height) {
    const mode = resize.mode === "match" ? "match" : "fit";
    return { ...body, resize: { ...without(without(without(resize, "gravity"), "offset"), "position"), mode, focus } };
  }
  return { ...body, crop: { mode: "ratio", ratio: "1:1", focus } };
}

/**
 * @template {object} T
 * @param {T} value
 * @param {string} name
 * @returns {T}
 */
function without(value, name) {
  return /** @type {T} */ (Object.fromEntries(Object.entries(value).filter(([key]) => key !== name)));
}

/**
 * @param {string | undefined} ratio `16:9`
 * @param {Size} size
 */
function shapeOf(ratio, { width, height }) {
  const [across, down] = (ratio ?? "").split(":").map(Number);
  return across && down ? across / down / (width / height) : undefined;
}

/** @param {Region} region */
function isLargest({ width, height }) {
  return width > 0.995 || height > 0.995;
}

/**
 * A length below 1 is a share already.
 * @param {number | string} length
 * @param {number} side
 */
function shareOf(length, side) {
  return Number(length) < 1 ? Number(length) : Number(length) / side;
}

/**
 * @param {{ x: number, y: number, width: number | string, height: number | string }} region
 * @param {Size} size
 * @returns {Region}
 */
function shareRegionOf({ x, y, width, height }, size) {
  return {
    x: shareOf(x, size.width),
    y: shareOf(y, size.height),
    width: shareOf(width, size.width),
    height: shareOf(height, size.height),
  };
}

/**
 * A rectangle in parts of the sides, so that it stays in its place when the picture is resized. A whole side is a little
 * less than 1, which would be a pixel.
 * @param {Region} region
 */
function coverOf(region) {
  const [x = 0, y = 0, width = 0, height = 0] = [region.x, region.y, region.width, region.height].map(
    (share) => Math.round(within(share, 0, 0.9999) * 10_000) / 10_000,
  );
  return { x, y, width, height };
}

/** @param {number} share */
function round(share) {
  return Math.round(share * 1000) / 1000;
}
