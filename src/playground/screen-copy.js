/**
 * The original at the size of a screen. What is tried out on it is seen within a moment, whatever the original weighs; the
 * file that is kept is made of the original itself.
 */
import { resultOf, submit } from "./processing.js";

/** Pixels of the longer side: what a large screen shows of a picture. */
export const SCREEN_SIDE = 1600;
/** Pixels of the longer side for formats whose files take several times as long to write: a preview is there to be followed. */
const QUICK_SIDE = 800;
/** Files of these kinds move, or have no pixels: they are sent as they are. */
const WHOLE_TYPES = ["image/gif", "image/svg+xml"];
const JPEG_QUALITY = 0.95;

/**
 * @typedef {object} Visible the original as this browser can show it
 * @property {Blob} visible
 * @property {HTMLImageElement} image decoded once: a large photograph takes this browser a quarter of a second
 * @property {number} width that of the original, in pixels, as it is shown
 * @property {number} height
 *
 * @typedef {object} Sent
 * @property {File} file what is sent to try something out
 * @property {number} scale its sides beside those of the original, at most 1
 *
 * @typedef {Visible & Sent & { quick: Sent }} ScreenCopy `quick` is a smaller one
 */

/**
 * The copy of a file; undefined where neither this browser nor the service can read it.
 * @param {File} file
 * @param {{ signal: AbortSignal, onVisible: (visible: Visible) => void }} how told as soon as the original can be shown
 * @returns {Promise<ScreenCopy | undefined>}
 */
export async function screenCopyOf(file, { signal, onVisible }) {
  const image = await decoded(file);
  if (!image) {
    const made = await decodedThere(file, signal).catch(() => undefined);
    if (made && !signal.aborted) onVisible(made);
    return made;
  }
  const visible = { visible: file, image, width: image.naturalWidth, height: image.naturalHeight };
  if (!signal.aborted) onVisible(visible);
  const copy = await smaller(file, image, SCREEN_SIDE);
  return { ...visible, ...copy, quick: await smaller(file, image, QUICK_SIDE) };
}

/**
 * The file as a picture; null where it is of a format that this browser does not know.
 * @param {Blob} file
 */
async function decoded(file) {
  const address = URL.createObjectURL(file);
  const image = new Image();
  image.src = address;
  return image
    .decode()
    .then(
      () => image,
      () => null,
    )
    .finally(() => URL.revokeObjectURL(address));
}

/**
 * @param {File} file
 * @param {HTMLImageElement} image of the file
 * @param {number} side pixels of the longer side, at most
 * @returns {Promise<Sent>}
 */
async function smaller(file, image, side) {
  const { naturalWidth: width, naturalHeight: height } = image;
  const scale = Math.min(1, side / Math.max(width, height, 1));
  const whole = { file, scale: 1 };
  if (scale === 1 || WHOLE_TYPES.includes(file.type)) return whole;
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const context = canvas.getContext("2d");
  if (!context) return whole;
  context.imageSmoothingQuality = "high";
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  // A photograph stays one; everything else may have alpha or sharp edges, which JPEG does not keep.
  const type = file.type === "image/jpeg" ? "image/jpeg" : "image/png";
  const blob = await blobOf(canvas, type);
  return blob ? { file: new File([blob], file.name, { type }), scale } : whole;
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {string} type
 * @returns {Promise<Blob | null>}
 */
function blobOf(canvas, type) {
  return new Promise((resolve) => canvas.toBlob(resolve, type, JPEG_QUALITY));
}

/**
 * The service reads what this browser does not: HEIC of phones, TIFF, PSD and others.
 * @param {File} file
 * @param {AbortSignal} signal
 */
async function decodedThere(file, signal) {
  const box = { width: SCREEN_SIDE, height: SCREEN_SIDE, upscale: false };
  const body = { resize: box, optimize: { quality: 90 }, output: { format: "webp" } };
  const { answer } = await submit({ file }, body, { signal });
  const visible = await resultOf(answer.output.url);
  const image = visible && (await decoded(visible));
  if (!visible || !image) return undefined;
  const { width, height } = answer.output;
  const scale = Math.min(1, Math.max(width, height) / Math.max(answer.input.width, answer.input.height));
  const sent = new File([visible], file.name, { type: "image/webp" });
  const copy = { file: sent, scale };
  const quick = await smaller(sent, image, QUICK_SIDE);
  return {
    ...copy,
    quick: { ...quick, scale: quick.scale * scale },
    width: Math.round(width / scale),
    height: Math.round(height / scale),
    visible,
    image,
  };
}
