/**
 * Which original an address means, and whether the delivery may ask for it. A source stays inside its prefix however it
 * is spelled: dots, doubled and encoded slashes, backslashes and user names are judged after everything that servers
 * may decode was decoded. Equal spellings (RFC 3986, section 6.2.2) become one before a source is compared, named or
 * fetched, so that nobody multiplies results by writing `%61` for `a`.
 */
import type { DeliveryRules } from "../contract/deliveries.ts";
import { percentDecoded } from "../percent.ts";

/** What a delivery lets be fetched. */
interface Sources extends Pick<DeliveryRules, "sources"> {
  /** Any source, everything unsigned: on one's own machine alone. */
  readonly isOpen: boolean;
}

/** An original that a delivery may ask for. */
export type Located =
  | {
      readonly kind: "web";
      readonly url: URL;
      /** Whether a redirect may lead there. */
      readonly contains: (url: URL) => boolean;
    }
  | { readonly kind: "store"; readonly name: string; readonly connector: string; readonly key: string }
  | { readonly kind: "bucket"; readonly name: string; readonly key: string };

/** Encodings within encodings that are looked through; what is wrapped deeper is refused. */
const MAX_ENCODINGS = 4;
/** Windows leaves out dots and spaces at the end of a segment, and takes what is behind a colon for a stream of it. */
const DOT_SEGMENT = /(?:^|\/)\.[. ]*(?:[/;:]|$)/;
/** The first bytes of overlong UTF-8, by which old servers are told a dot or a slash. */
const OVERLONG = /%c[01]/i;

/**
 * The original that a source in plain text means; undefined when the delivery has no such source.
 * @param text an absolute address, `<name>/<path>`, or a path below the only web source
 */
export function locate(delivery: Sources, text: string): Located | undefined {
  if (text === "") return undefined;
  if (/^https?:/i.test(text)) return locateWeb(delivery, URL.parse(text));
  const [name] = text.split("/", 1);
  const isNamed = delivery.sources.some((source) => source.kind !== "web" && source.name === name);
  return isNamed ? locateNamed(delivery, text) : locateBare(delivery, text);
}

/** By what an original is known: all equal spellings of it give the same text. */
export function identityOf(located: Located): string {
  if (located.kind === "web") return located.url.href;
  return `${located.kind}:${located.name}/${located.key}`;
}

/** The source as it was before it became part of an address; undefined when it is no valid encoding. */
export function plainSource(spelled: string): string | undefined {
  const text = spelled.replace(/^\/+/, "");
  const [path = ""] = text.split("?", 1);
  // Encoded as a whole: what follows behind a question mark belongs to the address alone.
  const isWhole = /^https?%3a/i.test(path) || (!path.includes("/") && /%2f/i.test(path));
  if (isWhole) {
    const decoded = percentDecoded(path);
    return decoded === undefined ? undefined : mended(decoded);
  }
  return mended(text.includes("?") ? text : text.replace(/%3f/i, "?"));
}

/** Proxies make one slash of two; a leading slash means nothing. */
export function mended(text: string): string {
  return text.replace(/^\/+/, "").replace(/^(https?):\/*/i, "$1://");
}

function locateWeb({ sources, isOpen }: Sources, url: URL | null): Located | undefined {
  if (url === null || url.username !== "" || url.password !== "" || hidesDots(url.pathname)) return undefined;
  const plain = normalized(url);
  if (isOpen) return { kind: "web", url: plain, contains: () => true };
  for (const source of sources) {
    if (source.kind !== "web") continue;
    const folder = folderOf(source.prefix);
    const contains = (other: URL) => isInside(folder, other);
    if (contains(plain)) return { kind: "web", url: plain, contains };
  }
  return undefined;
}

/** `<name>/<path>` of a store or a bucket. */
function locateNamed({ sources }: Sources, text: string): Located | undefined {
  const [, name, encoded = ""] = /^([^/?]+)\/+([^?]+)/.exec(text) ?? [];
  const source = sources.find((one) => one.kind !== "web" && one.name === name);
  if (source === undefined || source.kind === "web") return undefined;
  const path = percentDecoded(encoded);
  if (path === undefined || path === "" || isStrange(path) || path.includes("\\")) return undefined;
  const folder = source.path === undefined || source.path === "" ? "" : `${source.path.replace(/\/$/, "")}/`;
  const place = { name: source.name, key: folder + path.replace(/^\/+/, "") };
  return source.kind === "store"
    ? { kind: "store", connector: source.connector, ...place }
    : { kind: "bucket", ...place };
}

/** A path below the only web source there is. */
function locateBare(delivery: Sources, text: string): Located | undefined {
  const webs = delivery.sources.filter((source) => source.kind === "web");
  const [only] = webs;
  if (only === undefined || webs.length > 1 || delivery.isOpen) return undefined;
  return locateWeb(delivery, URL.parse(`./${text}`, folderOf(only.prefix).href));
}

/** A prefix without a final slash is a folder. */
function folderOf(prefix: string): URL {
  const folder = normalized(new URL(prefix));
  if (!folder.pathname.endsWith("/")) folder.pathname += "/";
  return folder;
}

function isInside(folder: URL, url: URL): boolean {
  if (url.origin !== folder.origin || hidesDots(url.pathname)) return false;
  return normalized(url).pathname.startsWith(folder.pathname);
}

/** The address without its fragment and an empty query, and with each escape in its plainest form. */
function normalized(url: URL): URL {
  const plain = new URL(url);
  plain.pathname = plainEscapes(url.pathname);
  plain.search = plainEscapes(url.search);
  plain.hash = "";
  return plain;
}

/** Escapes of characters that need none are undone, the others are written in capitals. */
function plainEscapes(text: string): string {
  return text.replace(/%([\da-f]{2})/gi, (escape, hex: string) => {
    const character = String.fromCharCode(Number.parseInt(hex, 16));
    return /[\w.~-]/.test(character) ? character : escape.toUpperCase();
  });
}

/**
 * Whether a decoded path has segments of dots, or of characters that some servers fold to dots and slashes (NFKC), or
 * control characters, at which others cut it.
 */
function isStrange(path: string): boolean {
  // oxlint-disable-next-line no-control-regex -- refusing control characters is the point
  return DOT_SEGMENT.test(path.normalize("NFKC").replaceAll("\\", "/")) || /[\u0000-\u001f\u007f-\u009f]/.test(path);
}

/** Whether a path, as some server along the way may decode it, is strange. The parser resolved plain segments of dots. */
function hidesDots(pathname: string): boolean {
  let path = pathname;
  for (let round = 0; round <= MAX_ENCODINGS; round++) {
    if (OVERLONG.test(path)) return true;
    const plainer = path.replace(/%([0-7][\da-f])/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
    if (isStrange(plainer)) return true;
    if (plainer === path) return isStrange(percentDecoded(path) ?? "");
    path = plainer;
  }
  return true;
}
