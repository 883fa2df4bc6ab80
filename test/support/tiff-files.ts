/** TIFF files, made tag by tag. */

export type Tag = readonly [tag: number, ...values: number[]];

/**
 * A little-endian TIFF file; tags have the type SHORT, and strips are added.
 * @param planes one strip each; of several strips a plane, a tag has to say how many rows they have
 */
export function made(
  width: number,
  height: number,
  tags: readonly Tag[],
  planes: readonly (readonly number[])[],
): Uint8Array {
  const offsets = planes.map((_, index) => 8 + planes.slice(0, index).flat().length);
  const own = new Set(tags.map(([tag]) => tag));
  const rows: Tag[] = own.has(278) ? [] : [[278, height]];
  const all: Tag[] = [[256, width], [257, height], ...rows, ...tags];
  all.push([273, ...offsets], [279, ...planes.map((plane) => plane.length)]);
  all.sort((a, b) => a[0] - b[0]);
  const directory = 8 + Math.ceil(planes.flat().length / 2) * 2;
  let extra = directory + 2 + all.length * 12 + 4;
  const bytes = new Uint8Array(extra + all.length * 64 * 2);
  const view = new DataView(bytes.buffer);
  bytes.set([0x49, 0x49, 42, 0, directory & 255, directory >> 8]);
  bytes.set(planes.flat(), 8);
  view.setUint16(directory, all.length, true);
  all.forEach(([tag, ...values], index) => {
    const at = directory + 2 + index * 12;
    view.setUint16(at, tag, true);
    view.setUint16(at + 2, 3, true);
    view.setUint32(at + 4, values.length, true);
    const to = values.length > 2 ? extra : at + 8;
    if (values.length > 2) view.setUint32(at + 8, extra, true);
    values.forEach((value, position) => view.setUint16(to + position * 2, value, true));
    if (values.length > 2) extra += values.length * 2;
  });
  return bytes;
}

/** Tags of a picture: bits of each sample and PhotometricInterpretation. */
export function kind(bits: readonly number[], photometric: number, ...others: Tag[]): Tag[] {
  return [[258, ...bits], [262, photometric], [277, bits.length], ...others];
}

/** Tags that say which samples are alpha, and whether they lie in planes. */
export const EXTRA = 338;
export const PLANAR = 284;
