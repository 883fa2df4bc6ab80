/** Where files of a format have a manifest store. */

export interface Range {
  readonly start: number;
  readonly length: number;
}

/** A part of a file by the name that a general box hash gives it (C2PA 2.2, A.6). */
export interface NamedPart extends Range {
  readonly name: string;
}

export interface FoundStore {
  /** The bytes of the store; null where it is too large, or in pieces that do not belong together. */
  readonly store: Uint8Array | null;
  /** The parts of the file that hold it, headers included. */
  readonly ranges: readonly Range[];
}

export interface ManifestCarrier {
  /** Undefined where there is none. */
  readonly find: (bytes: Uint8Array) => FoundStore | undefined;
  /** The parts of a file, where the format has names for them. */
  readonly parts?: (bytes: Uint8Array) => readonly NamedPart[];
  /** A file with a store, which it has none of yet. */
  readonly write?: (bytes: Uint8Array, store: Uint8Array) => Uint8Array;
  /** How a manifest is bound to the file; `data` where nothing is said. */
  readonly binding?: "bmff" | "boxes";
}
