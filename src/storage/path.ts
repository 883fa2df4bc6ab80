/** Object names and the URLs that name them. */
import { ApiError } from "../errors.ts";
import { MAX_OBJECT_KEY_BYTES } from "../limits/stores.ts";
import { isSafePath } from "./attributes.ts";

/** Whether results go into a path under names of their own. */
export function isFolder(path: string): boolean {
  return path === "" || path.endsWith("/");
}

/**
 * The name of an object: `path`, or, where that is empty or ends in a slash, `path` as a folder and the result's own
 * name in it.
 * @throws ApiError 422 when the whole is too long
 */
export function objectKey(path: string | undefined, name: string): string {
  const given = (path ?? "").replace(/^\/+/, "");
  const key = isFolder(given) ? given + name : given;
  if (!isSafePath(key)) throw new ApiError(422, "store.path must lead to a file name");
  if (new TextEncoder().encode(key).length > MAX_OBJECT_KEY_BYTES) {
    throw new ApiError(422, `store.path and the file name must be at most ${MAX_OBJECT_KEY_BYTES} bytes together`);
  }
  return key;
}

/** RFC 3986: everything but the unreserved characters as %XX; a plus sign or a space never stays itself. */
export function encodeSegment(segment: string): string {
  return encodeURIComponent(segment).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** A key as the path of a URL. The same text is signed, so that no one has to guess how the other side encodes. */
export function encodeKey(key: string): string {
  return key.split("/").map(encodeSegment).join("/");
}
