/** What browsers show. Anything else is asked for in a format of these. */

/** The formats, with the types of their files. */
const SHOWN = /** @type {const} */ ([
  ["JPEG", /^image\/jpeg$/],
  ["PNG", /^image\/png$/],
  ["GIF", /^image\/gif$/],
  ["WEBP", /^image\/webp$/],
  ["AVIF", /^image\/avif$/],
  ["SVG", /^image\/svg\+xml$/],
  ["BMP", /^image\/bmp$/],
  ["ICO", /^image\/(?:x-icon|vnd\.microsoft\.icon)$/],
]);

/**
 * Whether browsers show a format, by the name that answers have.
 * @param {string} format
 */
export function isShown(format) {
  return SHOWN.some(([name]) => name === format);
}

/**
 * Whether browsers show a file of this media type.
 * @param {string} type
 */
export function isShownType(type) {
  return SHOWN.some(([, types]) => types.test(type));
}
