/** What the application segments of a JPEG file carry: JFIF, EXIF, the ICC profile and Adobe's color transform. */

const CODE = { jfif: 0xe0, exif: 0xe1, icc: 0xe2, adobe: 0xee } as const;
const ICC_HEADER_BYTES = 14;
/** The largest profiles in use, of presses, have 2 MB. */
const PROFILE_BYTES_MAX = 4 << 20;

function beginsWith(payload: Uint8Array, text: string): boolean {
  return [...text].every((letter, at) => payload[at] === letter.charCodeAt(0));
}

/** Collects segments in the order of the file. */
export class JpegMetadata {
  jfif = false;
  adobeTransform: number | undefined;
  /** The first EXIF segment, with `Exif\0\0` in front. */
  exif: Uint8Array | undefined;
  private readonly pieces = new Map<number, Uint8Array>();
  private pieceCount = 0;

  add(code: number, payload: Uint8Array): void {
    if (code === CODE.jfif && beginsWith(payload, "JFIF\0")) this.jfif = true;
    else if (code === CODE.exif && beginsWith(payload, "Exif\0\0")) this.exif ??= payload;
    else if (code === CODE.adobe && beginsWith(payload, "Adobe") && payload.length >= 12) {
      this.adobeTransform = payload[11];
    } else if (code === CODE.icc && beginsWith(payload, "ICC_PROFILE\0") && payload.length > ICC_HEADER_BYTES) {
      this.pieceCount = payload[13]!;
      this.pieces.set(payload[12]!, payload.subarray(ICC_HEADER_BYTES));
    }
  }

  /** The profile (ICC.1, annex B.4), undefined when there is none or a piece of it is missing. */
  profile(): Uint8Array | undefined {
    if (this.pieceCount === 0) return undefined;
    const pieces = Array.from({ length: this.pieceCount }, (_, index) => this.pieces.get(index + 1));
    if (!pieces.every((piece) => piece !== undefined)) return undefined;
    const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
    if (length > PROFILE_BYTES_MAX) return undefined;
    const profile = new Uint8Array(length);
    let offset = 0;
    for (const piece of pieces) {
      profile.set(piece, offset);
      offset += piece.length;
    }
    return profile;
  }
}
