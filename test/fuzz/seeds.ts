/** What fuzzing of native code begins with: files of the fixtures, with parameters behind them; see native/host.h. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { EXTRA, kind, made, PLANAR, type Tag } from "../support/tiff-files.ts";

const FIXTURES = join(import.meta.dirname, "..", "fixtures");
/** Larger files make slow runs, and few of them. */
const MOST_BYTES = 30_000;
/** Each file with so many choices of what is done to it. */
const CHOICES = 4;
const PARAMETER_BYTES = 56;
/** Without files: pictures that are made of nothing but parameters. */
const PICTURES = 64;

interface Source {
  readonly folder: string;
  readonly convert?: (file: Buffer) => Buffer[];
  /** What no fixture is. */
  readonly others?: () => Buffer[];
}

/** Folders of the fixtures, and what becomes of their files; targets that are not named take pictures. */
const SOURCES: Readonly<Record<string, Source>> = {
  jpeg: { folder: "jpeg" },
  webp: { folder: "webp" },
  tiff: { folder: "tiff", others: inks },
  jpeg2000: { folder: "jpeg2000", convert: codestreams },
  "av1-decode": { folder: "avif", convert: av1Units },
  "hevc-decode": { folder: "heic", convert: hevcUnits },
  "jxl-decode": { folder: "jxl", convert: (file) => (file[0] === 0xff || file[0] === 0 ? [file] : []) },
  "jxl-encode": { folder: "jpeg" },
  color: { folder: "profiles" },
  gif: { folder: "gif", convert: gifData },
  pixels: { folder: "png", convert: pngData },
};

/** Writes the seeds of a target into a folder. */
export function writeSeeds(target: string, folder: string): void {
  mkdirSync(folder, { recursive: true });
  const source = SOURCES[target];
  const files = source ? filesOf(source.folder).flatMap((file) => source.convert?.(file) ?? [file]) : [];
  files.push(...(source?.others?.() ?? []));
  const small = files.filter(({ length }) => length > 0 && length <= MOST_BYTES);
  const all = small.length > 0 ? small : Array.from({ length: PICTURES / CHOICES }, (_, at) => noise(256, at));
  all.forEach((file, index) => {
    for (let choice = 0; choice < CHOICES; choice++) {
      const seed = index * CHOICES + choice;
      const name = `${String(index).padStart(4, "0")}-${choice}`;
      writeFileSync(join(folder, name), Buffer.concat([file, parameters(seed)]));
    }
  });
}

function filesOf(folder: string): Buffer[] {
  return readdirSync(join(FIXTURES, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name)));
}

/** The last bytes are taken first: no limit of memory, then which function is meant, then what it asks for. */
function parameters(seed: number): Buffer {
  return Buffer.concat([noise(PARAMETER_BYTES, seed + 1), Buffer.from([seed % 8, 0, 0, 0, 0, 0])]);
}

function noise(length: number, seed: number): Buffer {
  let state = seed * 2_654_435_761;
  return Buffer.from(
    Array.from({ length }, () => {
      state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x6d2b79f5;
      return (state >>> 13) & 255;
    }),
  );
}

/** TIFF files of four inks and alpha: apart from them, multiplied with them, of 16 bits, in planes. */
function inks(): Buffer[] {
  const size = 8;
  const of = (bytes: number, ...tags: Tag[]) => {
    const tagged = kind([bytes * 8, bytes * 8, bytes * 8, bytes * 8, bytes * 8], 5, ...tags);
    const isPlanar = tags.some(([tag]) => tag === PLANAR);
    const strips = Array.from({ length: isPlanar ? 5 : 1 }, (_, plane) => [
      ...noise((size * size * 5 * bytes) / (isPlanar ? 5 : 1), plane + 1),
    ]);
    return Buffer.from(made(size, size, tagged, strips));
  };
  return [of(1, [EXTRA, 2]), of(1, [EXTRA, 1]), of(2, [EXTRA, 2]), of(1, [EXTRA, 2], [PLANAR, 2]), of(1, [EXTRA, 0])];
}

