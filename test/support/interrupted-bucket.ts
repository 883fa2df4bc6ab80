/**
 * A bucket of real pictures in the stand-in of S3, optimized in place by `npx darkroom bucket` while everything goes wrong:
 * the service is killed, the batch is paused, the store asks for time, the command is killed, and the owner replaces objects.
 * At the end every object is compared with what its owner has put there.
 */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import sharp from "sharp";

import type { BatchFound, BatchRecord } from "../../src/clients/api-types.d.ts";
import { type Running, runServe, startServe } from "./running-serve.ts";
import { S3_KEYS } from "./stores/accounts.ts";
import { putObject } from "./stores/put-object.ts";
import { s3, xmlError } from "./stores/s3.ts";
import { type Dialect, serve } from "./stores/server.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const REGION = "eu-central-1";
const BUCKET = "pictures";
const MARK = "x-amz-meta-darkroom";
/** Requests that the store refuses when it has too much to do. */
const REFUSED = 12;
/** Of a hundred objects, so many are replaced by their owner while the batch is at work. */
const REPLACED_OF_HUNDRED = 2;
const LOOK_MS = 250;
/** Side of the square that objects are cut from, four times their largest. */
const TILE = 400;
/** Decibels by which a result is that of its original: other pictures of the bucket are 20 apart at most. */
const ALIKE_DB = 24;

export interface BucketReport {
  readonly batch: BatchRecord;
  /** What happened, in order. */
  readonly events: readonly string[];
  readonly replaced: number;
  /** Objects with a result, and those that are byte for byte as their owner put them there. */
  readonly results: number;
  readonly originals: number;
  /** The least likeness of a result to its original, in decibels. */
  readonly leastDb: number;
  /** What is not as it should be. */
  readonly wrong: readonly string[];
  readonly seconds: number;
}

interface Owned {
  bytes: Buffer;
  readonly type: string;
  /** Results that were stored of the version that lies there. */
  writes: number;
}

/**
 * @param pictures files that objects are made of, each another part of one of them
 * @param say told of what happens
 */
