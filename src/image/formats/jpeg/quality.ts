/** With which quality a JPEG picture was written, from its first quantisation table. */
import type { JpegHeader } from "../../../../wasm/jpeg/jpeg.ts";

/** ITU-T T.81, table K.1: what libjpeg scales, and most encoders with it. */
const LUMA = [
  16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56, 14, 17, 22, 29, 51,
  87, 80, 62, 18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92, 49, 64, 78, 87, 103, 121, 120, 101,
  72, 92, 95, 98, 112, 100, 103, 99,
];

/**
 * The quality from 1 to 100 at which libjpeg would make a table as coarse as the file's: exact for its own tables, a
 * comparison of sums for others.
 */
export function estimateQuality({ components, tables }: Pick<JpegHeader, "components" | "tables">): number {
  const table = tables[components[0]?.table ?? 0];
  if (!table) return 75;
  const sum = table.reduce((total, divisor) => total + divisor, 0);
  if (sum <= 64) return 100;
  const candidates = Array.from({ length: 100 }, (_, index) => index + 1);
  const differences = candidates.map((quality) => Math.abs(tableSum(quality) - sum));
  return 1 + differences.lastIndexOf(Math.min(...differences));
}

/** Sum of libjpeg's luma table at a quality (`jpeg_quality_scaling`, `jpeg_add_quant_table`). */
function tableSum(quality: number): number {
  const scale = quality < 50 ? Math.floor(5000 / quality) : 200 - 2 * quality;
  return LUMA.reduce((sum, base) => sum + Math.min(255, Math.max(1, Math.floor((base * scale + 50) / 100))), 0);
}
