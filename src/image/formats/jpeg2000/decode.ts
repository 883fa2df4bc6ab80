/** Rows of the part of a JPEG 2000 picture that is wanted, at the reduction that is wanted. */
import { type Area, CodestreamReader, type Layout } from "../../../../wasm/jpeg2000/decoder.ts";
import type { NativeError } from "../../../../wasm/load.ts";
import type { ApiError } from "../../../errors.ts";
import { joined } from "../../../joined.ts";
import type { TimeSlice } from "../../../scheduler/time-slice.ts";
import { convertedInks, type InkRows } from "../../codec/convert-colors.ts";
import type { Decoded, Demand, Facts } from "../../codec/format.ts";
import { guarded, guardedAsync } from "../../codec/guard.ts";
import type { Box } from "../../pixels/geometry.ts";
import type { Rows } from "../../pixels/rows.ts";
import { unusable } from "./boxes.ts";
import { type Opened, openFile } from "./facts.ts";
import { layoutOf } from "./layout.ts";
import { type Band, bandsOf } from "./windows.ts";

/**
 * How much larger than wanted a reduced decode must be: the low band of a wavelet is a coarser filter than the resize,
 * which therefore does the last step.
 */
const MARGIN = 1.4;
const END = [0xff, 0xd9];

/** How often the sides are halved. */
export function reductionFor({ box, width, height }: Demand, levels: number): number {
  let reduce = 0;
  const serves = (by: number) => box.width / 2 ** by >= width * MARGIN && box.height / 2 ** by >= height * MARGIN;
  while (reduce < levels && serves(reduce + 1)) reduce++;
  return reduce;
}

/** One frame; nothing is decoded before its rows are read. */
export async function* open(
  bytes: Uint8Array,
  facts: Facts,
  demand: Demand,
  timeSlice: TimeSlice,
): AsyncGenerator<Decoded> {
  const opened = openFile(bytes);
  const layout = layoutOf(opened.file, opened.stream);
  const reduce = reductionFor(demand, opened.stream.levels);
  const region = regionOf(opened, layout, demand.box, reduce);
  const rows = openRows({ ...opened, layout, facts, region, reduce, timeSlice });
  try {
    yield { delayMs: 0, rows, box: boxWithin(opened, layout, demand.box, region, reduce) };
  } finally {
    rows.close();
  }
}

/** Where the picture begins, in absolute pixels. */
function originOf({ stream }: Opened, { step }: Layout): readonly [x: number, y: number] {
  return [Math.ceil(stream.image.x0 / step[0]), Math.ceil(stream.image.y0 / step[1])];
}

/** The reduced pixels that a box touches, absolute. */
function regionOf(opened: Opened, layout: Layout, box: Box, reduce: number): Area {
  const [originX, originY] = originOf(opened, layout);
  const { x1, y1 } = opened.stream.image;
  const scale = 2 ** reduce;
  const side = (origin: number, end: number, from: number, length: number) => {
    const first = Math.ceil(origin / scale);
    const last = Math.ceil(end / scale);
    const start = Math.max(first, Math.min(last - 1, Math.floor((origin + from) / scale)));
    return [start, Math.max(start + 1, Math.min(last, Math.ceil((origin + from + length) / scale)))] as const;
  };
  const [left, right] = side(originX, Math.ceil(x1 / layout.step[0]), box.x, box.width);
  const [top, bottom] = side(originY, Math.ceil(y1 / layout.step[1]), box.y, box.height);
  return { left, top, right, bottom };
}

/** A sample of the low band lies on the first of the pixels that it stands for, not in their middle. */
function boxWithin(opened: Opened, layout: Layout, box: Box, { left, top }: Area, reduce: number): Box {
  const [originX, originY] = originOf(opened, layout);
  const scale = 2 ** reduce;
  const shift = (1 - 1 / scale) / 2;
  return {
    x: (originX + box.x) / scale + shift - left,
    y: (originY + box.y) / scale + shift - top,
    width: box.width / scale,
    height: box.height / scale,
  };
}

/** What is read, and for whom. */
interface Reading extends Opened {
  readonly layout: Layout;
  readonly facts: Facts;
  readonly region: Area;
  readonly reduce: number;
  readonly timeSlice: TimeSlice;
}

/** Inks go through their profile as they are stored; without a usable one they are converted naively. */
function openRows(reading: Reading): Rows {
  const { layout } = reading;
  const { profile } = reading.facts;
  if (profile && layout.model === "cmyk") {
    const inks = readerRows({ ...reading, layout: { ...layout, model: "inks" } });
    const rows = convertedInks(inks, profile, "cmyk");
    if (rows) return rows;
    inks.close();
  }
  return readerRows(reading);
}

function readerRows(reading: Reading): InkRows {
  const { file, stream, layout, facts, region, reduce } = reading;
  const codestream = terminated(file.codestream);
  const reader = guarded(() => new CodestreamReader(codestream, layout, reduce, facts.decodeBytes ?? 0), refused);
  const width = region.right - region.left;
  const bands = bandsOf(stream, layout, region, reduce);
  let band: Band | undefined;
  let y = region.top;
  /** The pixels of the band that were read last. */
  let last: readonly [from: number, count: number] = [0, 0];
  return {
    width,
    height: region.bottom - region.top,
    opaque: !layout.alpha,
    alpha: layout.alpha ? () => reader.alpha(...last) : null,
    async read(max) {
      if (y === region.bottom) return null;
      if (!band || y === band.bottom) {
        const next = bands.next().value as Band;
        await guardedAsync(() => readBand(reader, next, reading), refused);
        band = next;
      }
      const count = Math.min(max, band.bottom - y);
      last = [(y - band.top) * width, count * width];
      const pixels = reader.pixels(...last);
      y += count;
      return pixels;
    },
    close: () => reader.close(),
  };
}

/** Windows follow each other in the band; the decoder pauses in the midst of them. */
async function readBand(reader: CodestreamReader, { top, bottom, windows }: Band, reading: Reading): Promise<void> {
  const { region, timeSlice } = reading;
  const width = region.right - region.left;
  reader.makeRoom(width * (bottom - top));
  for (const { area, decoded } of windows) {
    await reader.read(gridOf(decoded, reading), area, area.left - region.left, width, timeSlice);
  }
}

/**
 * The part of the reference grid whose samples an area needs; samples that cover several pixels from their first on.
 */
function gridOf(area: Area, { stream, layout, reduce }: Reading): Area {
  const [stepX, stepY] = layout.step;
  const { x0, y0, x1, y1 } = stream.image;
  const coarsest = (of: "stepX" | "stepY") => Math.max(...stream.components.map((component) => component[of]));
  const start = (from: number, step: number, most: number, origin: number) =>
    Math.max(origin, Math.floor((from * step) / most) * most * 2 ** reduce);
  return {
    left: start(area.left, stepX, coarsest("stepX"), x0),
    top: start(area.top, stepY, coarsest("stepY"), y0),
    right: Math.min(x1, area.right * stepX * 2 ** reduce),
    bottom: Math.min(y1, area.bottom * stepY * 2 ** reduce),
  };
}

/** A codestream with its end marker, without which OpenJPEG takes it for cut short. */
function terminated(codestream: Uint8Array): Uint8Array {
  const ends = codestream.at(-2) === END[0] && codestream.at(-1) === END[1];
  return ends ? codestream : joined([codestream, Uint8Array.from(END)]);
}

function refused(reason: NativeError): ApiError {
  return unusable("is damaged, cut short or of an unsupported kind", reason);
}
