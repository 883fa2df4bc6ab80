/** How JPEG 2000 files begin (ITU-T T.800, A.2 and I.5.1). */
const SIGNATURE = [0, 0, 0, 12, 0x6a, 0x50, 0x20, 0x20, 0x0d, 0x0a, 0x87, 0x0a];
/** SOC, and SIZ, which has to follow. */
const CODESTREAM = [0xff, 0x4f, 0xff, 0x51];

export function isJp2(head: Uint8Array): boolean {
  return SIGNATURE.every((byte, at) => head[at] === byte);
}

export function isCodestream(head: Uint8Array): boolean {
  return CODESTREAM.every((byte, at) => head[at] === byte);
}
