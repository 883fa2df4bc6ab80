/** The currency of the engine: a picture that is not computed yet, pulled from top to bottom. */
export interface Rows {
  /** Pixels. */
  readonly width: number;
  /** Pixels. */
  readonly height: number;
  /** No pixel has an alpha below 255. */
  readonly opaque: boolean;
  /**
   * The next rows, at most `max` of them (at least one until the end): RGBA8, straight alpha, sRGB, tightly packed.
   * The view is valid until the next call. `null` at the end.
   */
  read(max: number): Uint8Array | null;
  /** Goes past the next `count` rows, which there are; absent where that takes as long as reading them. */
  skip?(count: number): void;
  /** Frees what the picture holds, upstream included. May be called twice and at any time. */
  close(): void;
}

/** Goes past the next `count` rows; stops at the end. */
export function skipRows(rows: Rows, count: number): void {
  if (rows.skip) return rows.skip(count);
  for (let left = count; left > 0;) {
    const band = rows.read(left);
    if (!band) return;
    left -= band.length / (rows.width * 4);
  }
}
