/** How files of JPEG XL begin: a bare codestream (ISO/IEC 18181-1), or boxes around one (ISO/IEC 18181-2). */

const CODESTREAM = [0xff, 0x0a];
const CONTAINER = [0, 0, 0, 12, 0x4a, 0x58, 0x4c, 0x20, 0x0d, 0x0a, 0x87, 0x0a];

const beginsWith = (bytes: Uint8Array, start: readonly number[]) => start.every((byte, at) => bytes[at] === byte);

export const isCodestream = (bytes: Uint8Array): boolean => beginsWith(bytes, CODESTREAM);
export const isContainer = (bytes: Uint8Array): boolean => beginsWith(bytes, CONTAINER);
