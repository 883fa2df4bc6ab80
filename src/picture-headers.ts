/** The headers of pictures: one place for all that leave the service, whoever sends them. */
import { contentDisposition } from "./header.ts";

export interface SentPicture {
  readonly mime: string;
  /** A file name, or a path: what leaves is its base name. */
  readonly name: string;
  readonly bytes: number;
  /** What browsers do with it when it is opened by itself; absent: they show it. */
  readonly disposition?: "inline" | "attachment";
}

/** Nothing of a picture runs or calls out when it is opened by itself: it must not act in the service's name. */
const POLICY = "default-src 'none'; sandbox";
/** What an SVG needs besides to be drawn. */
const SVG_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; sandbox";
const SVG = "image/svg+xml";
/**
 * A browser that opens a film by itself writes a page around it, which fetches it again. Nothing runs on that page, and without
 * an origin it may not.
 */
const FILM_POLICY = "default-src 'none'; media-src 'self'; sandbox allow-same-origin";

/** The headers that every answer about a picture has, with its bytes or without. */
export function policyHeaders(mime: string): Record<string, string> {
  return {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": policyOf(mime),
  };
}

function policyOf(mime: string): string {
  if (mime === SVG) return SVG_POLICY;
  return mime.startsWith("video/") ? FILM_POLICY : POLICY;
}

/** The headers of an answer that is a picture. */
export function pictureHeaders({ mime, name, bytes, disposition = "inline" }: SentPicture): Record<string, string> {
  return {
    "Content-Type": mime,
    "Content-Length": String(bytes),
    "Content-Disposition": contentDisposition(disposition, name),
    ...policyHeaders(mime),
  };
}
