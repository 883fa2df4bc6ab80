/**
 * What jobs of this module hold in linear memory at most, so that they can be admitted or refused before anything is
 * allocated. Tests hold every job to it.
 */
import { type EncoderOptions, FACTORS, packedLimit } from "./encoder.ts";
import type { JpegHeader } from "./header.ts";
import { type RecompressOptions, WINDOW_BYTES } from "./recompress.ts";

type Layout = Pick<JpegHeader, "width" | "height" | "precision" | "components" | "multipleScans">;

/** Structures, input window, tables. */
const DECODER_BYTES = 220_000;
const ENCODER_BYTES = 330_000;
const BAND_BYTES = 262_144;
const BAND_ROWS_MIN = 8;
/** The C code keeps this many bytes of coefficients; beyond that it drops high frequencies of chroma (`store.c`). */
const LARGE_STORE_BYTES = 32 << 20;
/** Pointers to a row of blocks, and what allocating it costs. */
const STORE_ROW_BYTES = 24;
/** libjpeg pads rows of samples. */
const ROW_PADDING = 128;

/**
 * Bytes that decoding at `eighths` of the size holds. Single-scan files need a few rows; files of several scans hold
 * the coefficients that the scale needs.
 */
export function decodePeakBytes(header: Layout, eighths = 8): number {
  const { width, height, precision, components, multipleScans } = header;
  const sampleBytes = precision > 8 ? 2 : 1;
  const maxV = Math.max(...components.map(({ v }) => v));
  const maxH = Math.max(...components.map(({ h }) => h));
  const outputWidth = Math.ceil((width * eighths) / 8);
  const row = (Math.ceil(width / (8 * maxH)) * maxH * eighths + ROW_PADDING) * sampleBytes;
  // Rows in a row of MCUs, and those above and below; then upsampled rows, and the rows that are handed out.
  const planes = components.length * row * (maxV * eighths + 2 * maxV + maxV);
  const bandRows = Math.max(BAND_BYTES, BAND_ROWS_MIN * outputWidth * 4);
  const scratch = outputWidth * 4 * sampleBytes;
  const sizes = components.map(({ h, v }) => scaledSize(eighths, maxH / h, maxV / v));
  const held = multipleScans ? storeBytes({ width, height, components }, sizes, eighths) : 0;
  return Math.ceil(DECODER_BYTES + planes + bandRows + scratch + held);
}

/** Bytes that decoding planes holds, each at its own size (`openPlaneDecoder`), of a region that is `columns` wide. */
export function planesPeakBytes(header: Layout, eighths: readonly number[], columns = header.width): number {
  const { components, multipleScans } = header;
  const maxH = Math.max(...components.map(({ h }) => h));
  const sizes = components.map((_, index) => eighths[index] ?? 8);
  const least = sizes[0] ?? 8;
  // The region may begin and end within MCUs; of reduced ones, several rows are decoded at a time.
  const units = (Math.ceil(columns / (8 * maxH)) + 1) * (8 / least);
  const planes = components.reduce((sum, { h, v }, index) => sum + units * h * v * (sizes[index] ?? 8) ** 2, 0);
  return Math.ceil(DECODER_BYTES + planes + (multipleScans ? storeBytes(header, sizes, least) : 0));
}

/** The coefficients of every block that scaling to these sizes needs, and a map of the others (`store.c`). */
function storeBytes(
  { width, height, components }: Pick<Layout, "width" | "height" | "components">,
  sizes: readonly number[],
  least: number,
) {
  const maxH = Math.max(...components.map(({ h }) => h));
  const maxV = Math.max(...components.map(({ v }) => v));
  const unitsX = Math.ceil(width / (8 * maxH));
  const unitsY = Math.ceil(height / (8 * maxV));
  let most = 8;
  const held = () =>
    components.reduce((sum, { h, v }, index) => {
      const kept = Math.min(most, sizes[index] ?? 8);
      return sum + unitsY * v * unitsX * h * (8 + 2 * kept * kept);
    }, 0);
  while (held() > LARGE_STORE_BYTES && most > least) most--;
  return held() + unitsY * components.reduce((sum, { v }) => sum + v, 0) * STORE_ROW_BYTES;
}

