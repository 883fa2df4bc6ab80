/** What is kept of IPTC-IIM records (IPTC-IIM 4.2), and the resource of Photoshop that holds them. */
import { ApiError } from "../../errors.ts";
import { joined } from "../../joined.ts";
import type { MetadataOption } from "./metadata-option.ts";
import { Resources } from "./resources.ts";

/** Records are read up to here; whatever is longer holds previews. */
const MAX_IPTC_BYTES = 60_000;
const MARKER = 0x1c;
const HEADER_BYTES = 5;
/** The two records that say anything of a picture. */
const ENVELOPE = 1;
const APPLICATION = 2;
/** Which characters the texts have (1:90), and the version of the record (2:0). */
const CHARACTERS = 90;
const VERSION = 0;
/** By-line and its title, credit, source, copyright notice, contact, caption. */
const RIGHTS: ReadonlySet<number> = new Set([80, 85, 110, 115, 116, 118, 120]);
/** Content location codes and names, city, sublocation, province, country code and name. */
const PLACES: ReadonlySet<number> = new Set([26, 27, 90, 92, 95, 100, 101]);
/** Previews begin here. */
const FIRST_PREVIEW = 200;

/** Photoshop's image resource blocks: the signature of each, and the number of the one with IPTC-IIM. */
const SIGNATURE = "8BIM";
const IPTC_RESOURCE = 0x0404;

type Kept = Exclude<MetadataOption, "none">;

/** What is kept of records; undefined where that is nothing. */
export function keptIptc(records: Uint8Array, option: Kept): Uint8Array | undefined {
  const pieces: Uint8Array[] = [];
  let says = false;
  for (let at = 0; at + HEADER_BYTES <= Math.min(records.length, MAX_IPTC_BYTES) && records[at] === MARKER;) {
    const [record = 0, dataset = 0] = records.subarray(at + 1, at + 3);
    const length = (records[at + 3]! << 8) | records[at + 4]!;
    const end = at + HEADER_BYTES + length;
    // Lengths of more than two bytes are of previews.
    if (length >= 0x8000 || end > records.length) break;
    const isHead = (record === ENVELOPE && dataset === CHARACTERS) || (record === APPLICATION && dataset === VERSION);
    const isKept = record === APPLICATION && !isHead && keeps(dataset, option);
    if (isHead || isKept) pieces.push(records.subarray(at, end));
    says ||= isKept;
    at = end;
  }
  return says ? joined(pieces) : undefined;
}

function keeps(dataset: number, option: Kept): boolean {
  if (option === "copyright") return RIGHTS.has(dataset);
  return dataset < FIRST_PREVIEW && (option === "all" || !PLACES.has(dataset));
}

/** The records in Photoshop's image resources; undefined where there are none. */
export function iptcIn(bytes: Uint8Array): Uint8Array | undefined {
  const resources = new Resources(bytes);
  try {
    while (resources.next() && resources.isSigned) if (resources.number === IPTC_RESOURCE) return resources.data;
  } catch (error) {
    // More of them than there may be say nothing of the picture.
    if (!(error instanceof ApiError)) throw error;
  }
  return undefined;
}

/** Photoshop's image resources with nothing but records. */
export function resourcesOf(records: Uint8Array): Uint8Array {
  const header = new Uint8Array(12);
  header.set(new TextEncoder().encode(SIGNATURE));
  const view = new DataView(header.buffer);
  view.setUint16(4, IPTC_RESOURCE);
  view.setUint32(8, records.length);
  return joined([header, records, new Uint8Array(records.length & 1)]);
}
