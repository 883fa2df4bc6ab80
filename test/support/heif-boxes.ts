/** Boxes of HEIF files. */

/** The types of boxes, in order, those that hold boxes followed by theirs. */
export function boxTypes(bytes: Uint8Array, from = 0, end = bytes.length): string[] {
  const types: string[] = [];
  for (let at = from; at + 8 <= end;) {
    const size = new DataView(bytes.buffer, bytes.byteOffset + at).getUint32(0);
    const type = String.fromCharCode(...bytes.subarray(at + 4, at + 8));
    types.push(type);
    const inside = { meta: 12, iprp: 8, ipco: 8 }[type];
    if (inside) types.push(...boxTypes(bytes, at + inside, at + size));
    at += size;
  }
  return types;
}
