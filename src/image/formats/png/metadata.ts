/** Metadata in PNG files: eXIf, an international text with XMP, and the texts in which ImageMagick keeps profiles. */
import { zlib } from "../../../../wasm/zlib.ts";
import { joined } from "../../../joined.ts";
import type { Metadata, MetadataCarrier } from "../../metadata/blocks.ts";
import { withoutPrefix } from "../../metadata/exif.ts";
import { iptcIn } from "../../metadata/iptc.ts";
import { Chunks, makeChunk, TYPE } from "./chunks.ts";

const XMP_KEYWORD = "XML:com.adobe.xmp";
const RAW_PROFILE = "Raw profile type ";
/** A text without its compression; no kind of metadata is kept that is larger. */
const MAX_TEXT_BYTES = 512 << 10;
/** Texts that are decompressed of one file, at most. */
const MAX_TEXTS = 8;
/** Signature and IHDR. */
const HEADER_END = 33;

function read(bytes: Uint8Array): Metadata {
  const found: { exif?: Uint8Array; xmp?: Uint8Array; iptc?: Uint8Array } = {};
  const profiles = new Map<string, Uint8Array>();
  let texts = 0;
  const chunks = new Chunks(bytes);
  while (chunks.next()) {
    const { type } = chunks;
    if (type === TYPE.IEND) break;
    const isText = type === TYPE.iTXt || type === TYPE.zTXt || type === TYPE.tEXt;
    if (type === TYPE.eXIf && chunks.isIntact) found.exif ??= chunks.data;
    else if (isText && isMetadata(chunks) && texts++ < MAX_TEXTS && chunks.isIntact) {
      const text = textOf(chunks, (keyword) => isWanted(keyword, found, profiles));
      if (text?.keyword === XMP_KEYWORD) found.xmp ??= text.content;
      else if (text) addProfile(profiles, text.keyword.slice(RAW_PROFILE.length), text.content);
    }
  }
  const exif = found.exif ?? profiles.get("exif") ?? profiles.get("APP1");
  const resources = profiles.get("iptc") ?? profiles.get("8bim");
  return { exif, xmp: found.xmp ?? profiles.get("xmp"), iptc: resources && iptcIn(resources) };
}

/** Names of profiles in texts that are kept. */
const PROFILES: ReadonlySet<string> = new Set(["exif", "APP1", "iptc", "8bim", "xmp"]);

/** Whether a text may say what none before it did: no other is decompressed. */
function isWanted(keyword: string, { xmp }: Metadata, profiles: ReadonlyMap<string, Uint8Array>): boolean {
  if (keyword === XMP_KEYWORD) return xmp === undefined;
  const name = keyword.slice(RAW_PROFILE.length);
  return keyword.startsWith(RAW_PROFILE) && PROFILES.has(name) && !profiles.has(name);
}

function isMetadata(chunk: Chunks): boolean {
  if (chunk.dataBytes < RAW_PROFILE.length) return false;
  const keyword = String.fromCharCode(...chunk.data.subarray(0, RAW_PROFILE.length));
  return keyword === RAW_PROFILE || keyword === XMP_KEYWORD.slice(0, RAW_PROFILE.length);
}

/** The keyword and the content of a text chunk; null where it is damaged, or not wanted (PNG specification, 11.3.3). */
function textOf(
  { type, data }: Chunks,
  wants: (keyword: string) => boolean,
): { readonly keyword: string; readonly content: Uint8Array } | null {
  const end = data.indexOf(0);
  if (end < 1 || end > 79) return null;
  const keyword = String.fromCharCode(...data.subarray(0, end));
  if (!wants(keyword)) return null;
  if (type === TYPE.tEXt) return { keyword, content: data.subarray(end + 1) };
  if (type === TYPE.zTXt) return inflated(keyword, data.subarray(end + 2));
  const isCompressed = data[end + 1] === 1;
  const language = data.indexOf(0, end + 3);
  const translated = language < 0 ? -1 : data.indexOf(0, language + 1);
  if (translated < 0) return null;
  const content = data.subarray(translated + 1);
  return isCompressed ? inflated(keyword, content) : { keyword, content };
}

function inflated(keyword: string, data: Uint8Array) {
  try {
    return { keyword, content: new Uint8Array(zlib().inflateSync(data, { maxOutputLength: MAX_TEXT_BYTES })) };
  } catch {
    return null;
  }
}

/** A profile in hexadecimal digits: a line with its name, one with its length, and then lines of digits. */
function addProfile(profiles: Map<string, Uint8Array>, name: string, content: Uint8Array): void {
  if (content.length > MAX_TEXT_BYTES || profiles.has(name)) return;
  const [, digits] =
    /^\s*[\w-]{1,20}\s+\d{1,8}\s+([\da-fA-F][\da-fA-F\s]*)$/.exec(new TextDecoder("latin1").decode(content)) ?? [];
  const plain = digits?.replaceAll(/\s+/g, "");
  if (plain && plain.length % 2 === 0) profiles.set(name, Uint8Array.fromHex(plain));
}

function write(bytes: Uint8Array, { exif, xmp }: Metadata): Uint8Array {
  const chunks: Uint8Array[] = [];
  if (exif) chunks.push(makeChunk(TYPE.eXIf, withoutPrefix(exif)));
  // Neither compressed nor in a language.
  if (xmp) chunks.push(makeChunk(TYPE.iTXt, new TextEncoder().encode(`${XMP_KEYWORD}\0\0\0\0\0`), xmp));
  return joined([bytes.subarray(0, HEADER_END), ...chunks, bytes.subarray(HEADER_END)]);
}

export const metadata = { read, write } satisfies MetadataCarrier;
