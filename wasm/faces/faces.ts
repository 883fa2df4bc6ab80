/** Boxes of a picture that small convolutional networks take for faces; README.md says which, and what they have learned. */
import { type Estimate, estimated } from "../estimate.ts";
import { Handle } from "../handle.ts";
import { allocated, native } from "../load.ts";
import type { FacesExports } from "./exports.ts";
import module from "./faces.wasm";

type Pointer = number;

/** Rows that one call may write. */
export const WINDOW_ROWS = 16;

/** Linear memory that the idle instance may keep: what a picture of 640 pixels a side needs. */
const KEEP_BYTES = 6 << 20;

const faces = native<FacesExports>(module, { name: "faces", keepBytes: KEEP_BYTES });

/** To look at a pixel of the size that is looked at. */
const PIXEL_NANOSECONDS = 150;

/** A search, whatever its size. The network in floats is made once, and is part of what the idle instance keeps. */
const SEARCH_BYTES = 96 << 10;

/** Rows of all layers, for each column that is looked at. */
const COLUMN_BYTES = 2_450;

/** To look at a pixel with the second network. */
const LOOK_PIXEL_NANOSECONDS = 300;

/** Layers of the second network for each pixel that is looked at, and the floats of two of its layers. */
const LOOK_PIXEL_BYTES = 48;
const LOOK_BYTES = 432 << 10;

/** Pixels of a side of the square that the third network looks at. */
export const SQUARE_SIDE = 221;

/** To ask it about a square, and what it holds meanwhile. */
export const SQUARE_MS = 4;
const SQUARE_BYTES = 900 << 10;

/** Pixels from one row of the last layer to the next. */
const STEP = 16;

interface Sides {
  readonly width: number;
  readonly height: number;
}

/**
 * The estimate of holding a picture of this size and looking at it in `sizes`, one after the other, then with the second
 * network in those of `looks`, and asking the third about so many squares.
 */
export function facesEstimate(
  { width, height }: Sides,
  sizes: readonly Sides[],
  looks: readonly Sides[] = [],
  squares = 0,
): Estimate {
  const columns = Math.max(...sizes.map((size) => size.width)) + STEP;
  const picture = width * height * 4 + width * 4 * WINDOW_ROWS + 4_096;
  const ms = sizes.reduce((sum, size) => sum + searchMs(size), 0) + looks.reduce((sum, size) => sum + lookMs(size), 0);
  const working = [
    columns * COLUMN_BYTES + SEARCH_BYTES,
    ...looks.map((size) => size.width * size.height * LOOK_PIXEL_BYTES + LOOK_BYTES),
    squares > 0 ? SQUARE_BYTES : 0,
  ];
  return { ...estimated(picture + Math.max(...working), 1, 0), ms: ms + squares * SQUARE_MS };
}

/** Milliseconds of looking at a part in this size with the second network. */
export function lookMs({ width, height }: Sides): number {
  return width * height * LOOK_PIXEL_NANOSECONDS * 1e-6;
}

/** Milliseconds of looking at a part in this size. */
function searchMs({ width, height }: Sides): number {
  return rowMs(width) * Math.ceil(height / STEP);
}

function rowMs(width: number): number {
  return (width + STEP) * STEP * PIXEL_NANOSECONDS * 1e-6;
}

interface Part extends Sides {
  readonly x: number;
  readonly y: number;
}

/** In pixels of the picture, about from the eyebrows to the chin. */
export interface Hit extends Part {
  /** From 0 to 1. */
  readonly score: number;
}

/** Looks at a part of the picture in one size, a row of the last layer after the other. */
interface FaceSearch {
  /** Whether there is more to look at. */
  next(): boolean;
  /** Milliseconds that one `next` takes. */
  readonly stepMs: number;
  hits(): Hit[];
  close(): void;
}

export interface FacePicture {
  /** Takes the next rows, RGBA8 with straight alpha, at most WINDOW_ROWS. */
  write(rows: Uint8Array): void;
  /**
   * Begins to look for what scores more than `least` in a part, as it would be in this size. The part may reach beyond the
   * picture. Asked for once all rows are written.
   */
  search(part: Part, size: Sides, least: number): FaceSearch;
  /**
   * What the second network scores more than `least` in a part, as it or its mirror image would be in this size.
   * @param weights of that network, `far.bin`
   */
  look(weights: Uint8Array, part: Part, size: Sides, least: number, mirrored: boolean): Hit[];
  /**
   * The score that the third network gives what is in the middle of a square that may reach beyond the picture, or of its
   * mirror image: above 0 a face. It knows faces of a third of the square, and sees them near its middle.
   * @param weights of that network, `mmod.bin`
   */
  squareScore(weights: Uint8Array, square: Part, mirrored: boolean): number;
  close(): void;
}

