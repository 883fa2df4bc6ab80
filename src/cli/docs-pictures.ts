/** `npm run docs:pictures`: the pictures of the documentation, made by the service as it is. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { MOST_BYTES, ORIGINALS, type Pictured, PICTURES } from "../docs/pictures.ts";
import { DEMO_KEY, LOCAL_DEFAULTS, startLocal } from "./local.ts";
import { ROOT } from "./wrangler.ts";

const FOLDER = join(ROOT, "src", "playground", "pictures");
/** What pages show: a picture that is smaller stays as it is. */
const SHOWN = { width: 200, height: 150, upscale: false };
/** Twice the size of what is shown enlarged. */
const ENLARGED = { width: 200 };
/** What the first screen of the README compares. */
const COMPARED = ["avif", "jxl", "webp", "jpeg"] as const;
/** A picture is shown as WebP, near its most bytes. */
const FILE = { output: { format: "webp" }, optimize: { target_bytes: MOST_BYTES - 200 } };

interface Made {
  readonly bytes: number;
  readonly score?: number;
  readonly url: string;
}

/** The requests of this script to a service. */
function callerOf(base: URL) {
  const headers = { Authorization: `Bearer ${DEMO_KEY}` };
  const post = async (path: string, file: Blob, data?: object): Promise<unknown> => {
    const body = new FormData();
    body.set("file", file, "picture");
    if (data) body.set("data", JSON.stringify(data));
    const answer = await fetch(new URL(path, base), { method: "POST", headers, body });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${JSON.stringify(data)}: ${text}`);
    return JSON.parse(text);
  };
  return {
    save: async (file: Blob) =>
      (await post("/1.0/watermarks", file)) as { readonly watermark: { readonly id: string } },
    make: async (file: Blob, data: object) => ((await post("/1.0/upload", file, data)) as { output: Made }).output,
    fetch: async ({ url }: Made) => (await fetch(url)).blob(),
  };
}

async function main(): Promise<void> {
  const state = await mkdtemp(join(tmpdir(), "pictures-"));
  const service = await startLocal({ host: "localhost", port: 0, state, variables: LOCAL_DEFAULTS, quiet: true });
  try {
    const caller = callerOf(service.url);
    const read = async (name: keyof typeof ORIGINALS) => new Blob([await readFile(join(ROOT, ORIGINALS[name]))]);
    const { watermark } = await caller.save(await read("mark"));
    const details: Record<string, object> = {};
    const make = async ({ name, body, original = "parrots", isEnlarged = false }: Pictured): Promise<Uint8Array> => {
      const mark = body["watermark"] as object | undefined;
      const asked = { ...body, ...(mark && { watermark: { ...mark, id: watermark.id } }) };
      const whole = await caller.make(await read(original), { output: { format: "png" }, ...asked });
      if (isEnlarged) details[name] = { bytes: whole.bytes, score: whole.score };
      const resize = isEnlarged ? ENLARGED : SHOWN;
      const shown = await caller.make(await caller.fetch(whole), { resize, ...FILE });
      return new Uint8Array(await (await caller.fetch(shown)).arrayBuffer());
    };
    const files = new Map<string, Uint8Array>();
    for (const picture of Object.values(PICTURES).flat()) files.set(picture.name, await make(picture));
    // Only when all are there the old ones go.
    await rm(FOLDER, { recursive: true, force: true });
    await mkdir(FOLDER, { recursive: true });
    for (const [name, bytes] of files) await writeFile(join(FOLDER, `${name}.webp`), bytes);
    const original = await read("parrots");
    const compared: Record<string, object> = {};
    for (const format of COMPARED) {
      const { bytes, score } = await caller.make(original, { output: { format } });
      compared[format] = { bytes, score };
    }
    const figures = { original: original.size, formats: compared, details };
    await writeFile(join(ROOT, "src", "docs", "pictures.json"), `${JSON.stringify(figures, null, 2)}\n`);
  } finally {
    await service.stop();
    await rm(state, { recursive: true, force: true });
  }
}

await main();
