/** SVG: drawn by resvg at the size that is wanted, or handed on as SVG, cleaned. */
import { ApiError } from "../../errors.ts";
import { type Demand, type Facts, format } from "../codec/format.ts";
import { guardedAsync } from "../codec/guard.ts";
import type { Rows } from "../pixels/rows.ts";
import { resample } from "../steps/resample.ts";
import { SVG } from "./optional.ts";
import { cleanSvg } from "./svg/clean.ts";
import { drawingFacts, drawingFuel, drawingEstimate, pixelsAtOnce, stripRows } from "./svg/costs.ts";
import { demandsOf } from "./svg/demands.ts";
import { damaged, plainSvg } from "./svg/document.ts";
import { drawnSvg } from "./svg/drawn.ts";
import { manifest } from "./svg/manifest.ts";
import type { Means } from "./svg/resvg.ts";
import { sizeOf } from "./svg/size.ts";
import { inStrips } from "./svg/strips.ts";
import { writtenSvg } from "./svg/tree.ts";
import { marksOf, readingEstimate } from "./svg/weight.ts";

export { lettering } from "./svg/lettering.ts";

/** Pixels times primitives of filters that draw them. */
const MAX_FILTERED_PIXELS = 400_000_000;

const tooDetailed = () => new ApiError(422, "The SVG file has too much detail to be drawn at this size");

export const svg = format({
  ...SVG,
  summary:
    "Drawn at the size that is wanted, text included; compressed (SVGZ) too; without operations it stays SVG, cleaned of scripts.",
  can: { alpha: true, animation: false, quality: false, lossless: true, web: true },
  sample: new TextEncoder().encode(
    '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"><path d="M0 0h1v1z"/></svg>',
  ),

  read: {
    probeEstimate: (file) => readingEstimate(marksOf(plainSvg(file))),

    factsOf(file) {
      const bytes = plainSvg(file);
      const { root, warnings } = drawnSvg(bytes);
      return {
        ...sizeOf(root),
        orientation: 1,
        frames: 1,
        loops: 1,
        alpha: true,
        colorspace: "RGB",
        interlaced: false,
        subsample: "4:4:4",
        depth: 32,
        quality: 100,
        ...drawingFacts(marksOf(bytes), demandsOf(root)),
        ...(warnings.length > 0 && { undrawn: warnings }),
      } satisfies Facts;
    },

    estimate: drawingEstimate,

    async *open(bytes, facts, demand, timeSlice) {
      const means = { timeSlice, fuel: drawingFuel(facts, demand) };
      const rows = await guardedAsync(() => drawnRows(bytes, facts, demand, means), damaged);
      const { width, height } = rows;
      yield { delayMs: 0, rows, box: { x: 0, y: 0, width, height } };
    },
  },

  recompress: {
    estimate: (bytes) => readingEstimate(marksOf(plainSvg(bytes))),
    run: async (bytes) => new TextEncoder().encode(writtenSvg(cleanSvg(bytes).root)),
  },

  manifest,
});

/** The wanted region, drawn at the size at which it is used, be it smaller or larger than the document says. */
async function drawnRows(bytes: Uint8Array, facts: Facts, { box, ...wanted }: Demand, means: Means): Promise<Rows> {
  const { root } = drawnSvg(bytes);
  const demands = demandsOf(root);
  const work = { root, facts, ...means };
  const width = Math.max(1, Math.round(wanted.width));
  const height = Math.max(1, Math.round(wanted.height));
  if (demands.primitives === 0) {
    const size = { width, height };
    const rowsAtOnce = stripRows(demands, size);
    if (rowsAtOnce === null) throw tooDetailed();
    return inStrips(work, { area: box, size, stripRows: rowsAtOnce });
  }

  // A filter draws with what lies around a pixel: the picture is drawn in one piece, if need be a smaller one.
  const full = { width: (facts.width * width) / box.width, height: (facts.height * height) / box.height };
  const most = Math.min(pixelsAtOnce(demands), MAX_FILTERED_PIXELS / demands.primitives);
  const factor = Math.min(1, Math.sqrt(most / (full.width * full.height)));
  const size = { width: Math.ceil(full.width * factor), height: Math.ceil(full.height * factor) };
  const area = { x: 0, y: 0, width: facts.width, height: facts.height };
  const whole = await inStrips(work, { area, size, stripRows: size.height });
  const [scaleX, scaleY] = [size.width / facts.width, size.height / facts.height];
  const region = { x: box.x * scaleX, y: box.y * scaleY, width: box.width * scaleX, height: box.height * scaleY };
  return resample(whole, { box: region, width, height, kernel: "linear" });
}
