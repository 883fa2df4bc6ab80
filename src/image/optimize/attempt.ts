/** What is wanted of a picture, and the ways to get it, each as a value. */
import type { Price } from "../../../wasm/price.ts";
import type { Breath } from "../breath.ts";
import type { SharedBytes } from "../shared-bytes.ts";
import type { Session } from "./session.ts";

/** A file of the picture. */
export interface Rendition {
  readonly file: SharedBytes;
  /** SSIMULACRA 2.1 against the picture that was encoded; absent where it was not taken. */
  readonly score?: number;
  /** Nothing else need be tried. */
  readonly isFinal?: boolean;
  /** It is the original, but for its metadata. */
  readonly isOriginal?: boolean;
  /** A file without loss is known to be larger, however thoroughly it is written. */
  readonly beatsExact?: boolean;
}

/** No file of this format can be as small as the one that there is in another. */
export const BEATEN = Symbol("beaten");

/** What came of an attempt: null when this way turned out not to lead anywhere. */
export type Outcome = Rendition | typeof BEATEN | null;

/** One way to make the file that is asked for. */
export interface Attempt {
  readonly name:
    | "keep original"
    | "recompress"
    | "requantize"
    | "re-encode planes"
    | "search pixels"
    | "search frames"
    | "fit size"
    | "encode blind"
    | "encode exactly";
  readonly price: Price;
  /** Whether it is worth trying beside the best so far; one that makes the first file of all is not asked. */
  readonly mayBeat?: (best: Rendition) => boolean;
  readonly run: (session: Session, breath: Breath) => Promise<Outcome>;
}
