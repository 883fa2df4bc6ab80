/** Samples of strips: taken out of rows, and told by how they differ from those before them (TIFF 6.0, section 14). */

/** Samples of a pixel: gray, gray and opacity, colors, colors and opacity. */
export type Samples = 1 | 2 | 3 | 4;

/** An array of samples, of 8 bits or of 16 in the order of bytes of the machine, which is that of the files. */
export type SampleArray = Uint8Array | Uint16Array;

/** What pixels need. */
export interface Needs {
  readonly gray: boolean;
  readonly opaque: boolean;
}

export function samplesFor({ gray, opaque }: Needs): Samples {
  const colors = gray ? 1 : 3;
  return (opaque ? colors : colors + 1) as Samples;
}

/** What pixels need, RGBA, beyond what those before them do. */
export function needsOf(pixels: SampleArray, { gray, opaque }: Needs): Needs {
  return { gray: gray && areGray(pixels), opaque: opaque && areOpaque(pixels) };
}

function areGray(pixels: SampleArray): boolean {
  for (let at = 0; at < pixels.length; at += 4) {
    if (pixels[at] !== pixels[at + 1] || pixels[at] !== pixels[at + 2]) return false;
  }
  return true;
}

function areOpaque(pixels: SampleArray): boolean {
  const full = pixels.BYTES_PER_ELEMENT === 1 ? 255 : 65_535;
  for (let at = 3; at < pixels.length; at += 4) if (pixels[at] !== full) return false;
  return true;
}

/** Bytes of rows of RGBA as samples. */
export function samplesOf(pixels: Uint8Array, isSixteenBit: boolean): SampleArray {
  return isSixteenBit ? new Uint16Array(pixels.buffer, pixels.byteOffset, pixels.length / 2) : pixels;
}

/** Takes the samples of pixels out of RGBA. */
export function pack(target: SampleArray, pixels: SampleArray, samples: Samples): void {
  const last = samples - 1;
  const hasAlpha = samples === 2 || samples === 4;
  const colors = hasAlpha ? last : samples;
  for (let from = 0, to = 0; from < pixels.length; from += 4, to += samples) {
    target[to] = pixels[from]!;
    if (colors === 3) {
      target[to + 1] = pixels[from + 1]!;
      target[to + 2] = pixels[from + 2]!;
    }
    if (hasAlpha) target[to + last] = pixels[from + 3]!;
  }
}

/** Puts differences from the pixel before in the place of the samples of rows, the first pixel of each excepted. */
export function difference(rows: SampleArray, width: number, samples: Samples): void {
  const stride = width * samples;
  for (let end = rows.length; end > 0; end -= stride) {
    const first = end - stride + samples;
    for (let at = end - 1; at >= first; at--) rows[at] = rows[at]! - rows[at - samples]!;
  }
}
