/** Calls of sharp as members of requests, in the order in which sharp works them off. */

/** @typedef {{ width: number, height: number }} Size */
/** @typedef {Record<string, unknown>} Members */
/** @typedef {{ left: number, top: number, width: number, height: number }} Region */

/**
 * @typedef {object} ResizeOptions
 * @property {number | null | undefined} [width]
 * @property {number | null | undefined} [height]
 * @property {string} [fit]
 * @property {string | number} [position]
 * @property {unknown} [background]
 * @property {string} [kernel]
 * @property {boolean} [withoutEnlargement]
 * @property {boolean} [withoutReduction]
 * @property {boolean} [fastShrinkOnLoad]
 */

/**
 * What was called, whatever the order of calls: sharp has one of its own.
 * @typedef {object} Calls
 * @property {boolean} upright
 * @property {number} angle Degrees, from 0 to 359.
 * @property {unknown} [behind] What turning by other angles than right ones uncovers.
 * @property {boolean} turnsFirst Whether the turn is before whatever else changes the size.
 * @property {boolean} flip
 * @property {boolean} flop
 * @property {Members} [trim]
 * @property {Region} [before] Cut out before the size changes.
 * @property {ResizeOptions} [resize]
 * @property {Region} [after] Cut out after that.
 * @property {{ top: number, right: number, bottom: number, left: number, background?: unknown }} [extend]
 * @property {string} [flatten] The color, as a request takes it.
 */

/**
 * One step: its members, and the size that it leaves; undefined where only the service knows.
 * @typedef {{ members: Members, size: Size | undefined }} Step
 */

/** By the service's word, sharp's: positions, gravities, strategies, and their numbers. */
const POSITIONS = /** @type {Record<string, readonly (string | number)[]>} */ ({
  center: [0, "center", "centre"],
  top: [1, "north", "top"],
  right: [2, "east", "right"],
  bottom: [3, "south", "bottom"],
  left: [4, "west", "left"],
  "top-right": [5, "northeast", "right top"],
  "bottom-right": [6, "southeast", "right bottom"],
  "bottom-left": [7, "southwest", "left bottom"],
  "top-left": [8, "northwest", "left top"],
  // What stands out, in the service's own way.
  auto: [16, "entropy", 17, "attention"],
});

const NAMED = /** @type {Record<string, string>} */ ({ black: "000000", white: "ffffff", transparent: "00000000" });

/**
 * A color as a request takes it. @param {unknown} color An object, a hex color, or one of three names.
 * @param {string} member @returns {string}
 */