export async function interruptedBucket(
  { objects, pictures }: { readonly objects: number; readonly pictures: readonly string[] },
  say: (line: string) => void,
): Promise<BucketReport> {
  const folder = await mkdtemp(join(tmpdir(), "interrupted-bucket-"));
  const world = new World(folder, objects, pictures, say);
  try {
    return await world.run();
  } finally {
    await world.end();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

class World {
  readonly #folder: string;
  readonly #count: number;
  readonly #pictures: readonly string[];
  readonly #say: (line: string) => void;
  readonly #owned = new Map<string, Owned>();
  readonly #tiles = new Map<string, Buffer>();
  readonly #events: string[] = [];
  readonly #wrong: string[] = [];
  #store: { readonly url: string; readonly close: () => Promise<void> } | undefined;
  #service: Running | undefined;
  #port = 0;
  #key = "";
  #batch = "";
  #refusals = 0;
  #writes = 0;
  #replaced = 0;

  constructor(folder: string, count: number, pictures: readonly string[], say: (line: string) => void) {
    this.#folder = folder;
    this.#count = count;
    this.#pictures = pictures;
    this.#say = (line) => {
      this.#events.push(line);
      say(line);
    };
  }

  async end(): Promise<void> {
    await this.#service?.end("SIGKILL");
    await this.#store?.close();
  }

  async run(): Promise<BucketReport> {
    this.#port = await freePort();
    this.#store = await serve(this.#dialect());
    await this.#fill();
    await runServe("--bundle", join(this.#folder, "bundle"));
    await this.#start();
    await this.#openAccount();
    const since = performance.now();
    await this.#interrupted();
    const status = await this.#command("follow", this.#batch).ended;
    const { batch } = await this.#show();
    const seconds = (performance.now() - since) / 1_000;
    if (status !== (batch.counts.failed > 0 ? 1 : 0)) this.#wrong.push(`the command ended with ${status}`);
    const compared = await this.#compare(batch);
    return { batch, events: this.#events, replaced: this.#replaced, ...compared, wrong: this.#wrong, seconds };
  }

  /** A store that asks for time when it is told to, and knows who has written what. */
  #dialect(): Dialect {
    return {
      ...s3(REGION),
      other: () => {
        if (this.#refusals === 0) return undefined;
        this.#refusals -= 1;
        return xmlError(503, "SlowDown");
      },
      content: ({ path, headers, body }) => {
        const key = decodeURIComponent(path.slice(`/${BUCKET}/`.length));
        const owned = this.#owned.get(key);
        if (headers[MARK] !== undefined) {
          this.#writes += 1;
          if (!owned) this.#wrong.push(`${key}: a result without an original`);
          else if (++owned.writes > 1) this.#wrong.push(`${key}: one version was done twice`);
        } else if (!owned) this.#wrong.push(`${key}: written by somebody else`);
        return { bytes: body, type: headers["content-type"] ?? "" };
      },
    };
  }

  async #fill(): Promise<void> {
    for (let n = 0; n < this.#count; n += 1) {
      const [key, type] = nameOf(n);
      // oxlint-disable-next-line no-await-in-loop -- thousands at once would be held in memory
      await this.#own(key, type, await this.#made(n, type));
    }
    for (let n = 0; n < this.#count; n += 25) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await this.#own(`notes/${n}.txt`, "text/plain", Buffer.from(`a note ${n}`));
    }
    const bytes = [...this.#owned.values()].reduce((sum, one) => sum + one.bytes.length, 0);
    this.#say(`${this.#owned.size} objects of ${(bytes / 1e6).toFixed(1)} MB in the store`);
  }

  async #own(key: string, type: string, bytes: Buffer): Promise<void> {
    this.#owned.set(key, { bytes, type, writes: 0 });
    const to = { url: this.#store?.url ?? "", region: REGION, bucket: BUCKET };
    await putObject({ ...to, key, type, bytes: Uint8Array.from(bytes) });
  }

  /** A part of a picture, another one for each number; one in a hundred is damaged. */
  async #made(n: number, type: string): Promise<Buffer> {
    const file = this.#pictures[n % this.#pictures.length] ?? "";
    const tile = this.#tiles.get(file) ?? (await tileOf(file));
    this.#tiles.set(file, tile);
    const [width, height] = [32 + (n % 61), 32 + (n % 47)];
    const at = { left: (n * 13) % (TILE - width), top: (n * 29) % (TILE - height), width, height };
    const part = sharp(tile, { raw: { width: TILE, height: TILE, channels: 3 } }).extract(at);
    const bytes = await part.toFormat(type.slice(6) as "jpeg", { quality: 92 }).toBuffer();
    return n % 100 === 50 ? bytes.subarray(0, 30) : bytes;
  }

  async #start(): Promise<void> {
    const place = ["--data", join(this.#folder, "data"), "--bundle", join(this.#folder, "bundle")];
    const open = { ALLOW_PRIVATE_ORIGINS: "true", STORE_HOSTS: "127.0.0.1", RATE_LIMIT: "1000000" };
    const settings = { ...open, ADMIN_TOKEN: "token-of-the-operator-here" };
    this.#service = await startServe([...place, "--port", String(this.#port)], settings);
  }

  async #openAccount(): Promise<void> {
    const account = { name: "First", credits_total: this.#count * 2 };
    ({ key: this.#key } = await this.#post<{ key: string }>("/admin/accounts", account, "token-of-the-operator-here"));
    const members = { provider: "s3", ...S3_KEYS, endpoint: this.#store?.url, region: REGION, bucket: BUCKET };
    await this.#post("/1.0/connectors", { name: BUCKET, ...members }, this.#key);
  }

  async #post<Answer>(path: string, json: object, key: string): Promise<Answer> {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const answer = await fetch(this.#service?.url + path, { method: "POST", headers, body: JSON.stringify(json) });
    if (!answer.ok) throw new Error(await answer.text());
    return (await answer.json()) as Answer;
  }

  async #show(): Promise<BatchFound> {
    const headers = { authorization: `Bearer ${this.#key}` };
    const answer = await fetch(`${this.#service?.url}/1.0/batches/${this.#batch}`, { headers });
    if (!answer.ok) throw new Error(await answer.text());
    return (await answer.json()) as BatchFound;
  }

  /** `npx darkroom bucket`, in a process of its own. */
  #command(...args: readonly string[]) {
    const env = { ...process.env, DARKROOM_URL: this.#service?.url, DARKROOM_KEY: this.#key };
    const child = spawn(process.execPath, [join(ROOT, "src/cli/darkroom.js"), "bucket", ...args], { env });
    let text = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (more: Buffer) => (text += more.toString()));
    const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
    return { ended, printed: () => text, kill: () => child.kill("SIGKILL") };
  }

  /** Begins the batch and interrupts it, each time at another part of its way. */
  async #interrupted(): Promise<void> {
    const first = this.#command("start", BUCKET, "--in-place", "--yes");
    while (this.#batch === "") {
      // oxlint-disable-next-line no-await-in-loop -- it says so when it has begun
      await passed();
      [, this.#batch = ""] = /Batch (\S+) has begun/.exec(first.printed()) ?? [];
    }
    await this.#over(0.15);
    await this.#service?.end("SIGKILL");
    await this.#start();
    this.#say("the service was killed and started again; the command waited for it");
    await this.#over(0.35);
    await this.#replaceSome();
    await this.#over(0.5);
    await this.#command("pause", this.#batch).ended;
    const status = await first.ended;
    this.#say(`the batch was paused: the command that followed it ended with ${status}`);
    if (status !== 3) this.#wrong.push("a paused batch is not over");
    await this.#command("resume", this.#batch).ended;
    const second = this.#command("follow", this.#batch);
    await this.#over(0.65);
    this.#refusals = REFUSED;
    await this.#until(() => this.#refusals === 0);
    this.#say(`the store asked for time ${REFUSED} times`);
    await this.#over(0.8);
    second.kill();
    await this.#service?.end("SIGKILL");
    await this.#start();
    this.#say("the service and the command were killed, and the service was started again");
  }

  /** Waits until such a share of the objects is over. */
  async #over(share: number): Promise<void> {
    await this.#until(async () => {
      const { counts, state } = (await this.#show()).batch;
      return (counts.done + counts.skipped + counts.failed) / this.#count >= share || state === "done";
    });
    const { counts } = (await this.#show()).batch;
    this.#say(`${counts.done} done, ${counts.skipped} skipped, ${counts.failed} failed`);
  }

  async #until(holds: () => boolean | Promise<boolean>): Promise<void> {
    // oxlint-disable-next-line no-await-in-loop -- one look after the other
    while (!(await holds())) await passed();
  }

  /** The owner puts other pictures in the place of some, done or not. */
  async #replaceSome(): Promise<void> {
    const every = Math.floor(100 / REPLACED_OF_HUNDRED);
    for (let n = 7; n < this.#count; n += every) {
      const [key, type] = nameOf(n);
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await this.#own(key, type, await this.#made(n + this.#count, type));
      this.#replaced += 1;
    }
    this.#say(`${this.#replaced} objects were replaced by their owner`);
  }

  /** Every object of the store with what its owner has put there. */
  async #compare({ counts, state }: BatchRecord) {
    let [results, originals, leastDb] = [0, 0, Infinity];
    for (const [key, owned] of this.#owned) {
      const path = key.split("/").map(encodeURIComponent).join("/");
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const answer = await fetch(`${this.#store?.url}/${BUCKET}/${path}`);
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const bytes = Buffer.from(await answer.arrayBuffer());
      if (answer.headers.get("cache-control") !== "max-age=60") this.#wrong.push(`${key}: a header is lost`);
      if (answer.headers.get("content-type") !== owned.type) this.#wrong.push(`${key}: another type`);
      if (!answer.ok) this.#wrong.push(`${key}: lost`);
      else if (answer.headers.get(MARK) === null) {
        originals += 1;
        if (hashOf(bytes) !== hashOf(owned.bytes)) this.#wrong.push(`${key}: changed without a mark`);
      } else {
        results += 1;
        if (bytes.length > owned.bytes.length * 0.95) this.#wrong.push(`${key}: a result that saves too little`);
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        const db = await likeness(bytes, owned.bytes);
        leastDb = Math.min(leastDb, db);
        if (db < ALIKE_DB) this.#wrong.push(`${key}: the result of another picture (${db.toFixed(1)} dB)`);
      }
    }
    const { found, done, skipped, failed } = counts;
    if (state !== "done") this.#wrong.push(`the batch is ${state}`);
    if (found !== this.#count) this.#wrong.push(`${found} objects were found, ${this.#count} are there`);
    if (done + skipped + failed !== found) this.#wrong.push("counts do not add up");
    if (done !== this.#writes) this.#wrong.push(`${done} are said to be done, ${this.#writes} were written`);
    return { results, originals, leastDb };
  }
}

/** The pixels of a picture from which objects are cut. */
function tileOf(file: string): Promise<Buffer> {
  return sharp(file).resize(TILE, TILE, { fit: "cover" }).flatten().toColorspace("srgb").raw().toBuffer();
}

/** The name and the type of an object. */
function nameOf(n: number): readonly [key: string, type: string] {
  const [extension, type] = n % 10 < 7 ? ["jpg", "jpeg"] : n % 10 < 9 ? ["png", "png"] : ["webp", "webp"];
  return [`shop ${n % 7}/${String(n).padStart(6, "0")}.${extension}`, `image/${type}`];
}

function hashOf(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Of two pictures, in decibels; -Infinity where their sizes or formats differ. */
async function likeness(one: Buffer, other: Buffer): Promise<number> {
  const [a, b] = await Promise.all(
    [one, other].map(async (bytes) => ({
      ...(await sharp(bytes).metadata()),
      pixels: await sharp(bytes).flatten().toColorspace("srgb").raw().toBuffer(),
    })),
  );
  if (!a || !b || a.format !== b.format || a.width !== b.width || a.height !== b.height) return -Infinity;
  const channels = (side: typeof a) => side.pixels.length / (side.width * side.height);
  let squares = 0;
  for (let at = 0; at < a.width * a.height; at += 1) {
    const [p, q] = [a.pixels[at * channels(a)] ?? 0, b.pixels[at * channels(b)] ?? 0];
    squares += (p - q) ** 2;
  }
  return squares === 0 ? 99 : 10 * Math.log10((255 * 255 * a.width * a.height) / squares);
}

async function freePort(): Promise<number> {
  const free = createServer();
  await new Promise<void>((resolve) => free.listen(0, "127.0.0.1", resolve));
  const { port } = free.address() as AddressInfo;
  await new Promise((resolve) => free.close(resolve));
  return port;
}

function passed(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, LOOK_MS));
}
