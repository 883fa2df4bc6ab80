/** A file that was made of a picture, or found, and what is known of it. */
import type { SharedBytes } from "../../scheduler/shared-bytes.ts";
import type { FormatDefinition } from "../codec/format.ts";
import type { Variant } from "../codec/writer.ts";

/** Where a search ended, for the next one to start from. */
export interface Start {
  /** About the one that reaches the target score; between two that there are, where that is what is expected. */
  readonly quality: number;
  readonly variant: Variant;
}

/** What is known of a file that was made. */
export interface Findings {
  /** In points of SSIMULACRA 2.1, against the picture that was encoded: the stricter of both opinions; absent where none was taken. */
  readonly score?: number;
  /** What the metric alone says, where a second opinion was taken. */
  readonly metric?: number;
  /** Whether a file without loss is known to be larger, however thoroughly it is written. */
  readonly beatsExact?: boolean;
  /** About what its format takes for the sample of the picture at the target score; absent where that was not found. */
  readonly sampleBytes?: number;
  /** Where the search for it ended; absent where there was none, or nothing is to be learned from it. */
  readonly ended?: Start;
}

export interface Rendition extends Findings {
  readonly file: SharedBytes;
  /** False where a preset's quality was predicted, not searched for. */
  readonly searched?: false;
  /** The search for it took too long: it was encoded at the quality that was expected to do by then. */
  readonly isCutOff?: true;
  /** What the format cannot hold of the picture, in words for people; absent where there is nothing. */
  readonly limits?: readonly string[];
  /** Whether nothing else need be tried. */
  readonly isFinal?: boolean;
  /** Whether it is the original, but for its metadata. */
  readonly isOriginal?: boolean;
  /** Whether what is kept of the original's metadata is in it. */
  readonly hasMetadata?: boolean;
}

/** A rendition, and the format that it is in. */
export type FormattedRendition = Rendition & { readonly format: FormatDefinition };

/**
 * A rendition with other bytes as its file; the file that it had is released. Who has nothing to write into a file gives its
 * own bytes back, which stay.
 */
export function withBytes<Own extends Rendition>(rendition: Own, bytes: Uint8Array): Own {
  const file = rendition.file.derived(bytes);
  rendition.file.release();
  return { ...rendition, file };
}
