/**
 * The original at the size of a screen. What is tried out on it is seen within a moment, whatever the original weighs; the
 * file that is kept is made of the original itself.
 */
import { resultOf, submit } from "./processing.js";

/** Pixels of the longer side: what a large screen shows of a picture. */
const SCREEN_SIDE = 1600;
/** Pixels of the longer side of what follows a control: half of the pixels, and of the time that a search takes. */
const FOLLOWED_SIDE = 1200;
/** The same for formats whose files take several times as long to write. */
const SLOW_SIDE = 800;
/** Milliseconds after which a page that is not looked at goes on without having been painted. */
const MOST_PAINT_WAIT = 200;
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
 * @typedef {object} Copies
 * @property {Sent} screen what a large screen shows
 * @property {Sent} followed what is sent while somebody turns a control
 * @property {Sent} slow the same for formats that take long
 *
 * @typedef {Visible & Copies} ScreenCopy
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
  // Making copies takes the thread that paints, and the picture is waited for.
  await painted();
  return { ...visible, ...(await copiesOf(file, image)) };
}

/** Resolves when the page was painted. */
function painted() {
  return new Promise((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve));
    setTimeout(resolve, MOST_PAINT_WAIT);
  });
}

/**
 * @param {File} file
 * @param {HTMLImageElement} image of the file
 * @returns {Promise<Copies>}
 */
async function copiesOf(file, image) {
  const { naturalWidth: width, naturalHeight: height } = image;
  const screen = await smaller(file, { picture: image, width, height }, SCREEN_SIDE);
  // Each is made of the one before, which takes a fraction of the time that the original takes.
  const followed = await smaller(file, { ...screen, width, height }, FOLLOWED_SIDE);
  const slow = await smaller(file, { ...followed, width, height }, SLOW_SIDE);
  return { screen, followed, slow };
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
 * @param {{ picture: HTMLImageElement | HTMLCanvasElement, width: number, height: number }} of what it shows, in any size, and
 * the sides of the original
 * @param {number} side pixels of the longer side, at most
 * @returns {Promise<Sent & { picture: HTMLImageElement | HTMLCanvasElement }>}
 */
async function smaller(file, { picture, width, height }, side) {
  const scale = Math.min(1, side / Math.max(width, height, 1));
  const whole = { file, scale: 1, picture };
  if (scale === 1 || WHOLE_TYPES.includes(file.type)) return whole;
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const context = canvas.getContext("2d");
  if (!context) return whole;
  context.imageSmoothingQuality = "high";
  context.drawImage(picture, 0, 0, canvas.width, canvas.height);
  // A photograph stays one; everything else may have alpha or sharp edges, which JPEG does not keep.
  const type = file.type === "image/jpeg" ? "image/jpeg" : "image/png";
  const blob = await blobOf(canvas, type);
  return blob ? { file: new File([blob], file.name, { type }), scale, picture: canvas } : whole;
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
  const { followed, slow } = await copiesOf(sent, image);
  return {
    screen: { file: sent, scale },
    followed: { ...followed, scale: followed.scale * scale },
    slow: { ...slow, scale: slow.scale * scale },
    width: Math.round(width / scale),
    height: Math.round(height / scale),
    visible,
    image,
  };
}
