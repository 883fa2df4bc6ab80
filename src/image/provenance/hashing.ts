/** Hashes of files and their parts, by the names that manifests use. The runtime's own are used: pieces are not copied. */
import { TooMuch } from "./cbor.ts";
import { MAX_HASHED_BYTES } from "./limits.ts";

/** Names of hashes as manifests spell them. */
const NAMES: ReadonlySet<string> = new Set(["sha256", "sha384", "sha512"]);

/** Counts what is hashed for one file. */
export class Hasher {
  private left = MAX_HASHED_BYTES;

  /**
   * The hash of pieces, one after the other; undefined where no such hash is known.
   * @throws Unreadable where more is hashed than any file needs
   */
  hash(name: string, pieces: Iterable<Uint8Array>): Uint8Array | undefined {
    if (!NAMES.has(name)) return undefined;
    const hash = process.getBuiltinModule("node:crypto").createHash(name);
    for (const piece of pieces) {
      this.left -= piece.length;
      if (this.left < 0) throw new TooMuch("too much to hash");
      hash.update(piece);
    }
    return new Uint8Array(hash.digest());
  }
}