/** @throws NativeError when memory ran out */
export function openFacePicture(width: number, height: number): FacePicture {
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
    search: (part, size, least) => openSearch(handle, part, size, least),
    look: (weights, ...asked) => {
      bringWeights(handle, FAR, weights);
      return look(handle, ...asked);
    },
    squareScore: (weights, ...asked) => {
      bringWeights(handle, MMOD, weights);
      return squareScore(handle, ...asked);
    },
    close: () => handle.close(),
  };
}

function openSearch(handle: Handle<FacesExports>, part: Part, size: Sides, least: number): FaceSearch {
  const { x, y, width, height } = part;
  // In the instance that holds the picture, which another handle might not get.
  const search = handle.call((exports, picture) =>
    allocated(exports.search_open(picture, x, y, width, height, size.width, size.height, logit(least))),
  );
  return {
    next: () => handle.call((exports) => exports.search_row(search)) !== 0,
    stepMs: rowMs(size.width),
    hits() {
      const [count, at] = handle.call(
        (exports) => [exports.search_count(search), exports.search_hits(search)] as const,
      );
      return hitsAt(handle, at, count, part, size);
    },
    close: () => handle.call((exports) => exports.search_close(search)),
  };
}

/** The networks whose weights are brought. */
const [FAR, MMOD] = [0, 1];

/** An instance is told the weights of a network once. */
function bringWeights(handle: Handle<FacesExports>, network: number, weights: Uint8Array): void {
  if (handle.call((exports) => exports.weights_known(network)) !== 0) return;
  const room = handle.call((exports) => allocated(exports.weights_room(network, weights.length)));
  handle.bytes(room, weights.length).set(weights);
}

function look(handle: Handle<FacesExports>, part: Part, size: Sides, least: number, mirrored: boolean): Hit[] {
  const { x, y, width, height } = part;
  const { start, across } = columnsOf(part, mirrored);
  const opened = handle.call((exports, picture) =>
    allocated(exports.look_open(picture, start, y, across, height, size.width, size.height, logit(least))),
  );
  const [count, at] = handle.call((exports) => [exports.look_count(opened), exports.look_hits(opened)] as const);
  const hits = hitsAt(handle, at, count, part, size);
  handle.call((exports) => exports.look_close(opened));
  return mirrored ? hits.map((hit) => ({ ...hit, x: x + width - (hit.x - x) - hit.width })) : hits;
}

function squareScore(handle: Handle<FacesExports>, square: Part, mirrored: boolean): number {
  const { start, across } = columnsOf(square, mirrored);
  const score = handle.call((exports, picture) => exports.mmod_score(picture, start, square.y, across, square.height));
  return Number.isNaN(score) ? allocated(0) : score;
}

/** Where the columns of a part begin, and how far they go: to the left in its mirror image. */
function columnsOf({ x, width }: Part, mirrored: boolean): { readonly start: number; readonly across: number } {
  return mirrored ? { start: x + width, across: -width } : { start: x, across: width };
}

/** What a score is before the logistic function. */
function logit(score: number): number {
  return Math.log(score / (1 - score));
}

/** Numbers of a hit: its box and its score. */
const NUMBERS = 5;

function hitsAt(handle: Handle<FacesExports>, at: Pointer, count: number, part: Part, size: Sides): Hit[] {
  const [across, down] = [part.width / size.width, part.height / size.height];
  const bytes = handle.bytes(at, count * NUMBERS * 4);
  const values = new Float32Array(bytes.buffer, bytes.byteOffset, count * NUMBERS);
  return Array.from({ length: count }, (_, hit) => {
    const [x = 0, y = 0, width = 0, height = 0, score = 0] = values.subarray(hit * NUMBERS, (hit + 1) * NUMBERS);
    const box = { x: part.x + x * across, y: part.y + y * down, width: width * across, height: height * down };
    return { ...box, score };
  });
}
