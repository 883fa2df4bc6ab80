/** The piles of requests of the bench of crowds, and how they are sent. */
import { request } from "node:http";
import { text } from "node:stream/consumers";

import sharp, { type Sharp } from "sharp";

import { DEMO_KEY } from "../../src/cli/local.ts";
import { given } from "./given.ts";

export interface Place {
  readonly base: URL;
  readonly token: string;
  /** Of an account besides the one of the demo. */
  readonly key: string;
}

export interface CrowdJob {
  readonly file: Uint8Array;
  readonly name: string;
  readonly options: object;
  readonly key?: string;
}

export interface Pile {
  readonly jobs: readonly CrowdJob[];
  /** Uploaded slowly beside the others. */
  readonly slow?: Uint8Array;
}

export interface Answered {
  readonly status: number;
  readonly ms: number;
  /** As the answer says. */
  readonly waitedMs: number;
}

/** Usual requests. */
const OPTIONS: readonly object[] = [
  {},
  { resize: { width: 800 } },
  { resize: { width: 400 }, output: { format: "webp" } },
  { resize: { width: 1_200 }, output: { format: "webp" } },
  { resize: { width: 800 }, output: { format: "auto" } },
];

export const PILES: Readonly<Record<string, () => Promise<Pile>>> = {
  small: async () => ({ jobs: crossed(await thumbnails(), 120) }),
  mixed: async () => ({ jobs: crossed(await everyday(), 50) }),
  large: async () => ({ jobs: crossed([await photo(4_000, 3_000, 88)], 10) }),
  slow: async () => ({ jobs: crossed(await everyday(), 50), slow: await noise(4_000_000) }),
};

function crossed(files: readonly (readonly [string, Uint8Array])[], count: number): CrowdJob[] {
  return Array.from({ length: count }, (_, index) => {
    const [name, file] = files[index % files.length] ?? ["", new Uint8Array(0)];
    // Coprime steps: each file meets each of the options.
    return { name, file, options: OPTIONS[(index + Math.floor(index / files.length)) % OPTIONS.length] ?? {} };
  });
}

/** A photograph of so many pixels. */
export async function photo(width: number, height: number, quality: number): Promise<[string, Uint8Array]> {
  const [first] = given("PHOTOS");
  const scaled = sharp(first).rotate().resize({ width, height, fit: "cover" });
  return [`${width}.jpg`, await scaled.jpeg({ quality }).toBuffer()];
}

/** JPEG and PNG of 3 to 6 KB. */
export async function thumbnails(): Promise<[string, Uint8Array][]> {
  const drawn = sharp(Buffer.from(drawing(96, 72)))
    .png()
    .toBuffer();
  return [await photo(96, 72, 80), await photo(120, 90, 80), ["drawn.png", await drawn]];
}

async function everyday(): Promise<[string, Uint8Array][]> {
  const png = sharp(Buffer.from(drawing(600, 400)))
    .png()
    .toBuffer();
  const [first] = given("PHOTOS");
  const webp = sharp(first).rotate().resize(1_000, 750, { fit: "cover" }).webp({ quality: 80 }).toBuffer();
  return [
    await photo(320, 240, 82),
    await photo(1_024, 768, 85),
    await photo(1_600, 1_200, 82),
    await photo(2_048, 1_536, 88),
    ["drawn.png", await png],
    ["photo.webp", await webp],
    ["drawn.svg", Buffer.from(drawing(300, 200))],
  ];
}