/** libjpeg's inverse transform of a subsampled component makes up for subsampling while it can (jdmaster.c). */
function scaledSize(eighths: number, ratioH: number, ratioV: number): number {
  let size = eighths;
  while (size < 8 && (ratioH * eighths) % (size * 2) === 0 && (ratioV * eighths) % (size * 2) === 0) size *= 2;
  return Math.min(8, size);
}

/** Bytes that encoding holds: rows as 32-bit numbers, packed coefficients. The file itself comes to the caller. */
export function encodePeakBytes(options: EncoderOptions): number {
  const { width, subsampling = "4:2:0", gray = false, profile } = options;
  const [h, v] = gray ? [1, 1] : FACTORS[subsampling];
  const columns = Math.ceil(width / (8 * h)) * 8 * h;
  const script = scriptBytes(gray ? 1 : 3);
  return Math.ceil(ENCODER_BYTES + script + columns * (480 + 620 * v) + packedLimit(options) + (profile?.length ?? 0));
}

/** A block of packed coefficients: map and DC, and at most two bytes for each other coefficient. */
const MAP_BYTES = 8;
const DC_BYTES = 2;
const PACKED_BLOCK_BYTES_MAX = 136;
/** Packed bytes for a byte of a file: a coefficient takes one byte, and no less than two bits of a Huffman code. */
const PACKED_PER_FILE_BYTE = 4;
const RECOMPRESSOR_BYTES = 300_000;

/** Tables and counts of a scan, and the scans of a component that are counted (`script.c`). */
const COUNTED_SCAN_BYTES = 9_700;
const COUNTED_SCANS_PER_COMPONENT = 7;
/** The output window of each scan of a streamed file, and how many are written. */
const STREAMED_SCAN_BYTES = 66_000;
const STREAMED_SCANS_PER_COMPONENT = 5;

function scriptBytes(components: number): number {
  return components * COUNTED_SCANS_PER_COMPONENT * COUNTED_SCAN_BYTES;
}

/** Bytes that recompression of a file of `fileBytes` holds. */
export function recompressPeakBytes(
  header: Layout,
  fileBytes: number,
  { windowBytes = WINDOW_BYTES, turn, streamed = false }: RecompressMemoryOptions = {},
): number {
  const maxH = Math.max(...header.components.map(({ h }) => h));
  const maxV = Math.max(...header.components.map(({ v }) => v));
  const unitsX = Math.ceil(header.width / (8 * maxH));
  const unitsY = Math.ceil(header.height / (8 * maxV));
  const perUnit = header.components.reduce((sum, { h, v }) => sum + h * v, 0);
  const blocks = unitsX * unitsY * perUnit;
  const most = blocks * PACKED_BLOCK_BYTES_MAX;
  const fixed = RECOMPRESSOR_BYTES + scriptBytes(header.components.length);
  const rows = fixed + unitsX * PACKED_BLOCK_BYTES_MAX * perUnit + unitsY * 64 * header.components.length;
  // Of files of several scans: the window, and maps of the rest.
  const passes = header.multipleScans ? Math.floor(most / windowBytes) + 1 : 0;
  const window = header.multipleScans ? blocks * MAP_BYTES + most / passes : 0;
  if (streamed) {
    const scans = header.components.length * STREAMED_SCANS_PER_COMPONENT * STREAMED_SCAN_BYTES;
    // Two rows of MCUs at a time: as they come, and packed.
    return rows + scans + window + blocks * DC_BYTES + 2 * unitsX * perUnit * PACKED_BLOCK_BYTES_MAX;
  }
  const packed = packedBytes(blocks, fileBytes);
  // A row or a column of the source and of the result; transposing holds both pictures.
  const turning = turn ? Math.max(unitsX * maxH, unitsY * maxV) * 512 + (turn.transpose ? packed : 0) : 0;
  // In the last pass: the window, and what earlier passes packed.
  const read = window + blocks * DC_BYTES + (passes > 0 ? (packed * (passes - 1)) / passes : 0);
  return rows + Math.max(packed + turning, read);
}

type RecompressMemoryOptions = Pick<RecompressOptions, "windowBytes" | "turn" | "streamed">;

function packedBytes(blocks: number, fileBytes: number): number {
  return Math.min(blocks * PACKED_BLOCK_BYTES_MAX, blocks * (MAP_BYTES + DC_BYTES) + fileBytes * PACKED_PER_FILE_BYTE);
}
