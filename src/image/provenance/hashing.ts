/** Hashes of files and their parts, by the names that manifests use. The runtime's own are used: pieces are not copied. */
import { type Count, TooMuch } from "./cbor.ts";
import { MAX_FILE_ELEMENTS, MAX_HASHED_BYTES, MAX_HASHED_TIMES, MAX_VERIFICATIONS } from "./limits.ts";

/** Names of hashes as manifests spell them. */
const NAMES: ReadonlySet<string> = new Set(["sha256", "sha384", "sha512"]);

/** Hashes of one algorithm by the bytes that they are of. */
type Known = WeakMap<Uint8Array, Uint8Array>;

/** Counts what is hashed, and what is read and verified of signatures, for one file. */
export class Hasher {
  /** Elements of certificates and time stamps that there may be. */
  readonly elements: Count = { left: MAX_FILE_ELEMENTS };
  private left: number;
  private signatures = MAX_VERIFICATIONS;
  private readonly known = new Map<string, Known>();

  /** @param fileBytes the length of the file */
  constructor(fileBytes: number) {
    this.left = MAX_HASHED_BYTES + MAX_HASHED_TIMES * fileBytes;
  }

  /**
   * The hash of pieces, one after the other; undefined where no such hash is known.
   * @throws Unreadable where more is hashed than any file needs
   */
  hash(name: string, pieces: Iterable<Uint8Array>): Uint8Array | undefined {
    if (!NAMES.has(name)) return undefined;
    const hash = process.getBuiltinModule("node:crypto").createHash(name);
    for (const piece of pieces) {
      this.count(piece.length);
      hash.update(piece);
    }
    return new Uint8Array(hash.digest());
  }

  /** The hash of bytes that may be named again and again: it is computed once. @throws Unreadable as `hash` does */
  hashOnce(name: string, bytes: Uint8Array): Uint8Array | undefined {
    const known: Known = this.known.get(name) ?? new WeakMap();
    const found = known.get(bytes) ?? this.hash(name, [bytes]);
    if (found) this.known.set(name, known.set(bytes, found));
    return found;
  }

  /**
   * Counts a signature that is about to be verified.
   * @param bytes that are signed
   * @throws Unreadable where more are verified than any file needs
   */
  countSignature(bytes: number): void {
    if (--this.signatures < 0) throw new TooMuch("too many signatures");
    this.count(bytes);
  }

  private count(bytes: number): void {
    this.left -= bytes;
    if (this.left < 0) throw new TooMuch("too much to hash");
  }
}

/** Whether what takes up room has nothing in it. */
export function isZeros(bytes: Uint8Array | undefined): boolean {
  return bytes === undefined || bytes.every((byte) => byte === 0);
}
