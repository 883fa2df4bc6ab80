/** Windows of a picture that cascades of Haar features take for faces; see scan.c. */
import { Handle } from "../handle.ts";
import { native, type NativeExports, OutOfMemory } from "../load.ts";
import { type Price, priced } from "../price.ts";
import module from "./faces.wasm";

type Pointer = number;

interface FacesExports extends NativeExports {
  picture_open(width: number, height: number): Pointer;
  picture_window(picture: Pointer): Pointer;
  picture_commit(picture: Pointer, rows: number): void;
  picture_close(picture: Pointer): void;
  scan_part(
    picture: Pointer,
    cascade: number,
    mirrored: number,
    x: number,
    y: number,
    width: number,
    height: number,
    smallest: number,
    largest: number,
    factor: number,
    fine: number,
  ): number;
  scan_hits(): Pointer;
}

/** In the order of build.sh. Profiles look to the left. */
const CASCADES = ["frontal", "frontal-trees", "profile"] as const;
export type Cascade = (typeof CASCADES)[number];

/** Rows that one call may write. */
export const WINDOW_ROWS = 16;

/** Pixels of the smallest window. */
export const MIN_WINDOW = 20;

/** Linear memory that the idle instance may keep: what a picture of 640 pixels a side needs. */
const KEEP_BYTES = 6 << 20;

const faces = native<FacesExports>(module, { name: "faces", keepBytes: KEEP_BYTES });

/**
 * All windows of one cascade from the smallest to the largest, each 1.15 times the one before, by pixels of the
 * picture.
 */
const CASCADE_NANOSECONDS = 190;

/** The price of looking at a picture of this size with `cascades` of them, at every place. */
export function facesPrice({ width, height }: { width: number; height: number }, cascades: number): Price {
  const bytes = (width * height * 4) / 3 + (width + 2) * (height + 1) * 8 + width * 4 * WINDOW_ROWS + 4_096;
  return priced(bytes, width * height, CASCADE_NANOSECONDS * cascades);
}

/** Windows that one search finds at most; those after them are passed over. */
export const MAX_HITS = 4_096;

/** Below this scale every other position is looked at, unless a search is fine. */
const FINE_SCALE = 2;
const COARSE_NANOSECONDS = 30;
const FINE_NANOSECONDS = 80;

/** Milliseconds of looking at all windows of one size in a part of the picture. */
export function sweepMs({ width, height }: { width: number; height: number }, side: number): number {
  const scale = side / MIN_WINDOW;
  const nanoseconds = scale < FINE_SCALE ? COARSE_NANOSECONDS : FINE_NANOSECONDS;
  return ((width * height) / scale ** 2) * nanoseconds * 1e-6;
}

/** A square window, in pixels of the picture. */
export interface Hit {
  readonly x: number;
  readonly y: number;
  readonly side: number;
}

export interface Search {
  readonly cascade: Cascade;
  /** Looks at the mirrored picture: the hits are faces that look the other way. */
  readonly mirrored?: boolean;
  /** The part of the picture to look at; it may reach beyond, where the edge is repeated. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Sides of the windows: from the smallest, each `factor` times the one before, up to the largest. */
  readonly smallest: number;
  readonly largest: number;
  readonly factor: number;
  /** Every position of small windows too, not every other. */
  readonly fine?: boolean;
}

export interface GrayPicture {
  /** Takes the next rows, RGBA8 with straight alpha, at most WINDOW_ROWS. */
  write(rows: Uint8Array): void;
  /** The windows that pass, at most `MAX_HITS`. Asked for once all rows are written. */
  scan(search: Search): Hit[];
  close(): void;
}

/** @throws NativeError when memory ran out */
export function openGrayPicture(width: number, height: number): GrayPicture {
  const handle = new Handle(
    faces,
    (exports) => exports.picture_open(width, height),
    (exports, pointer) => exports.picture_close(pointer),
  );
  const window = handle.call((exports, pointer) => exports.picture_window(pointer));
  return {
    write(rows) {
      handle.bytes(window, rows.length).set(rows);
      handle.call((exports, pointer) => exports.picture_commit(pointer, rows.length / (width * 4)));
    },
    scan: (search) => scan(handle, search),
    close: () => handle.close(),
  };
}

function scan(handle: Handle<FacesExports>, search: Search): Hit[] {
  const { cascade, mirrored = false, x, y, width, height, smallest, largest, factor, fine = false } = search;
  const index = CASCADES.indexOf(cascade);
  const part = [x, y, width, height, smallest, largest, factor] as const;
  const [count, at] = handle.call((exports, pointer) => {
    const found = exports.scan_part(pointer, index, mirrored ? 1 : 0, ...part, fine ? 1 : 0);
    if (found < 0) throw new OutOfMemory();
    return [found, exports.scan_hits()] as const;
  });
  const bytes = handle.bytes(at, count * 12);
  const values = new Float32Array(bytes.buffer, bytes.byteOffset, count * 3);
  return Array.from({ length: count }, (_, hit) => ({
    x: values[hit * 3]!,
    y: values[hit * 3 + 1]!,
    side: values[hit * 3 + 2]!,
  }));
}
