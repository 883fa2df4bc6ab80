/** A file that was made of a picture, or found, and what is known of it. */
import type { SharedBytes } from "../shared-bytes.ts";

export interface Rendition {
  readonly file: SharedBytes;
  /** SSIMULACRA 2.1 against the picture that was encoded; absent where it was not taken. */
  readonly score?: number;
  /** Whether nothing else need be tried. */
  readonly isFinal?: boolean;
  /** Whether it is the original, but for its metadata. */
  readonly isOriginal?: boolean;
  /** Whether a file without loss is known to be larger, however thoroughly it is written. */
  readonly beatsExact?: boolean;
}
