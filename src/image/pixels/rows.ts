/** The currency of the engine: a picture that is not computed yet, pulled from top to bottom. */
export interface Rows {
  /** Pixels. */
  readonly width: number;
  /** Pixels. */
  readonly height: number;
  /** No pixel has an alpha below 255. */
  readonly opaque: boolean;
  /**
   * Samples have 16 bits, of which 65,535 is full, in the order of bytes of the machine. Only whoever asks for such
   * rows (`Demand.sixteenBit`) gets them; all others have 8 bits.
   */
  readonly sixteenBit?: true | undefined;
  /**
   * The next rows, at most `max` of them (at least one until the end): RGBA8, or RGBA16 where they are 16-bit, straight
   * alpha, sRGB or the space of their picture, tightly packed; `null` at the end. The view is valid until its reader
   * awaits anything: use it, or copy it, at once.
   */
  read(max: number): Promise<Uint8Array | null>;
  /** Goes past the next `count` rows, which there are; absent where that takes as long as reading them. */
  skip?(count: number): Promise<void>;
  /** Frees what the picture holds, upstream included. May be called twice and at any time. */
  close(): void;
}

/** Bytes that a pixel of rows takes. */
export function bytesPerPixel({ sixteenBit }: Pick<Rows, "sixteenBit">): number {
  return sixteenBit ? 8 : 4;
}

/** Rows that are made of other rows, which are closed with them: in all that is not named they are alike. */
export function rowsOf(source: Rows, made: Pick<Rows, "read"> & Partial<Rows>): Rows {
  const { width, height, opaque, sixteenBit } = source;
  return { width, height, opaque, sixteenBit, close: () => source.close(), ...made };
}

/** Goes past the next `count` rows; stops at the end. */
export async function skipRows(rows: Rows, count: number): Promise<void> {
  if (rows.skip) return rows.skip(count);
  for (let left = count; left > 0;) {
    const band = await rows.read(left);
    if (!band) return;
    left -= band.length / (rows.width * bytesPerPixel(rows));
  }
}

/** All pixels of rows, which are read to their end, `most` at a time, and closed: as rows have them, tightly packed. */
export async function pixelsOf(rows: Rows, most = rows.height): Promise<Uint8Array<ArrayBuffer>> {
  const pixels = new Uint8Array(rows.width * rows.height * bytesPerPixel(rows));
  try {
    let end = 0;
    for (let band = await rows.read(most); band; band = await rows.read(most)) {
      pixels.set(band, end);
      end += band.length;
    }
    return pixels;
  } finally {
    rows.close();
  }
}

/** Fills a band with the next rows of a picture, of which there are as many. */
export async function filled(rows: Rows, band: Uint8Array): Promise<Uint8Array> {
  for (let at = 0; at < band.length;) {
    const read = await rows.read((band.length - at) / (rows.width * 4));
    if (!read) throw new Error("the rows ended early");
    band.set(read, at);
    at += read.length;
  }
  return band;
}

/**
 * Rows of pixels in memory, which are tightly packed.
 * @param pixelBytes those of all such rows; rows that are kept in another form are read in that
 */
export function rowsOver(
  bytes: Uint8Array,
  { width, height, opaque, sixteenBit }: Pick<Rows, "width" | "height" | "opaque" | "sixteenBit">,
  pixelBytes = bytesPerPixel({ sixteenBit }),
): Rows & Required<Pick<Rows, "skip">> {
  const stride = width * pixelBytes;
  let y = 0;
  return {
    width,
    height,
    opaque,
    sixteenBit,
    async read(max) {
      if (y >= height) return null;
      const from = y;
      y = Math.min(height, y + max);
      return bytes.subarray(from * stride, y * stride);
    },
    async skip(count) {
      y = Math.min(height, y + count);
    },
    close() {
      y = height;
    },
  };
}