export function hexOf(color, member) {
  if (typeof color === "string") {
    const named = NAMED[color.toLowerCase()];
    if (named !== undefined) return named;
    const hex = color.replace(/^#/, "");
    if (/^(?:[\da-f]{3}|[\da-f]{6}|[\da-f]{8})$/i.test(hex)) return hex;
  } else if (typeof color === "object" && color !== null) {
    const { r = 0, g = 0, b = 0, alpha = 1 } = /** @type {Record<string, number>} */ (color);
    const channels = [r, g, b, Math.round(alpha * 255)];
    if (channels.every((value) => Number.isInteger(value) && value >= 0 && value <= 255)) {
      return channels.map((value) => value.toString(16).padStart(2, "0")).join("");
    }
  }
  throw new Error(`Expected a hex color, an object of r, g, b and alpha, or black, white or transparent for ${member}`);
}

/** @param {string | number | undefined} position */
export function gravityOf(position = "center") {
  const [gravity] = Object.entries(POSITIONS).find(([, names]) => names.includes(position)) ?? [];
  if (gravity === undefined) throw new Error("Expected valid position/gravity/strategy for position");
  return gravity;
}

/** @param {Size | undefined} size @returns {Size | undefined} */
const lying = (size) => size && { width: size.height, height: size.width };

/** @param {Calls} calls @param {Size | undefined} size @returns {Step} */
function turned({ angle, behind, flip, flop }, size) {
  const background = behind === undefined ? "000000" : hexOf(behind, "background");
  const isRight = angle % 90 === 0;
  return {
    members: {
      ...((flip || flop) && { flip: { vertical: flip, horizontal: flop } }),
      ...(angle !== 0 && { rotate: { angle, ...(!isRight && { background }) } }),
    },
    size: isRight ? (angle % 180 === 0 ? size : lying(size)) : undefined,
  };
}

/** @param {Region} region @param {Size | undefined} size @returns {Step} */
function cut({ left, top, width, height }, size) {
  const fits = width > 0 && height > 0 && (!size || (left + width <= size.width && top + height <= size.height));
  if (!fits) throw new Error("extract_area: bad extract area");
  return { members: { crop: { x: left, y: top, width, height } }, size: { width, height } };
}

const FITS = ["cover", "contain", "fill", "inside", "outside"];

/**
 * How libvips is asked for a size: scaled, then cut or put on a canvas.
 * @param {ResizeOptions} options
 * @param {Size} size
 * @returns {Step}
 */
function resized(options, size) {
  const { fit = "cover", withoutEnlargement = false, withoutReduction = false } = options;
  const gravity = gravityOf(options.position);
  const width = options.width ?? undefined;
  const height = options.height ?? undefined;
  let across = width === undefined ? 1 : size.width / width;
  let down = height === undefined ? 1 : size.height / height;
  if (width !== undefined && height !== undefined) {
    const one = fit === "cover" || fit === "outside" ? Math.min(across, down) : Math.max(across, down);
    if (fit !== "fill") across = down = one;
  } else if (fit !== "fill") across = down = width === undefined ? down : across;
  const held = (/** @type {number} */ shrink) =>
    Math.max(withoutEnlargement ? 1 : 0, Math.min(withoutReduction ? 1 : Number.POSITIVE_INFINITY, shrink));
  across = held(across);
  down = held(down);
  const scaled = {
    width: Math.max(1, Math.round(size.width / across)),
    height: Math.max(1, Math.round(size.height / down)),
  };
  const scale = { resize: { mode: "exact", ...scaled } };
  const isScaled = scaled.width !== size.width || scaled.height !== size.height;
  const wide = width ?? scaled.width;
  const high = height ?? scaled.height;
  if (fit === "cover") {
    const target = { width: Math.min(wide, scaled.width), height: Math.min(high, scaled.height) };
    if (target.width === scaled.width && target.height === scaled.height) {
      return { members: isScaled ? scale : {}, size: scaled };
    }
    const members = isScaled ? { resize: { mode: "fit", ...target, gravity } } : { crop: { ...target, gravity } };
    return { members, size: target };
  }
  if (fit === "contain") {
    const target = { width: Math.max(wide, scaled.width), height: Math.max(high, scaled.height) };
    const background = hexOf(options.background ?? "black", "background");
    const padding = paddingAround(scaled, target, gravity);
    return {
      members: { ...(isScaled && scale), ...(padding && { padding: { ...padding, background } }) },
      size: target,
    };
  }
  return { members: isScaled ? scale : {}, size: scaled };
}

/** @param {Size} inner @param {Size} outer @param {string} gravity */
function paddingAround(inner, outer, gravity) {
  const across = outer.width - inner.width;
  const down = outer.height - inner.height;
  if (across === 0 && down === 0) return undefined;
  const left = gravity.includes("left") ? 0 : gravity.includes("right") ? across : Math.floor(across / 2);
  const top = gravity.includes("top") ? 0 : gravity.includes("bottom") ? down : Math.floor(down / 2);
  return { top, left, bottom: down - top, right: across - left };
}

/**
 * The steps of a chain. Each is told the size that it finds, as far as that is known.
 * @param {Calls} calls
 * @returns {{ needsSize: boolean, at: (size: Size | undefined) => Step }[]}
 */
export function stepsOf(calls) {
  const { trim, before, resize, after, extend, flatten } = calls;
  const isTurned = calls.angle !== 0 || calls.flip || calls.flop;
  const turn = { needsSize: false, at: (/** @type {Size | undefined} */ size) => turned(calls, size) };
  const steps = [];
  if (isTurned && calls.turnsFirst) steps.push(turn);
  if (trim) steps.push({ needsSize: false, at: () => ({ members: { trim }, size: undefined }) });
  if (before) steps.push({ needsSize: false, at: (/** @type {Size | undefined} */ size) => cut(before, size) });
  if (resize) {
    steps.push({
      needsSize: true,
      at: (/** @type {Size | undefined} */ size) => resized(resize, /** @type {Size} */ (size)),
    });
  }
  if (isTurned && !calls.turnsFirst) steps.push(turn);
  if (after) steps.push({ needsSize: false, at: (/** @type {Size | undefined} */ size) => cut(after, size) });
  if (extend) {
    const { background = "black", ...sides } = extend;
    const padding = { ...sides, background: hexOf(background, "background") };
    steps.push({ needsSize: false, at: () => ({ members: { padding }, size: undefined }) });
  }
  if (flatten !== undefined) {
    const members = { background: { color: flatten } };
    steps.push({ needsSize: false, at: (/** @type {Size | undefined} */ size) => ({ members, size }) });
  }
  return steps;
}

/** What stands a picture upright, by EXIF's number: mirrored first, then turned. */
const UPRIGHT = /** @type {Record<number, { flip?: boolean, flop?: boolean, angle?: number }>} */ ({
  2: { flop: true },
  3: { angle: 180 },
  4: { flip: true },
  5: { flop: true, angle: 270 },
  6: { angle: 90 },
  7: { flop: true, angle: 90 },
  8: { angle: 270 },
});

/** @param {number} orientation */
export function uprightStep(orientation) {
  const turn = { flip: false, flop: false, angle: 0, ...UPRIGHT[orientation], upright: true, turnsFirst: false };
  return { needsSize: false, at: (/** @type {Size | undefined} */ size) => turned(turn, size) };
}

/** @param {string | undefined} fit */
export function checkFit(fit) {
  if (fit !== undefined && !FITS.includes(fit)) throw new Error(`Expected valid fit for fit but received ${fit}`);
}

/** Operations of a request, in the order in which the service works them off. */
const ORDER = ["trim", "flip", "rotate", "crop", "resize", "padding", "background"];

/**
 * Whether a step may join the steps of a request: only what comes later there.
 * @param {Members} members @param {Members} more
 */
export function joins(members, more) {
  const last = Math.max(-1, ...Object.keys(members).map((name) => ORDER.indexOf(name)));
  return Object.keys(more).every((name) => ORDER.indexOf(name) > last);
}
