/** The frames of a stored picture as a view wants them: cut out, sized, in sRGB, turned. */
import { ApiError } from "../errors.ts";
import { toSrgb } from "./color/convert.ts";
import { type Box, invertOrientation, isWhole, turnBox, turnSize } from "./geometry.ts";
import type { Frame } from "./picture.ts";
import type { Stored } from "./pipeline.ts";
import { demandOf, type View } from "./plan.ts";
import { resample, resamplePeakBytes } from "./resample.ts";
import type { Rows } from "./rows.ts";
import { crop } from "./steps/crop.ts";
import { turn, turnPeakBytes } from "./steps/turn.ts";

/**
 * What a turn may hold of a still picture at its full size. A larger one is decoded several times, one strip of the
 * result after the other, so that photographs of any size can be turned upright.
 */
const MAX_TURN_BYTES = 32 * 1024 * 1024;
const MARGIN_PIXELS = 16;

/** The frames; the rows of one must be closed, or read to their end, before the next is asked for. */
export function* viewed(stored: Stored, view: View, maxTurnBytes = MAX_TURN_BYTES): Generator<Frame, void> {
  const stripRows = stripHeight(stored, view, maxTurnBytes);
  if (stripRows !== undefined) {
    const rows = inStrips(stored, view, stripRows);
    try {
      yield { delayMs: 0, rows };
    } finally {
      rows.close();
    }
    return;
  }
  yield* atOnce(stored, view);
}

/** The frames, each turned as a whole. `context`, around the box of a view without a resize, is decoded with it. */
function* atOnce(stored: Stored, view: View, context = view.box): Generator<Frame, void> {
  const { bytes, facts, format } = stored;
  for (const decoded of format.open(bytes, facts, demandOf({ ...view, box: context }))) {
    let rows = decoded.rows;
    try {
      const box = context === view.box ? decoded.box : within(decoded.box, context, view.box);
      rows = sized(rows, box, view);
      rows = toSrgb(rows, facts.profile, facts.colorspace);
      rows = turn(rows, view.orientation);
      yield { delayMs: decoded.delayMs, rows };
    } finally {
      rows.close();
    }
  }
}

/** Where `part` of `whole` lies when the whole lies at `place`. */
function within(place: Box, whole: Box, part: Box): Box {
  return { ...part, x: place.x + part.x - whole.x, y: place.y + part.y - whole.y };
}

/** Bytes of memory that reading a view holds at most. */
export function viewPeakBytes(stored: Stored, view: View): number {
  const rows = stripHeight(stored, view, MAX_TURN_BYTES);
  if (rows !== undefined) {
    const strip = stripOf(view, rows, rows);
    const decoding = stored.format.decodePeakBytes(stored.facts, demandOf({ ...view, box: contextOf(strip, view) }));
    return decoding + turnPeakBytes(strip.box, view.orientation);
  }
  const demand = demandOf(view);
  const resampling = view.target ? resamplePeakBytes(demand.box, demand) : 0;
  return stored.format.decodePeakBytes(stored.facts, demand) + resampling + turnPeakBytes(demand, view.orientation);
}

/** The wanted region at the wanted size, not yet turned. */
function sized(rows: Rows, box: Box, { target, orientation }: View): Rows {
  if (!target) return isWhole(box, rows) ? rows : crop(rows, box);
  const { width, height } = turnSize(target, orientation);
  return resample(rows, { box, width, height, kernel: target.kernel });
}

/** How many rows of the result are turned at a time; undefined where all of them are, or none needs to be. */
function stripHeight({ facts }: Stored, { box, orientation, target }: View, maxTurnBytes: number): number | undefined {
  if (facts.frames > 1 || target || turnPeakBytes(box, orientation) <= maxTurnBytes) return undefined;
  const size = turnSize(box, orientation);
  const height = Math.max(1, Math.floor(maxTurnBytes / (size.width * 4)));
  return height < size.height ? height : undefined;
}

/** The part of a view that makes some rows of its result. */
function stripOf(view: View, y: number, height: number): View {
  const size = turnSize(view.box, view.orientation);
  const strip = turnBox({ x: 0, y, width: size.width, height }, size, invertOrientation(view.orientation));
  return { ...view, box: { ...strip, x: view.box.x + strip.x, y: view.box.y + strip.y } };
}

function inStrips(stored: Stored, view: View, stripRows: number): Rows {
  const { width, height } = turnSize(view.box, view.orientation);
  let strip: Rows | undefined;
  let next = 0;
  return {
    width,
    height,
    opaque: !stored.facts.alpha,
    read(max) {
      const read = strip?.read(max);
      if (read) return read;
      strip?.close();
      strip = undefined;
      if (next >= height) return null;
      const count = Math.min(stripRows, height - next);
      const part = stripOf(view, next, count);
      strip = opened(stored, part, contextOf(part, view));
      next += count;
      return strip.read(max);
    },
    close() {
      strip?.close();
      strip = undefined;
      next = height;
    },
  };
}

/**
 * What is decoded for a strip: a margin belongs to it, as decoders smooth color over the edges of what they are asked
 * for where the picture goes on.
 */
function contextOf({ box }: View, whole: View): Box {
  const x = Math.max(whole.box.x, box.x - MARGIN_PIXELS);
  const y = Math.max(whole.box.y, box.y - MARGIN_PIXELS);
  const right = Math.min(whole.box.x + whole.box.width, box.x + box.width + MARGIN_PIXELS);
  const bottom = Math.min(whole.box.y + whole.box.height, box.y + box.height + MARGIN_PIXELS);
  return { x, y, width: right - x, height: bottom - y };
}

/** The one frame of a strip. */
function opened(stored: Stored, strip: View, context: Box): Rows {
  const frames = atOnce(stored, strip, context);
  const first = frames.next();
  if (first.done) throw new ApiError(422, "The image has no frames");
  const { rows } = first.value;
  const close = () => void frames.return();
  return { width: rows.width, height: rows.height, opaque: rows.opaque, read: (max) => rows.read(max), close };
}
