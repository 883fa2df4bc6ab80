/** Rectangles on a picture, as shares of its sides: how they are moved and resized without leaving it. */

/**
 * @typedef {object} Region shares of width and height, 0 to 1
 * @property {number} x
 * @property {number} y
 * @property {number} width
 * @property {number} height
 *
 * @typedef {"top-left" | "top-right" | "bottom-left" | "bottom-right"} Corner
 */

/** A smaller region could not be taken hold of. */
const LEAST = 0.02;

/**
 * @param {Region} region
 * @param {number} across
 * @param {number} down
 * @returns {Region}
 */
export function movedBy(region, across, down) {
  return {
    ...region,
    x: within(region.x + across, 0, Math.max(0, 1 - region.width)),
    y: within(region.y + down, 0, Math.max(0, 1 - region.height)),
  };
}

/**
 * One corner moves, the other stays. `shape` is width by height in shares, where it is to be kept.
 * @param {Region} region
 * @param {Corner} corner
 * @param {{ across: number, down: number, shape?: number | undefined }} by
 * @returns {Region}
 */
export function resizedBy(region, corner, { across, down, shape }) {
  const [toLeft, toTop] = [corner.endsWith("left"), corner.startsWith("top")];
  const right = region.x + region.width;
  const bottom = region.y + region.height;
  let width = within(region.width + (toLeft ? -across : across), LEAST, toLeft ? right : 1 - region.x);
  let height = within(region.height + (toTop ? -down : down), LEAST, toTop ? bottom : 1 - region.y);
  if (shape !== undefined) {
    // Whichever side was moved more leads; what then does not fit is led by the other.
    if (Math.abs(across) >= Math.abs(down)) height = width / shape;
    const most = toTop ? bottom : 1 - region.y;
    height = Math.min(height, most);
    width = Math.min(height * shape, toLeft ? right : 1 - region.x);
    height = width / shape;
  }
  return { x: toLeft ? right - width : region.x, y: toTop ? bottom - height : region.y, width, height };
}

/**
 * The largest region of a shape, with a point in its middle as far as the picture reaches.
 * @param {number} shape width by height, in shares
 * @param {{ x: number, y: number }} [focus]
 * @returns {Region}
 */
export function largestOf(shape, { x, y } = { x: 0.5, y: 0.5 }) {
  const [width, height] = shape >= 1 ? [1, 1 / shape] : [shape, 1];
  return movedBy({ x: 0, y: 0, width, height }, x - width / 2, y - height / 2);
}

/**
 * @param {number} value
 * @param {number} least
 * @param {number} most
 */
export function within(value, least, most) {
  return Math.min(Math.max(value, least), Math.max(least, most));
}
