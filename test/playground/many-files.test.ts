/** Many files: requests that wait their turn, and the archive of what comes out. */
import { join } from "node:path";
import { crc32 } from "node:zlib";

import { describe, expect, it } from "vitest";

const FOLDER = join(import.meta.dirname, "..", "..", "src", "playground");

interface Zip {
  readonly zipOf: (files: readonly { name: string; blob: Blob }[], at?: Date) => Promise<Blob>;
  readonly uniqueNames: (names: readonly string[]) => string[];
}

interface Patience {
  readonly workOnAll: <Item>(
    items: readonly Item[],
    work: (item: Item) => Promise<void>,
    signal: AbortSignal,
  ) => Promise<void>;
  readonly patiently: <Answer>(
    ask: () => Promise<Answer>,
    how: { onWait: (seconds: number) => void; sleep: (milliseconds: number) => Promise<void> },
  ) => Promise<Answer>;
}

interface Requests {
  readonly Refusal: new (status: number, message: string, answer?: object, retryAfter?: string | null) => Error;
}

const { zipOf, uniqueNames }: Zip = await import(join(FOLDER, "zip.js"));
const { workOnAll, patiently }: Patience = await import(join(FOLDER, "patience.js"));
const { Refusal }: Requests = await import(join(FOLDER, "request.js"));

/** What an archive holds, read from its directory and from each file's own header, as unpackers do. */
async function filesOf(archive: Blob): Promise<Map<string, Buffer>> {
  const bytes = Buffer.from(await archive.arrayBuffer());
  const end = bytes.length - 22;
  expect(bytes.readUInt32LE(end)).toBe(0x06054b50);
  const count = bytes.readUInt16LE(end + 10);
  let at = bytes.readUInt32LE(end + 16);
  expect(at + bytes.readUInt32LE(end + 12)).toBe(end);
  const files = new Map<string, Buffer>();
  for (let index = 0; index < count; index += 1) {
    expect(bytes.readUInt32LE(at)).toBe(0x02014b50);
    const [crc, size, named] = [bytes.readUInt32LE(at + 16), bytes.readUInt32LE(at + 24), bytes.readUInt16LE(at + 28)];
    const name = bytes.toString("utf8", at + 46, at + 46 + named);
    const local = bytes.readUInt32LE(at + 42);
    expect(bytes.readUInt32LE(local)).toBe(0x04034b50);
    // Both headers say the same of a file, from the version to the length of its name.
    expect(bytes.subarray(local + 4, local + 30)).toEqual(bytes.subarray(at + 6, at + 32));
    const begin = local + 30 + named;
    const content = bytes.subarray(begin, begin + size);
    expect(crc32(content)).toBe(crc);
    files.set(name, content);
    at += 46 + named;
  }
  return files;
}

describe("an archive", () => {
  it("holds files as they are, by names that are unique", async () => {
    const texts = ["one", "", "third, of the same name", "\u0000\u00FF"];
    const names = ["a.jpg", "folder/ü 写真.webp", "A.jpg", "b"];
    const files = texts.map((text, index) => ({ name: names[index] ?? "", blob: new Blob([text]) }));
    const held = await filesOf(await zipOf(files));
    expect([...held]).toEqual([
      ["a.jpg", Buffer.from("one")],
      ["folder/ü 写真.webp", Buffer.from("")],
      ["A (2).jpg", Buffer.from("third, of the same name")],
      ["b", Buffer.from("\u0000\u00FF")],
    ]);
  });

  it("numbers names that come again", () => {
    expect(uniqueNames(["x.png", "x.png", "x (2).png", "x", "X"])).toEqual([
      "x.png",
      "x (2).png",
      "x (2) (2).png",
      "x",
      "X (2)",
    ]);
  });

  it("refuses more files than its format can count", async () => {
    const files = Array.from({ length: 65_536 }, (_, index) => ({ name: String(index), blob: new Blob() }));
    await expect(zipOf(files)).rejects.toThrow("65535 files");
  });
});

describe("many requests", () => {
  it("are made two at a time, all of them, in order", async () => {
    const begun: number[] = [];
    let [now, most] = [0, 0];
    const work = async (item: number) => {
      begun.push(item);
      most = Math.max(most, (now += 1));
      await new Promise((done) => setTimeout(done, 3));
      now -= 1;
    };
    await workOnAll([1, 2, 3, 4, 5], work, new AbortController().signal);
    expect(begun).toEqual([1, 2, 3, 4, 5]);
    expect(most).toBe(2);
  });

  it("end where they are stopped", async () => {
    const stop = new AbortController();
    const begun: number[] = [];
    const work = async (item: number) => {
      begun.push(item);
      stop.abort();
    };
    await workOnAll([1, 2, 3, 4], work, stop.signal);
    expect(begun).toEqual([1]);
  });

  it("wait as long as a busy service says, and are given up after eight tries", async () => {
    const waits: number[] = [];
    const how = { onWait: (seconds: number) => waits.push(seconds), sleep: async () => undefined };
    let tries = 0;
    const busyTwice = async () => {
      tries += 1;
      if (tries < 3) throw new Refusal(tries === 1 ? 503 : 429, "Busy", {}, tries === 1 ? "7" : null);
      return "made";
    };
    expect(await patiently(busyTwice, how)).toBe("made");
    expect(waits).toEqual([7, 4]);
    tries = 0;
    const always = async () => {
      tries += 1;
      throw new Refusal(503, "Busy", {}, "1");
    };
    await expect(patiently(always, how)).rejects.toThrow("Busy");
    expect(tries).toBe(8);
  });

  it("are not made again where the answer would be the same", async () => {
    let tries = 0;
    const wrong = async () => {
      tries += 1;
      throw new Refusal(422, "resize.width must be …");
    };
    await expect(patiently(wrong, { onWait: () => undefined, sleep: async () => undefined })).rejects.toThrow("resize");
    expect(tries).toBe(1);
  });
});
