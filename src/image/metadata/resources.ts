/** Photoshop's image resource blocks, in its own files and in segments of others (Adobe Photoshop File Formats Specification). */
import { PARTS } from "../../limits/parts.ts";
import { Walk } from "../containers/walk.ts";

/** Signature and number, before the name. */
const NAME_AT = 6;
const LENGTH_BYTES = 4;

export class Resources extends Walk {
  constructor(bytes: Uint8Array) {
    super(bytes, PARTS.resources);
  }

  get number(): number {
    return (this.bytes[this.at + 4]! << 8) | this.bytes[this.at + 5]!;
  }

  /** It begins with the signature of Photoshop. */
  get isSigned(): boolean {
    return this.isAt(this.at, "8BIM");
  }

  /** The data of the resource, as far as they are there. */
  get data(): Uint8Array {
    return this.bytes.subarray(this.start, this.start + this.length);
  }

  /** The bytes end within the data. */
  get isShort(): boolean {
    return this.start + this.length > this.bytes.length;
  }

  protected read(at: number): boolean {
    if (at + NAME_AT + 2 + LENGTH_BYTES > this.bytes.length) return false;
    // A name with its length, and the data: both padded to an even length.
    this.start = at + NAME_AT + ((this.bytes[at + NAME_AT]! + 2) & ~1) + LENGTH_BYTES;
    if (this.start > this.bytes.length) return false;
    this.end = this.start + this.length + (this.length & 1);
    return true;
  }

  private get length(): number {
    return this.numberAt(this.start - LENGTH_BYTES);
  }
}
