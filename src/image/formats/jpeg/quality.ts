/** With which quality a JPEG picture was written, from its first quantization table. */
import { type JpegHeader, qualityToDistance } from "../../../../wasm/jpeg/jpeg.ts";

/** ITU-T T.81, table K.1: what libjpeg scales, and most encoders with it. */
const LUMA = [
  16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56, 14, 17, 22, 29, 51,
  87, 80, 62, 18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92, 49, 64, 78, 87, 103, 121, 120, 101,
  72, 92, 95, 98, 112, 100, 103, 99,
];

/**
 * Divisors of luma that jpegli scales by its distance (quant.cc), by their places, for halved chroma a little more, and what
 * our encoder multiplies them with (FACTORS in wasm/jpeg/divisors.c). The first one is below 255 at every quality.
 */
const JPEGLI_LUMA: readonly (readonly [place: number, base: number, factor: number])[] = [
  [32, 3.339819711906184, 0.99],
  [56, 3.86956, 0.97],
  [57, 4.035324490952577, 1],
  [58, 4.237447515714274, 1.02],
  [59, 4.605934, 1.02],
  [60, 5.48533336146308, 1.02],
  [61, 6.0872254423617225, 1.02],
  [62, 5.4037359493250845, 1.02],
  [63, 4.37787101190424, 1.02],
];
const JPEGLI_SCALE = 1.7396601;
const JPEGLI_SCALE_420 = JPEGLI_SCALE * 1.22;
const BASELINE_MAX = 255;

/**
 * The quality from 1 to 100 that our encoder was told, or at which libjpeg would make a table as coarse as the file's:
 * exact for its own tables (a single scan is taken for one that was written fast), a comparison of sums for others.
 */
export function estimateQuality(header: Pick<JpegHeader, "components" | "tables" | "multipleScans">): number {
  const { components, tables, multipleScans } = header;
  const table = tables[components[0]?.table ?? 0];
  if (!table) return 75;
  const sum = table.reduce((total, divisor) => total + divisor, 0);
  if (sum <= 64) return 100;
  const usual = multipleScans ? (["weighed", "fast"] as const) : (["fast", "weighed"] as const);
  const own = jpegliQuality(table, components, usual[0]) ?? jpegliQuality(table, components, usual[1]);
  if (own) return own;
  const candidates = Array.from({ length: 100 }, (_, index) => index + 1);
  const differences = candidates.map((quality) => Math.abs(tableSum(quality) - sum));
  return 1 + differences.lastIndexOf(Math.min(...differences));
}

/** Sum of libjpeg's luma table at a quality (`jpeg_quality_scaling`, `jpeg_add_quant_table`). */
function tableSum(quality: number): number {
  const scale = quality < 50 ? Math.floor(5000 / quality) : 200 - 2 * quality;
  return LUMA.reduce((sum, base) => sum + Math.min(255, Math.max(1, Math.floor((base * scale + 50) / 100))), 0);
}

/** The quality of a table of jpegli's, as our encoder uses it; undefined when the table is not one of those. */
function jpegliQuality(
  table: Uint16Array,
  components: JpegHeader["components"],
  mode: "weighed" | "fast",
): number | undefined {
  const [luma] = components;
  const scale = luma?.h === 2 && luma.v === 2 ? JPEGLI_SCALE_420 : JPEGLI_SCALE;
  for (let quality = 99; quality >= 1; quality--) {
    const distance = qualityToDistance(quality, mode) * scale;
    const limited = (divisor: number) => Math.min(BASELINE_MAX, Math.max(1, Math.round(divisor)));
    const own = (base: number, factor: number) => limited(Math.fround(limited(base * distance) * Math.fround(factor)));
    if (JPEGLI_LUMA.every(([place, base, factor]) => table[place] === own(base, factor))) return quality;
  }
  return undefined;
}
