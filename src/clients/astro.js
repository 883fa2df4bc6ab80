/**
 * `darkroom/astro`: the image service of Astro, by its name in `image.service.entrypoint`; or made by `createService` in
 * a file of the site that this names, where key and salt are read from the environment. `image.service.config` is no
 * place for them: scripts of pages may import it.
 */
import { baseService } from "astro/assets";

import { imageURL } from "./image-url.js";
import { signURL } from "./sign.js";

/** @import { ExternalImageService, ImageMetadata, ImageTransform, LocalImageService } from "astro" */
/** @import { ImageOptions, Place } from "./image-url.js" */
/** @import { SigningPair } from "./sign.js" */

/** What every service of Astro does alike. */
const { getSrcSet, getHTMLAttributes, validateOptions } = /** @type {Required<LocalImageService>} */ (baseService);

/** Without enlarging, as Astro's own service does it. */
const FITS = /** @type {const} */ ({
  fill: "squeeze",
  contain: "scale-down",
  inside: "scale-down",
  "scale-down": "scale-down",
  cover: "crop",
  outside: "crop",
});
/** Astro's words for a quality. */
const QUALITIES = /** @type {const} */ ({ low: "low", mid: "medium-low", high: "medium-high", max: "high" });
/** The two axes of a position in CSS, in shares of what is left over. */
const SHARES = { left: 0, right: 1, top: 0, bottom: 1, center: 0.5 };

/**
 * @param {Place & { signing?: SigningPair }} [place] Without it, `image.service.config`.
 * @returns {ExternalImageService}
 */
export function createService(place) {
  return {
    getSrcSet,
    getHTMLAttributes,
    async validateOptions(options, ...others) {
      const { format } = options;
      const valid = await validateOptions(options, ...others);
      // Astro would have WebP where nothing is said; the service chooses by what the browser takes.
      if (format === undefined && valid.format !== "svg") delete valid.format;
      return valid;
    },
    async getURL(options, config) {
      const found = place ?? /** @type {Place & { signing?: SigningPair }} */ (config.service.config);
      const { signing, ...delivery } = found;
      const { src } = options;
      const original = typeof src === "string" ? src : src.src;
      // Drawings stay drawings.
      if (options.format === "svg") return original;
      const url = imageURL(delivery, original, imageOptions(options, signing !== undefined));
      return signing === undefined ? url : signURL(signing, url);
    },
  };
}

export default createService();

/**
 * @param {ImageTransform} options
 * @param {boolean} isSigned
 * @returns {ImageOptions}
 */
function imageOptions({ src, width, height, fit, position, format, quality, background }, isSigned) {
  const isCropped = height !== undefined && (width === undefined || needsHeight(src, width, height, isSigned));
  const shape = isCropped ? { height, fit: fitOf(fit), gravity: gravityOf(position) } : {};
  return /** @type {ImageOptions} */ ({ width, ...shape, format, quality: qualityOf(quality), background });
}

/**
 * Whether the width alone would give another shape. Of an original elsewhere nobody knows, and Astro wants both sides of
 * it in any case: the height counts where it may be said.
 * @param {ImageTransform["src"]} src
 * @param {number} width
 * @param {number} height
 * @param {boolean} isSigned
 */
function needsHeight(src, width, height, isSigned) {
  if (typeof src === "string") return isSigned;
  const { width: originalWidth, height: originalHeight } = /** @type {ImageMetadata} */ (src);
  return Math.abs(height - (width * originalHeight) / originalWidth) >= 1;
}

/** @param {ImageTransform["fit"]} fit */
function fitOf(fit) {
  return FITS[/** @type {keyof typeof FITS} */ (fit)] ?? "crop";
}

/** @param {ImageTransform["quality"]} quality */
function qualityOf(quality) {
  return QUALITIES[/** @type {keyof typeof QUALITIES} */ (quality)] ?? quality;
}

/**
 * A position in CSS as the focal point that keeps its share.
 * @param {string | undefined} position
 */
function gravityOf(position) {
  if (position === undefined) return undefined;
  if (position === "attention" || position === "entropy") return "auto";
  const words = position.trim().split(/\s+/);
  const isSwapped = /^(?:top|bottom)$/.test(words[0] ?? "") || /^(?:left|right)$/.test(words[1] ?? "");
  const [x = "center", y = "center"] = isSwapped ? [words[1], words[0]] : words;
  const [left, top] = [shareOf(x), shareOf(y)];
  return left === undefined || top === undefined ? undefined : `${left}x${top}`;
}

/** @param {string} word */
function shareOf(word) {
  const percent = /^(\d+(?:\.\d+)?)%$/.exec(word)?.[1];
  if (percent !== undefined) return Math.min(1, Number(percent) / 100);
  return SHARES[/** @type {keyof typeof SHARES} */ (word)];
}
