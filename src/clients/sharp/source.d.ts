/** Types of source.js, as tsc declares them. */
import type { Input } from "./sharp.js";
/** Bytes that come into a chain: given, in a file, or piped. */
export declare class Source {
    #private;
    /** @type {Promise<Uint8Array<ArrayBuffer>>} */
    bytes: Promise<Uint8Array<ArrayBuffer>>;
    /** Ends what is piped. */
    end: () => void;
    isPiped: boolean;
    /** @param {Input} input */
    constructor(input: Input);
    /** @param {Uint8Array} piece */
    take(piece: Uint8Array): void;
}
