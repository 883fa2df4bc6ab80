/** SSIMULACRA 2.1 over rows; see comparison.c for the definition and its source. */
import { Held, MAX_ROWS } from "./held.ts";
import { comparingBytes, keptScoreBytes, makingBytes, MIN_SCORED_SIDE, steppingBytes } from "./plan.ts";

export { MIN_SCORED_SIDE };

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Bytes of native memory that comparing pictures of this size in step holds at most, on one background. */
export function scorePeakBytes(size: Size): number {
  return steppingBytes(size) + size.width * 4 * MAX_ROWS * 2;
}

/** Bytes of native memory that a reference holds once it is made: 20.2 of each pixel, on each background. */
export function referenceBytes(size: Size, backgrounds: number): number {
  return keptScoreBytes(size) * backgrounds;
}

/** Bytes of native memory that making a reference, and then comparing with it, takes besides. */
export function comparisonPeakBytes(size: Size, backgrounds: number): number {
  return Math.max(makingBytes(size), comparingBytes(size)) * backgrounds + size.width * 4 * MAX_ROWS * 2;
}

/** Pixels, multiples of 32, at least 144: smaller tiles have no pixel at 1:16 that is away from their edges. 0: one tile across, or down. */
export interface Tile {
  readonly width: number;
  readonly height: number;
}

export interface Comparison {
  /** Rows that one call may push. */
  readonly maxRows: number;
  /** Takes the next rows of both pictures: RGBA8, straight alpha, sRGB, as many in one as in the other. */
  push(first: Uint8Array, second: Uint8Array): void;
  /** The score once all rows are in: 100 for identical pictures, above 90 hardly to be told apart, may be negative. */
  result(): number;
  close(): void;
}

/** A comparison with a reference that is there already. */
export interface RenditionComparison extends Omit<Comparison, "push"> {
  /** Takes the next rows of the rendition: RGBA8, straight alpha, sRGB. */
  push(rows: Uint8Array): void;
}

function openReference(
  held: Held,
  { width, height }: Size,
  background: number,
  tile: Tile | undefined,
  inStep: boolean,
): number {
  return held.make(
    (exports) => exports.reference_open(width, height, background, tile?.width ?? 0, tile?.height ?? 0, inStep ? 1 : 0),
    (exports, reference) => exports.reference_close(reference),
  );
}

function openCompared(held: Held, reference: number): number {
  return held.make(
    (exports) => exports.comparison_open(reference),
    (exports, comparison) => exports.comparison_close(comparison),
  );
}

/**
 * Compares two pictures of one size, at least MIN_SCORED_SIDE on each side.
 * `background` (0 to 1, sRGB) lies under transparent pixels. `tile` is given where both pictures consist of tiles: of what
 * lies near their edges nothing is counted.
 */
export function openComparison(width: number, height: number, background = 0.5, tile?: Tile): Comparison {
  const held = new Held();
  const first = held.band(width);
  const second = held.band(width);
  const reference = openReference(held, { width, height }, background, tile, true);
  const comparison = openCompared(held, reference);
  return {
    maxRows: MAX_ROWS,
    push(original, rendition) {
      held.fill(first, original);
      held.fill(second, rendition);
      const rows = original.length / (width * 4);
      held.call((exports) => exports.comparison_push(comparison, first, second, rows));
    },
    result: () => held.call((exports) => exports.comparison_result(comparison)),
    close: () => held.close(),
  };
}

/**
 * A picture that many renditions are compared with: what a comparison needs of it is computed once.
 * Rows come in bands; between them other jobs may run.
 */
export class PreparedReference {
  /** Rows that one call may push. */
  readonly maxRows = MAX_ROWS;
  private readonly held = new Held();
  /** Pixels. */
  readonly size: Size;
  /** What the picture consists of, if it is tiles. */
  readonly tile: Tile | undefined;
  private readonly band: number;
  /** By background. */
  private readonly references: ReadonlyMap<number, number>;
  private missing: number;

  /**
   * @param size at least MIN_SCORED_SIDE on each side
   * @param backgrounds 0 to 1, sRGB: what may lie under transparent pixels
   * @param tile where the pictures consist of tiles: of what lies near their edges nothing is counted
   */
  constructor(size: Size, backgrounds: readonly number[], tile?: Tile) {
    this.size = { width: size.width, height: size.height };
    this.tile = tile;
    this.missing = size.height;
    this.band = this.held.band(size.width);
    this.references = new Map(
      backgrounds.map((background) => [background, openReference(this.held, size, background, tile, false)]),
    );
  }

  /** Takes the next rows of the picture: RGBA8, straight alpha, sRGB. */
  push(rows: Uint8Array): void {
    this.held.fill(this.band, rows);
    const count = rows.length / (this.size.width * 4);
    for (const reference of this.references.values()) {
      this.held.call((exports) => exports.reference_push(reference, this.band, count));
    }
    this.missing -= count;
  }

  /**
   * A comparison with a rendition, once all rows are in. It ends with the reference.
   * @param only one of the backgrounds; by default the score is that on the worst of them
   */
  compare(only?: number): RenditionComparison {
    if (this.missing > 0) throw new RangeError("a reference is not complete");
    const references = only === undefined ? [...this.references.values()] : [this.on(only)];
    const held = new Held(this.held);
    const band = held.band(this.size.width);
    const comparisons = references.map((reference) => openCompared(held, reference));
    let missing = this.size.height;
    return {
      maxRows: MAX_ROWS,
      push: (rows) => {
        held.fill(band, rows);
        const count = rows.length / (this.size.width * 4);
        missing -= count;
        for (const comparison of comparisons) {
          held.call((exports) => exports.comparison_push(comparison, 0, band, count));
        }
      },
      result: () => {
        if (missing > 0) throw new RangeError("a rendition is not complete");
        return Math.min(
          ...comparisons.map((comparison) => held.call((exports) => exports.comparison_result(comparison))),
        );
      },
      close: () => held.close(),
    };
  }

  private on(background: number): number {
    const reference = this.references.get(background);
    if (reference === undefined) throw new RangeError("a background that the reference was not made for");
    return reference;
  }

  close(): void {
    this.held.close();
  }
}
