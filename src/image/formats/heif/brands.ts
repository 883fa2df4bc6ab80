/** Which files are HEIF, by the brands in their first box (ISO/IEC 23008-12, section 10). */
import { Boxes, Fields } from "./bytes.ts";

/** Brands that are read; files name up to ten. */
const MAX_BRANDS = 1_024;

/** The brands of a file, the major one first; none where it does not begin with a file type box. */
export function brandsOf(head: Uint8Array): string[] {
  if (!isFileType(head)) return [];
  const first = new Boxes(head, { lenient: true });
  if (!first.next() || first.content.length < 8) return [];
  const fields = new Fields(first.content);
  const brands = [fields.type()];
  fields.number(4);
  while (fields.left >= 4 && brands.length < MAX_BRANDS) brands.push(fields.type());
  return brands;
}

function isFileType(head: Uint8Array): boolean {
  const size = head.length >= 12 ? new Fields(head).number(4) : 0;
  return size >= 16 && String.fromCharCode(...head.subarray(4, 8)) === "ftyp";
}

/**
 * Whether a file is one of pictures in one coding: it has one of the brands of that coding, or only those of every HEIF
 * file and then an item of the coding's type among what the first bytes describe.
 * @param brands of the coding, as `heic`
 * @param itemType of its items, as `hvc1`
 */
export function isCodedAs(head: Uint8Array, brands: readonly string[], itemType: string): boolean {
  const [major, ...others] = brandsOf(head);
  if (major === undefined) return false;
  if (brands.includes(major)) return true;
  if (SPECIFIC.has(major)) return false;
  if (others.some((brand) => brands.includes(brand))) return true;
  const general = [major, ...others].some((brand) => GENERAL.has(brand));
  return general && !others.some((brand) => SPECIFIC.has(brand)) && names(head, itemType);
}

const GENERAL = new Set(["mif1", "mif2", "msf1", "miaf"]);
const SPECIFIC = new Set(
  "heic heix heim heis hevc hevx hevm hevs avif avis jpeg jpgs j2ki j2is avci avcs vvic evbi".split(" "),
);

function names(head: Uint8Array, itemType: string): boolean {
  return new TextDecoder("latin1").decode(head).includes(itemType);
}
