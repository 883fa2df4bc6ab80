/** Reads and writes what WebAssembly binaries are made of: numbers, vectors, sections. */

/** Of the sections, those that something is added to or changed in. */
export const SECTION = {
  custom: 0,
  type: 1,
  import: 2,
  function: 3,
  memory: 5,
  global: 6,
  export: 7,
  start: 8,
  element: 9,
  code: 10,
} as const;

/** The header of every module: its magic number and the version. */
const HEADER_BYTES = 8;

export interface Section {
  readonly id: number;
  readonly payload: Uint8Array;
}

/** A place in bytes, from which numbers and vectors are read. */
export class Cursor {
  at = 0;
  private readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.at >= this.bytes.length;
  }

  byte(): number {
    const value = this.bytes[this.at++];
    if (value === undefined) throw new Error("the binary ends too early");
    return value;
  }

  /** An unsigned number of at most 32 bits. */
  unsigned(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.byte();
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  }

  take(length: number): Uint8Array {
    const taken = this.bytes.subarray(this.at, this.at + length);
    this.at += length;
    return taken;
  }

  /** Passes over a number of any kind. */
  skipNumber(): void {
    while (this.byte() >= 128);
  }

  /** What was passed since `from`. */
  since(from: number): Uint8Array {
    return this.bytes.subarray(from, this.at);
  }

  rest(): Uint8Array {
    return this.take(this.bytes.length - this.at);
  }
}

export function unsigned(value: number): number[] {
  const bytes: number[] = [];
  let left = value;
  for (; left >= 128; left = Math.floor(left / 128)) bytes.push((left % 128) | 128);
  return [...bytes, left];
}

/** A number that is not negative, as operators say it whose numbers have a sign. */
export function signed(value: number): number[] {
  const bytes: number[] = [];
  let left = value;
  for (; left >= 64; left = Math.floor(left / 128)) bytes.push((left % 128) | 128);
  return [...bytes, left];
}

export function text(value: string): number[] {
  return [...unsigned(value.length), ...new TextEncoder().encode(value)];
}

/** A vector with further items at its end. */
export function extended(payload: Uint8Array, items: readonly (readonly number[])[]): Uint8Array {
  const cursor = new Cursor(payload);
  const count = cursor.unsigned();
  return joined([unsigned(count + items.length), cursor.rest(), ...items]);
}

export function joined(parts: readonly (Uint8Array | readonly number[])[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

export function sectionsOf(binary: Uint8Array): Section[] {
  const cursor = new Cursor(binary);
  cursor.take(HEADER_BYTES);
  const sections: Section[] = [];
  while (!cursor.isAtEnd) {
    const id = cursor.byte();
    sections.push({ id, payload: cursor.take(cursor.unsigned()) });
  }
  return sections;
}

export function written(binary: Uint8Array, sections: readonly Section[]): Uint8Array {
  const parts = sections.flatMap(({ id, payload }) => [[id, ...unsigned(payload.length)], payload]);
  return joined([binary.subarray(0, HEADER_BYTES), ...parts]);
}
