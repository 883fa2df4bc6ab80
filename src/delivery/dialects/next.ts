/**
 * `/_next/image?url=&w=&q=`, as a site of Next.js writes addresses by itself: `images.path` is all that the site sets. The
 * checks, their order and their words are those of its server,
 * https://github.com/vercel/next.js/blob/canary/packages/next/src/server/image-optimizer.ts.
 */
import type { Unsigned } from "../../contract/deliveries.ts";
import { MIME_OF_FORMAT } from "../../contract/format-lists.ts";
import { ApiError } from "../../errors.ts";
import { percentDecoded } from "../../percent.ts";
import type { Answering, Dialect, Rules, Spelled } from "../asked.ts";
import { mended } from "../sources.ts";

/** What a site takes that names no formats. */
const DEFAULT_FORMATS = ["webp"] as const;
const MAX_URL_CHARACTERS = 3_072;
/** Files whose names change with their bytes. */
const STATIC = /^\/_next\/static\/media(?:\/|$)/;
const STATIC_CACHING = "public, max-age=315360000, immutable";

export const next: Dialect = {
  expiredStatus: 403,
  split(path) {
    const found = /^\/_next\/image\/?(?:\?([^]*))?$/.exec(path);
    if (!found) return undefined;
    const [, options = ""] = found;
    const url = new URLSearchParams(options).get("url") ?? "";
    return { signature: undefined, signed: "", options, source: mended(url) };
  },
  read({ options, source }) {
    const query = new URLSearchParams(options);
    const [width, quality] = [Number(query.get("w")), Number(query.get("q"))];
    return {
      source,
      presets: [],
      concerns: new Set(["width", "quality"]),
      width,
      format: "auto",
      expires: undefined,
      wantsFacts: false,
      redirects: false,
      variant: "",
      fileName: undefined,
      isAttachment: false,
      body: { resize: { width, upscale: false }, optimize: { quality } },
    };
  },
  manners: { check, accept, refusal, dress },
};

/** @throws ApiError 400 in the words of Next.js, in the order of its checks */
function check({ options }: Spelled, rules: Rules): void {
  const query = new URLSearchParams(options);
  checkUrl(query.getAll("url"), rules);
  const width = spelledNumber(query.getAll("w"), WIDTH);
  const quality = spelledNumber(query.getAll("q"), QUALITY);
  const { widths = [], qualities }: Exclude<Unsigned, false> = rules.unsigned || {};
  // Where nothing may be unsigned, it is not the width that stands in the way.
  const isOpen = !rules.unsigned;
  if (width < 1) throw refused(`${WIDTH.name} ${WIDTH.rule}`);
  if (!isOpen && !widths.includes(width)) throw refused(`${WIDTH.name} of ${width} is not allowed`);
  if (quality < 1 || quality > 100) throw refused(`${QUALITY.name} ${QUALITY.rule}`);
  if (qualities?.includes(quality) === false) throw refused(`${QUALITY.name} of ${quality} is not allowed`);
}

function checkUrl([url, ...more]: readonly string[], { hasSource }: Rules): void {
  if (!url) throw refused('"url" parameter is required');
  if (more.length > 0) throw refused('"url" parameter cannot be an array');
  if (url.length > MAX_URL_CHARACTERS) throw refused('"url" parameter is too long');
  if (url.startsWith("//")) throw refused('"url" parameter cannot be a protocol-relative URL (//)');
  if (url.startsWith("/")) {
    const [path = ""] = url.split(/[?#]/, 1);
    if (/\/_next\/image(?:$|\/)/.test(percentDecoded(path) ?? path))
      throw refused('"url" parameter cannot be recursive');
  } else if (!["http:", "https:"].includes(URL.parse(url)?.protocol ?? "")) {
    throw refused('"url" parameter is invalid');
  }
  if (!hasSource()) throw refused('"url" parameter is not allowed');
}

const WIDTH = { name: '"w" parameter (width)', rule: "must be an integer greater than 0" } as const;
const QUALITY = { name: '"q" parameter (quality)', rule: "must be an integer between 1 and 100" } as const;

function spelledNumber([value, ...more]: readonly string[], { name, rule }: typeof WIDTH | typeof QUALITY): number {
  if (!value) throw refused(`${name} is required`);
  if (more.length > 0) throw refused(`${name} cannot be an array`);
  if (!/^\d+$/.test(value)) throw refused(`${name} ${rule}`);
  return Number(value);
}

function refused(message: string, status: 400 | 404 | 413 | 502 | 504 = 400, cause?: ApiError): ApiError {
  return new ApiError(status, message, { cause, headers: cause?.headers ?? {}, isText: true });
}

/** The client's header without what the delivery has not listed. */
function accept(header: string | undefined, { unsigned }: Pick<Rules, "unsigned">): string | undefined {
  if (!unsigned || header === undefined) return header;
  const formats: readonly string[] = unsigned.formats ?? DEFAULT_FORMATS;
  const mimes = formats.map((format) => MIME_OF_FORMAT.get(format));
  return header
    .split(",")
    .filter((range) => mimes.includes(range.split(";", 1)[0]?.trim().toLowerCase()))
    .join(",");
}

/** What is said of a failure, as text; refusals that have nothing in common with those of Next.js keep their words. */
function refusal(error: ApiError): ApiError {
  const { status, message, headers, reason } = error;
  switch (status) {
    case 403:
      return refused('"url" parameter is not allowed', 400, error);
    case 404:
    case 502:
      return refused('"url" parameter is valid but upstream response is invalid', status, error);
    case 504:
      return refused('"url" parameter is valid but upstream response timed out', 504, error);
    case 415:
      return refused("The requested resource isn't a valid image.", 400, error);
    case 422:
      return refused("Unable to optimize image and unable to fallback to upstream image", 400, error);
    default:
      return new ApiError(status, message, { cause: error, headers, isText: true, ...(reason && { reason }) });
  }
}

/** The headers that its server sends, in the place of ours. */
function dress(headers: Headers, { cache, isFinal, asked }: Answering): void {
  headers.set("Vary", "Accept");
  headers.set("X-Nextjs-Cache", cache === "miss" ? "MISS" : "HIT");
  const [, age] = /^public, (max-age=\d+)/.exec(headers.get("Cache-Control") ?? "") ?? [];
  if (age === undefined) return;
  const isStatic = isFinal && STATIC.test(`/${asked.source ?? ""}`);
  headers.set("Cache-Control", isStatic ? STATIC_CACHING : `public, ${age}, must-revalidate`);
}
