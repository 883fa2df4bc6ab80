/** Plain facts about rectangles and the eight ways a picture can lie. */

export interface Size {
  /** Pixels. */
  readonly width: number;
  /** Pixels. */
  readonly height: number;
}

/** Pixels of a picture or region of this size. */
export function area({ width, height }: Size): number {
  return width * height;
}

/** A region in pixels, origin top-left. May be fractional where a resize follows. */
export interface Box extends Size {
  readonly x: number;
  readonly y: number;
}

/** How stored pixels must be turned to be upright: EXIF tag 0x0112, values 1 to 8 (TIFF 6.0, "Orientation"). */
export type Orientation = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;

/**
 * The eight orientations as (transpose, then flip horizontally, then flip vertically): upright(x, y) is read from the
 * stored picture after these three.
 */
const TURNS: Readonly<Record<Orientation, readonly [transpose: boolean, flipX: boolean, flipY: boolean]>> = {
  1: [false, false, false],
  2: [false, true, false],
  3: [false, true, true],
  4: [false, false, true],
  5: [true, false, false],
  6: [true, true, false],
  7: [true, true, true],
  8: [true, false, true],
};

/** An orientation as transpose first, then the two flips. */
export function turnOf(orientation: Orientation) {
  const [transpose, flipX, flipY] = TURNS[orientation];
  return { transpose, flipX, flipY };
}

/** The one orientation that equals `first` followed by `second`. */
export function composeOrientations(first: Orientation, second: Orientation): Orientation {
  const a = turnOf(first);
  const b = turnOf(second);
  // A transpose moves the flips before it to the other axis.
  const flipX = (b.transpose ? a.flipY : a.flipX) !== b.flipX;
  const flipY = (b.transpose ? a.flipX : a.flipY) !== b.flipY;
  const transpose = a.transpose !== b.transpose;
  const found = Object.entries(TURNS).find(
    ([, turn]) => turn[0] === transpose && turn[1] === flipX && turn[2] === flipY,
  );
  return Number(found?.[0] ?? 1) as Orientation;
}

/** The orientation that undoes another. */
export function invertOrientation(orientation: Orientation): Orientation {
  if (orientation === 6) return 8;
  if (orientation === 8) return 6;
  return orientation;
}

/** The size of a picture after it was turned. */
export function turnSize(size: Size, orientation: Orientation): Size {
  return turnOf(orientation).transpose ? { width: size.height, height: size.width } : size;
}

/** Where a region of a picture of this size lies after the picture was turned. */
export function turnBox(box: Box, size: Size, orientation: Orientation): Box {
  const { transpose, flipX, flipY } = turnOf(orientation);
  const turned = transpose ? { x: box.y, y: box.x, width: box.height, height: box.width } : box;
  const canvas = turnSize(size, orientation);
  return {
    x: flipX ? canvas.width - turned.x - turned.width : turned.x,
    y: flipY ? canvas.height - turned.y - turned.height : turned.y,
    width: turned.width,
    height: turned.height,
  };
}

/** The box that covers a picture of this size. */
export function whole(size: Size): Box {
  return { x: 0, y: 0, width: size.width, height: size.height };
}

/** Whether a box covers a picture of this size exactly. */
export function isWhole(box: Box, size: Size): boolean {
  return box.x === 0 && box.y === 0 && box.width === size.width && box.height === size.height;
}

/** A length in pixels, where below 1 it is a part of the whole. */
export function lengthOf(length: number, whole: number): number {
  return length < 1 ? length * whole : length;
}

/** The whole pixels that a box touches. */
export function outerBox(box: Box, size: Size): Box {
  const x = Math.max(0, Math.floor(box.x));
  const y = Math.max(0, Math.floor(box.y));
  const right = Math.min(size.width, Math.ceil(box.x + box.width));
  const bottom = Math.min(size.height, Math.ceil(box.y + box.height));
  return { x, y, width: right - x, height: bottom - y };
}

/** What two boxes share, as parts of their union and of the smaller one. */
export function sharedParts(a: Box, b: Box): { readonly ofUnion: number; readonly ofSmaller: number } {
  const width = Math.max(0, Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x));
  const height = Math.max(0, Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y));
  const [shared, ofA, ofB] = [width * height, a.width * a.height, b.width * b.height];
  return { ofUnion: shared / (ofA + ofB - shared), ofSmaller: shared / Math.min(ofA, ofB) };
}
