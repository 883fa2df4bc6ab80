/** How much of a file is read through references between its parts. */
import { FREE_READING_BYTES, MAX_READINGS } from "../../../limits/parts.ts";
import { unsupported } from "./bytes.ts";

/**
 * Counts what is read each time that a part is named. Parts that share bytes would otherwise cost as often as they are
 * named: a grid of 25,600 tiles that are all the same item of 4 MB is 100 GB.
 */
export class Readings {
  private left: number;

  constructor(fileBytes: number) {
    this.left = Math.max(MAX_READINGS * fileBytes, FREE_READING_BYTES);
  }

  /** @throws ApiError 422 when more of the file is read than it may be */
  count(bytes: number): void {
    this.left -= bytes;
    if (this.left < 0) throw unsupported("its parts share too many bytes");
  }
}
