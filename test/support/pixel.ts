/** The smallest picture that any service reads: a PNG of one black pixel. */
const BASE64 = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==";

export const PIXEL: Uint8Array<ArrayBuffer> = Uint8Array.from(atob(BASE64), (character) => character.charCodeAt(0));