/** A drawing of shapes and a gradient. */
export function drawing(width: number, height: number): string {
  const circles = Array.from({ length: 12 }, (_, index) => {
    const [x, y] = [((index * 37) % 100) / 100, ((index * 61) % 100) / 100];
    return `<circle cx="${x * width}" cy="${y * height}" r="${height / 8}" fill="hsl(${index * 30} 70% 50%)" opacity=".8"/>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><linearGradient id="g"><stop stop-color="#fff"/><stop offset="1" stop-color="#36c"/></linearGradient><rect width="100%" height="100%" fill="url(#g)"/>${circles.join("")}</svg>`;
}

/** A GIF of a photograph that is moved past. */
export async function animation(width: number, height: number, frames: number): Promise<Uint8Array> {
  const [first] = given("PHOTOS");
  const large = sharp(first)
    .rotate()
    .resize({ width: width + frames * 2, height, fit: "cover" });
  const still = await large.removeAlpha().raw().toBuffer();
  const moved = Array.from({ length: frames }, (_, left) =>
    sharp(still, { raw: { width: width + frames * 2, height, channels: 3 } })
      .extract({ left: left * 2, top: 0, width, height })
      .raw()
      .toBuffer(),
  );
  const raw = { width, height: height * frames, channels: 3, pageHeight: height } as const;
  return sharp(Buffer.concat(await Promise.all(moved)), { raw })
    .gif()
    .toBuffer();
}

/** A JPEG of about so many bytes that is quickly read: noise of few pixels. */
export async function noise(bytes: number): Promise<Uint8Array> {
  const side = Math.round(Math.sqrt(bytes / 2.05));
  const noisy = { create: { width: side, height: side, channels: 3, background: "#888" } } as const;
  const made = sharp({ ...noisy, create: { ...noisy.create, noise: { type: "gaussian", mean: 128, sigma: 60 } } });
  return made.jpeg({ quality: 97, chromaSubsampling: "4:4:4" }).toBuffer();
}

function formOf({ file, name, options }: CrowdJob): FormData {
  const body = new FormData();
  body.set("file", new File([file.slice()], name));
  body.set("data", JSON.stringify(options));
  return body;
}

export async function send(job: CrowdJob, { base }: Pick<Place, "base">): Promise<Answered> {
  const since = performance.now();
  const headers = { authorization: `Bearer ${job.key ?? DEMO_KEY}` };
  const url = new URL("/1.0/upload", base);
  const [status, waitedMs] = await fetch(url, { method: "POST", headers, body: formOf(job) }).then(
    async (answer) => {
      await answer.arrayBuffer();
      return [answer.status, Number(/wait;dur=(\d+)/.exec(answer.headers.get("server-timing") ?? "")?.[1] ?? 0)];
    },
    () => [0, 0],
  );
  return { status: status ?? 0, waitedMs: waitedMs ?? 0, ms: performance.now() - since };
}

/** Uploads a file at so many bytes a second. */
export async function sendSlowly(
  file: Uint8Array,
  { base }: Pick<Place, "base">,
  perSecond: number,
): Promise<Answered> {
  const since = performance.now();
  const head =
    '--b\r\nContent-Disposition: form-data; name="data"\r\n\r\n{"resize":{"width":200},"optimize":{"quality":70}}\r\n--b\r\nContent-Disposition: form-data; name="file"; filename="a.jpg"\r\n\r\n';
  const body = Buffer.concat([Buffer.from(head), file, Buffer.from("\r\n--b--\r\n")]);
  const { promise, resolve } = Promise.withResolvers<number>();
  const headers = {
    authorization: `Bearer ${DEMO_KEY}`,
    "content-type": "multipart/form-data; boundary=b",
    "content-length": String(body.length),
  };
  const outgoing = request(new URL("/1.0/upload", base).href, { method: "POST", headers, agent: false }, (answer) => {
    void text(answer).then(() => resolve(answer.statusCode ?? 0));
  });
  outgoing.on("error", () => resolve(0));
  const step = Math.max(1, Math.round(perSecond / 10));
  let at = 0;
  // By the time that has passed: a busy machine wakes late.
  const timer = setInterval(() => {
    const due = Math.min(body.length, Math.ceil(((performance.now() - since) / 100) * step));
    if (due > at) outgoing.write(body.subarray(at, due));
    at = due;
    if (at < body.length) return;
    clearInterval(timer);
    outgoing.end();
  }, 100);
  const status = await promise;
  clearInterval(timer);
  return { status, waitedMs: 0, ms: performance.now() - since };
}

/** Milliseconds that sharp takes on one thread for a pile, at a fixed quality. */
export async function sharpMs({ jobs }: Pile): Promise<number> {
  sharp.concurrency(1);
  const since = performance.now();
  for (const { file, options } of jobs) {
    const { resize, output } = options as { resize?: { width: number }; output?: { format?: string } };
    let picture: Sharp = sharp(file);
    if (resize) picture = picture.resize({ width: resize.width, withoutEnlargement: true });
    if (output?.format === "webp") picture = picture.webp();
    else if (output?.format === "auto") picture = picture.avif();
    await picture.toBuffer();
  }
  return performance.now() - since;
}

/** The key of a new account. */
export async function openedAccount(base: URL, token: string): Promise<string> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const body = JSON.stringify({ name: "crowd", credits_total: 1_000_000 });
  const answer = await fetch(new URL("/admin/accounts", base), { method: "POST", headers, body });
  return ((await answer.json()) as { key: string }).key;
}