/** The codestream of a JP2 file. */
function codestreams(file: Buffer): Buffer[] {
  const start = file.indexOf(Buffer.from([0xff, 0x4f, 0xff, 0x51]));
  return start < 0 ? [] : [file.subarray(start)];
}

/** Width, height, bits and how many bytes follow, as stills.h has them. */
function claim(file: Buffer, length: number): Buffer {
  const sizes = file.indexOf("ispe") + 8;
  const depths = file.indexOf("pixi") + 9;
  const [width, height] = [file.readUInt32BE(sizes), file.readUInt32BE(sizes + 4)];
  const bits = depths > 8 ? (file[depths] ?? 8) : 8;
  const count = Buffer.alloc(4);
  count.writeUInt32LE(length);
  return Buffer.concat([Buffer.from([width & 255, width >> 8, height & 255, height >> 8, bits]), count]);
}

/** What lies behind the head of the box of samples. */
function samplesOf(file: Buffer): Buffer {
  const at = file.indexOf("mdat");
  return at < 0 ? Buffer.alloc(0) : file.subarray(at + 4);
}

function av1Units(file: Buffer): Buffer[] {
  const samples = samplesOf(file);
  // A temporal delimiter or a sequence header may begin anywhere in the samples of several items.
  const starts = [0, samples.indexOf(Buffer.from([0x12, 0x00])), samples.indexOf(Buffer.from([0x0a, 0x06]))];
  const places = [...new Set(starts.filter((start) => start >= 0))];
  return file.includes("ispe")
    ? places.map((start) => Buffer.concat([claim(file, samples.length - start), samples.subarray(start)]))
    : [];
}

/** Units behind their lengths: parameter sets of the configuration, then those of the samples. */
function hevcUnits(file: Buffer): Buffer[] {
  const config = file.indexOf("hvcC") + 4;
  if (config < 4 || !file.includes("ispe")) return [];
  const units: Buffer[] = [];
  const take = (from: Buffer, at: number, bytes: 2 | 4) => {
    if (at + bytes > from.length) return -1;
    const length = from.readUIntBE(at, bytes);
    if (length === 0 || at + bytes + length > from.length) return -1;
    const head = Buffer.alloc(4);
    head.writeUInt32BE(length);
    units.push(head, from.subarray(at + bytes, at + bytes + length), Buffer.alloc(1));
    return at + bytes + length;
  };
  let at = config + 23;
  for (let arrays = file[config + 22] ?? 0; arrays > 0 && at > 0; arrays--) {
    let count = file.readUInt16BE(at + 1);
    for (at += 3; count > 0 && at > 0; count--) at = take(file, at, 2);
  }
  const samples = samplesOf(file);
  for (let next = 0; next >= 0 && next < samples.length;) next = take(samples, next, 4);
  const all = Buffer.concat(units);
  return [Buffer.concat([claim(file, all.length), all])];
}

/** The image data of the first frame, without sub-blocks. */
function gifData(file: Buffer): Buffer[] {
  const frame = file.indexOf(Buffer.from([0, 0x2c]));
  if (frame < 0) return [];
  const flags = file[frame + 10] ?? 0;
  let at = frame + 12 + (flags & 0x80 ? 3 << ((flags & 7) + 1) : 0);
  const pieces: Buffer[] = [];
  for (let length = file[at] ?? 0; length > 0; length = file[at] ?? 0) {
    pieces.push(file.subarray(at + 1, at + 1 + length));
    at += 1 + length;
  }
  return [Buffer.concat(pieces)];
}

/** What the chunks of compressed rows hold. */
function pngData(file: Buffer): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 8; at + 12 <= file.length;) {
    const length = file.readUInt32BE(at);
    if (file.toString("latin1", at + 4, at + 8) === "IDAT") pieces.push(file.subarray(at + 8, at + 8 + length));
    at += 12 + length;
  }
  return pieces.length > 0 ? [Buffer.concat(pieces)] : [];
}
