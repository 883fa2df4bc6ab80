/** Manifest stores in SVG files: base64 in an element of the metadata (C2PA 2.2, A.3.4). */
import { standsAt } from "../../../same.ts";
import type { FoundStore, ManifestCarrier } from "../../provenance/carrier.ts";
import { MAX_STORE_BYTES } from "../../provenance/limits.ts";

const BEGIN = new TextEncoder().encode(":manifest");

function find(bytes: Uint8Array): FoundStore | undefined {
  for (let at = bytes.indexOf(BEGIN[0]!); at >= 0; at = bytes.indexOf(BEGIN[0]!, at + 1)) {
    if (!standsAt(bytes, at, BEGIN)) continue;
    const start = bytes.indexOf(0x3e, at) + 1;
    const end = bytes.indexOf(0x3c, start);
    if (start === 0 || end < 0) return undefined;
    if (bytes[start - 2] === 0x2f) {
      // Nothing before the end of an empty element has another end.
      at = start - 1;
      continue;
    }
    return { store: decoded(bytes.subarray(start, end)), ranges: [{ start, length: end - start }] };
  }
  return undefined;
}

function decoded(bytes: Uint8Array): Uint8Array | null {
  if (bytes.length > (MAX_STORE_BYTES / 3) * 4) return null;
  try {
    return Uint8Array.fromBase64(new TextDecoder("latin1").decode(bytes).trim());
  } catch {
    return null;
  }
}

export const manifest: ManifestCarrier = { find };
