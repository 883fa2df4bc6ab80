/**
 * What a file will take whose smaller copy was made. Bytes grow more slowly than pixels, with every picture in its own
 * way: how slowly is known once one file was made of the original and of its copy with the same settings.
 */
export class Growth {
  /** Bytes grow with the side to this power; undefined as long as nothing was measured. */
  #power = /** @type {number | undefined} */ (undefined);

  clear() {
    this.#power = undefined;
  }

  /**
   * @param {number} finalBytes of a file
   * @param {number} copyBytes of what the same request makes of the copy
   * @param {number} scale sides of the copy's result beside those of the file
   */
  learn(finalBytes, copyBytes, scale) {
    if (scale < 1 && finalBytes > 0 && copyBytes > 0) this.#power = Math.log(copyBytes / finalBytes) / Math.log(scale);
  }

  /**
   * Bytes of the file that a copy stands for; undefined where that would be a guess.
   * @param {number} copyBytes
   * @param {number} scale as `learn` has it; 1 is the file itself
   */
  bytesOf(copyBytes, scale) {
    if (scale >= 1) return copyBytes;
    return this.#power === undefined ? undefined : Math.round(copyBytes / scale ** this.#power);
  }
}
