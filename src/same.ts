/** Whether bytes are the same. */
export function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index]);
}

/** Whether a part stands in bytes at a place; nothing is allocated, because it is asked at every place of some files. */
export function standsAt(bytes: Uint8Array, at: number, part: Uint8Array): boolean {
  if (at < 0) return false;
  for (let index = 0; index < part.length; index++) if (bytes[at + index] !== part[index]) return false;
  return true;
}
