/** Manifest stores in TIFF files: a field of the first directory or of the last (C2PA 2.2, A.3.7). */
import { Tiff } from "../../metadata/directories.ts";
import type { FoundStore, ManifestCarrier } from "../../provenance/carrier.ts";
import { MAX_STORE_BYTES } from "../../provenance/limits.ts";
import { TYPE, withFields } from "./fields.ts";

const C2PA = 0xcd41;
/** Bytes of an entry, and before the entries of a directory. */
const ENTRY_BYTES = 12;
const COUNT_BYTES = 2;
const MAX_DIRECTORIES = 64;

function find(bytes: Uint8Array): FoundStore | undefined {
  const tiff = Tiff.of(bytes);
  if (!tiff) return undefined;
  const seen = new Set<number>();
  for (
    let at = tiff.first;
    at > 0 && at + COUNT_BYTES <= bytes.length && !seen.has(at) && seen.size < MAX_DIRECTORIES;
  ) {
    seen.add(at);
    const entry = tiff.entries(at).find(({ tag }) => tag === C2PA);
    if (entry) {
      const { value, valueAt } = entry;
      const ranges = [{ start: valueAt, length: value.length }];
      return { store: value.length <= MAX_STORE_BYTES ? value : null, ranges };
    }
    const next = at + COUNT_BYTES + tiff.view.getUint16(at, tiff.little) * ENTRY_BYTES;
    at = next + 4 <= bytes.length ? tiff.view.getUint32(next, tiff.little) : 0;
  }
  return undefined;
}

/** A field of the first directory, which in our files is the last one, too. */
function write(bytes: Uint8Array, store: Uint8Array): Uint8Array {
  const field = { tag: C2PA, type: TYPE.undefined, count: store.length, value: store };
  return withFields(bytes, { fields: [field], below: new Map() });
}

export const manifest: ManifestCarrier = { find, write };
