/**
 * A ZIP archive of files as they are. Pictures are compressed already, so that nothing is deflated: what is left of the format
 * (PKWARE's APPNOTE, sections 4.3.7, 4.3.12 and 4.3.16) is less than a library would bring.
 */

const LOCAL = 0x04_03_4b_50;
const CENTRAL = 0x02_01_4b_50;
const END = 0x06_05_4b_50;
/** Version 2.0; names are UTF-8. */
const VERSION = 20;
const UTF8 = 0x08_00;
/** Without the 64-bit extension: more files or bytes cannot be written. */
const MOST_FILES = 0xff_ff;
const MOST_BYTES = 0xff_ff_ff_ff;

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xed_b8_83_20 : value >>> 1;
  return value;
});

/** @param {Uint8Array} bytes */
function crcOf(bytes) {
  let crc = 0xff_ff_ff_ff;
  for (const byte of bytes) crc = (CRC_TABLE[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8);
  return (crc ^ 0xff_ff_ff_ff) >>> 0;
}

/**
 * @param {readonly { readonly name: string, readonly blob: Blob }[]} files names that come again get a number
 * @param {Date} [at] what the archive says of when they were made
 * @returns {Promise<Blob>}
 * @throws {RangeError} where the archive would be larger than its format allows
 */
export async function zipOf(files, at = new Date()) {
  if (files.length > MOST_FILES) throw new RangeError(`A ZIP archive holds ${MOST_FILES} files.`);
  const names = uniqueNames(files.map(({ name }) => name));
  /** @type {BlobPart[]} */
  const parts = [];
  /** @type {BlobPart[]} */
  const directory = [];
  let [offset, listed] = [0, 0];
  for (const [index, { blob }] of files.entries()) {
    const name = new TextEncoder().encode(names[index]);
    const crc = crcOf(new Uint8Array(await blob.arrayBuffer()));
    const facts = factsOf({ crc, bytes: blob.size, name, at });
    const local = numbers([LOCAL, 4], [VERSION, 2], ...facts);
    const central = numbers(
      [CENTRAL, 4],
      [VERSION, 2],
      [VERSION, 2],
      ...facts,
      [0, 2], // no comment
      [0, 2], // the only disk
      [0, 2],
      [0, 4],
      [offset, 4],
    );
    parts.push(local, name, blob);
    directory.push(central, name);
    offset += local.length + name.length + blob.size;
    listed += central.length + name.length;
  }
  if (offset + listed > MOST_BYTES) throw new RangeError("A ZIP archive holds 4 GB: take fewer files.");
  const count = files.length;
  const end = numbers([END, 4], [0, 2], [0, 2], [count, 2], [count, 2], [listed, 4], [offset, 4], [0, 2]);
  return new Blob([...parts, ...directory, end], { type: "application/zip" });
}

/**
 * What both headers say of a file, in their order.
 * @param {{ crc: number, bytes: number, name: Uint8Array, at: Date }} file
 * @returns {(readonly [value: number, bytes: number])[]}
 */
function factsOf({ crc, bytes, name, at }) {
  const time = (at.getHours() << 11) | (at.getMinutes() << 5) | (at.getSeconds() >> 1);
  const date = (Math.max(0, at.getFullYear() - 1980) << 9) | ((at.getMonth() + 1) << 5) | at.getDate();
  return [
    [UTF8, 2],
    [0, 2], // stored
    [time, 2],
    [date, 2],
    [crc, 4],
    [bytes, 4],
    [bytes, 4],
    [name.length, 2],
    [0, 2], // no extra field
  ];
}

/**
 * Little-endian numbers, each in so many bytes.
 * @param {(readonly [value: number, bytes: number])[]} values
 */
function numbers(...values) {
  const view = new DataView(new ArrayBuffer(values.reduce((sum, [, bytes]) => sum + bytes, 0)));
  let at = 0;
  for (const [value, bytes] of values) {
    if (bytes === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += bytes;
  }
  return new Uint8Array(view.buffer);
}

/**
 * `photo.jpg`, `photo (2).jpg`
 * @param {readonly string[]} names
 */
export function uniqueNames(names) {
  /** @type {Set<string>} */
  const taken = new Set();
  return names.map((name) => {
    const [, stem = name, end = ""] = /^(.+?)(\.[^.]*)?$/.exec(name) ?? [];
    let free = name;
    for (let count = 2; taken.has(free.toLowerCase()); count += 1) free = `${stem} (${count})${end}`;
    taken.add(free.toLowerCase());
    return free;
  });
}
