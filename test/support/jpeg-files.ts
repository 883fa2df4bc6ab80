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
