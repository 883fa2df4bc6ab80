/** Small JPEG files of every kind, by name. Provenance: test/fixtures/README.md. */
import arithmeticProgressive from "../fixtures/jpeg/arithmetic-progressive.jpg";
import arithmetic from "../fixtures/jpeg/arithmetic.jpg";
import cmyk from "../fixtures/jpeg/cmyk.jpg";
import factors1x3 from "../fixtures/jpeg/factors-1x3.jpg";
import gray from "../fixtures/jpeg/gray.jpg";
import oddFactors from "../fixtures/jpeg/odd-factors.jpg";
import progressiveRestart from "../fixtures/jpeg/progressive-restart.jpg";
import progressive from "../fixtures/jpeg/progressive.jpg";
import restart from "../fixtures/jpeg/restart.jpg";
import rgb from "../fixtures/jpeg/rgb.jpg";
import s410 from "../fixtures/jpeg/s410.jpg";
import s411 from "../fixtures/jpeg/s411.jpg";
import s420 from "../fixtures/jpeg/s420.jpg";
import s422 from "../fixtures/jpeg/s422.jpg";
import s440 from "../fixtures/jpeg/s440.jpg";
import s444 from "../fixtures/jpeg/s444.jpg";
import severalScans from "../fixtures/jpeg/several-scans.jpg";
import twelveBits from "../fixtures/jpeg/twelve-bits.jpg";

export const JPEG_FILES: Readonly<Record<string, Uint8Array>> = {
  "arithmetic-progressive": new Uint8Array(arithmeticProgressive),
  arithmetic: new Uint8Array(arithmetic),
  cmyk: new Uint8Array(cmyk),
  "factors-1x3": new Uint8Array(factors1x3),
  gray: new Uint8Array(gray),
  "odd-factors": new Uint8Array(oddFactors),
  "progressive-restart": new Uint8Array(progressiveRestart),
  progressive: new Uint8Array(progressive),
  restart: new Uint8Array(restart),
  rgb: new Uint8Array(rgb),
  s410: new Uint8Array(s410),
  s411: new Uint8Array(s411),
  s420: new Uint8Array(s420),
  s422: new Uint8Array(s422),
  s440: new Uint8Array(s440),
  s444: new Uint8Array(s444),
  "several-scans": new Uint8Array(severalScans),
  "twelve-bits": new Uint8Array(twelveBits),
};

/** The file of that name; fails if there is none. */
export function jpegFile(name: string): Uint8Array {
  const bytes = JPEG_FILES[name];
  if (!bytes) throw new Error(`no file is called ${name}`);
  return bytes;
}

/**
 * A gray JPEG file, valid but for its values: the brightness of each block is 2,047 steps above the one before, or below, which
 * adds up to more than a coefficient holds. A decoder shows white and black; nobody can write the coefficients again.
 */
export function beyondRange(columns: number, rows: number): Uint8Array {
  const bits: number[] = [];
  for (let block = 0; block < columns * rows; block++) {
    // The only code of each table is one bit: eleven bits of a difference follow, and then the end of the block.
    const step = Math.floor(block / (2 * columns)) % 2;
    bits.push(0, ...Array.from({ length: 11 }, () => 1 - step), 0);
  }
  while (bits.length % 8 !== 0) bits.push(1);
  const scan: number[] = [];
  for (let at = 0; at < bits.length; at += 8) {
    const byte = bits.slice(at, at + 8).reduce((value, bit) => value * 2 + bit, 0);
    scan.push(byte, ...(byte === 0xff ? [0] : []));
  }
  const table = (kind: number, symbol: number) => [0xff, 0xc4, 0, 20, kind, 1, ...Array<number>(15).fill(0), symbol];
  const [width, height] = [columns * 8, rows * 8];
  const quantization = [0xff, 0xd8, 0xff, 0xdb, 0, 67, 0, ...Array<number>(64).fill(8)];
  const frame = [0xff, 0xc0, 0, 11, 8, height >> 8, height & 255, width >> 8, width & 255, 1, 1, 0x11, 0];
  const start = [0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0];
  const end = [0xff, 0xd9];
  return Uint8Array.from([quantization, frame, table(0x00, 11), table(0x10, 0), start, scan, end].flat());
}
