/** The callers of the bench of one isolate, the files that they send, and the origin that they name. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";

import sharp from "sharp";

import { DEMO_KEY } from "../../src/cli/local.ts";
import { ROOT } from "../../src/cli/wrangler.ts";
import { given } from "./given.ts";

const FOLDER = join(ROOT, ".wrangler", "bench", "isolate");
const HEADERS = { authorization: `Bearer ${DEMO_KEY}` };

const OPTIONS: readonly object[] = [
  { resize: { width: 2_000 } },
  { resize: { width: 1_200 }, output: { format: "webp" } },
  {},
  { resize: { width: 600 }, output: { format: "avif" } },
  { resize: { width: 1_600 }, output: { format: "png" } },
];

export interface Load {
  readonly base: URL;
  readonly origin: URL;
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly end: number;
  readonly outcomes: Map<string, number>;
}

/** Sends one job after the other, each with another file and other options, and waits for nothing. */
export async function call(kind: string, caller: number, { base, origin, files, end, outcomes }: Load): Promise<void> {
  const names = [...files.keys()];
  for (let round = caller; performance.now() < end; round++) {
    const name = names[(round * 5 + caller) % names.length] ?? "";
    const options = {
      ...OPTIONS[round % OPTIONS.length],
      ...(kind === "webhook" && { webhook: { url: origin.href } }),
    };
    const request =
      kind === "fetch"
        ? fetch(new URL("/1.0/fetch", base), {
            method: "POST",
            headers: { ...HEADERS, "content-type": "application/json" },
            body: JSON.stringify({ url: new URL(name, origin).href, ...options }),
          })
        : fetch(new URL("/1.0/upload", base), { method: "POST", headers: HEADERS, body: form(name, files, options) });
    const outcome = await request.then(
      async (answer) => {
        const text = await answer.text();
        return `${kind} ${answer.status}${refusalIn(answer, text, name)}`;
      },
      () => `${kind} failed`,
    );
    tally(outcomes, outcome);
  }
}

/** Why a call was refused, and of one without room what it was told to wait. */
function refusalIn({ status, headers }: Response, text: string, name: string): string {
  if (status === 503) return ` (wait ${headers.get("retry-after")} s: ${text})`.replace(/"id":"[^"]*",?/, "");
  return status === 422 ? ` (${name}: ${text})` : "";
}

/** Counts one more of what came of a call. */
export function tally(outcomes: Map<string, number>, outcome: string): void {
  outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
}

/** How often a job was sent until it was done, and for how long. */
export interface Patience {
  readonly tries: number;
  readonly ms: number;
}

/**
 * Sends a photograph of 24 megapixels, again and again, and comes back when it is told to.
 * @returns what the jobs that were done took, and the tries of the last one
 */
export async function callPatiently({ base, files, end, outcomes }: Load): Promise<[readonly Patience[], number]> {
  const done: Patience[] = [];
  for (let round = 0; ; round++) {
    const since = performance.now();
    for (let tries = 1; ; tries++) {
      if (performance.now() >= end) return [done, tries - 1];
      const options = OPTIONS[round % OPTIONS.length] ?? {};
      const body = form("24.jpg", files, options);
      const answer = await fetch(new URL("/1.0/upload", base), { method: "POST", headers: HEADERS, body });
      await answer.arrayBuffer();
      const outcome = `patient ${answer.status}`;
      tally(outcomes, outcome);
      if (answer.status === 200) {
        done.push({ tries, ms: performance.now() - since });
        break;
      }
      await new Promise((resolve) => setTimeout(resolve, Number(answer.headers.get("retry-after") ?? 1) * 1_000));
    }
  }
}

function form(name: string, files: ReadonlyMap<string, Uint8Array>, options: object): FormData {
  const body = new FormData();
  body.set("file", new File([(files.get(name) ?? new Uint8Array(0)).slice()], name));
  body.set("data", JSON.stringify(options));
  return body;
}

/** The files by their names, made once. */
export async function prepared(): Promise<Map<string, Uint8Array>> {
  const [photo] = given("PHOTOS");
  await mkdir(FOLDER, { recursive: true });
  const sized = (width: number, height: number) => sharp(photo).rotate().resize({ width, height, fit: "cover" });
  const makers: Record<string, () => Promise<Uint8Array>> = {
    "12.jpg": () => sized(4_000, 3_000).jpeg({ quality: 88 }).toBuffer(),
    "24.jpg": () => sized(6_000, 4_000).jpeg({ quality: 88 }).toBuffer(),
    "12.png": () => sized(4_000, 3_000).blur(4).png().toBuffer(),
    "12.webp": () => sized(4_000, 3_000).webp({ effort: 0 }).toBuffer(),
    "12.avif": () => sized(4_000, 3_000).avif({ effort: 0, quality: 50 }).toBuffer(),
    "8.tif": () => sized(3_264, 2_448).tiff({ compression: "lzw" }).toBuffer(),
    "a.heic": () => readFile(join(ROOT, "test/fixtures/heic/grid.heic")),
    "a.gif": () => readFile(join(ROOT, "test/fixtures/gif/TestImage.gif")),
    "a.svg": () => readFile(join(ROOT, "test/fixtures/svg/drawings/batikLogo.svg")),
  };
  const files = new Map<string, Uint8Array>();
  for (const [name, make] of Object.entries(makers)) {
    const path = join(FOLDER, name);
    const kept = await readFile(path).catch(() => undefined);
    const file = kept ?? (await make());
    if (!kept) await writeFile(path, file);
    files.set(name, file);
  }
  return files;
}

/**
 * An origin for fetches, and an endpoint for notifications.
 * @param notified told of every notification, whether its job was done
 */
export async function serve(
  find: (path: string) => Uint8Array | undefined,
  notified: (isDone: boolean) => void,
): Promise<URL> {
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { method, url = "" } = request;
    const body = await text(request);
    if (method === "POST") notified(isSuccess(body));
    response.end(method === "GET" ? find(url) : undefined);
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  server.unref();
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
}

function isSuccess(body: string): boolean {
  try {
    return (JSON.parse(body) as { readonly success?: unknown }).success === true;
  } catch {
    return false;
  }
}
