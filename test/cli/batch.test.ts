/** The command that sends whole folders of images, against a stand-in for the service. */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { PassThrough } from "node:stream";
import { buffer } from "node:stream/consumers";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createClient } from "../../src/cli/batch/client.ts";
import { expectedName, findOriginals } from "../../src/cli/batch/files.ts";
import { createJsonReport } from "../../src/cli/batch/json.ts";
import { type Options, readOptions } from "../../src/cli/batch/options.ts";
import type { Outcome } from "../../src/cli/batch/outcome.ts";
import { runAll } from "../../src/cli/batch/run.ts";
import { withoutResults } from "../../src/cli/batch/sets.ts";
import type { Srcset, UploadBody } from "../../src/clients/api-types.d.ts";
import { type Listening, listening } from "../support/listening.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const never = new AbortController().signal;

/** What the stand-in for the service answers to the image of this name; by default half of its bytes, as WebP. */
type Answer = (name: string, attempt: number) => { status: number; headers?: Record<string, string> } | undefined;

let folder: string;
let service: Listening;
let url: URL;
let answer: Answer;
let received: { name: string; data: unknown; key: string | undefined; once: string }[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "batch-"));
  received = [];
  answer = () => undefined;
  service = await listening((request, response) => void serve(request, response));
  ({ url } = service);
});
afterEach(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method === "GET") return void response.end(`the file ${request.url}`);
  const body = await new Response(await buffer(request), {
    headers: { "content-type": request.headers["content-type"] ?? "" },
  }).formData();
  const file = body.get("file") as File;
  received.push({
    name: file.name,
    data: JSON.parse(body.get("data") as string),
    key: request.headers.authorization,
    once: String(request.headers["idempotency-key"]),
  });
  const attempt = received.filter(({ name }) => name === file.name).length;
  const refusal = answer(file.name, attempt);
  if (refusal) {
    const failure = { success: false, code: refusal.status, id: "", message: "The reason" };
    response.writeHead(refusal.status, { ...refusal.headers, "x-anything-metadata": JSON.stringify(failure) }).end();
    return;
  }
  const { srcset } = JSON.parse(body.get("data") as string) as UploadBody;
  if (srcset) return void response.end(JSON.stringify(setOf(file.name, srcset)));
  const result = (await file.bytes()).subarray(0, file.size / 2);
  const looks = { format: "WEBP", width: 40, height: 30, ...LOOKS };
  const output = { name: `${file.name.replace(/\.\w+$/, "")}.webp`, bytes: result.length, ...looks };
  response.setHeader("x-anything-metadata", JSON.stringify({ success: true, code: 200, output }));
  response.end(result);
}

/** What the service says of how a result looks, where it was looked at. */
const LOOKS = { score: 75.5, looks: "same" };

/** What the service answers to a srcset. */
function setOf(name: string, { widths, formats = ["avif"] }: Srcset) {
  const files = widths.flatMap((width) => formats.map((format) => [`${width}.${format}`, width, format] as const));
  const outputs = files.map(([entry, width, format]) => {
    const file = name.replace(/\.\w+$/, `-${width}.${format}`);
    const looks = { format: format.toUpperCase(), width, height: width / 2, ...(format === "avif" && LOOKS) };
    return [entry, { name: file, url: `${url.href}temp/${encodeURIComponent(file)}`, ...looks }] as const;
  });
  const html = `<picture>${outputs.map(([, one]) => `<img src="${one.url}">`).join("")}</picture>`;
  return { success: true, code: 200, outputs: Object.fromEntries(outputs), html };
}

async function originals(...names: string[]): Promise<void> {
  for (const name of names) {
    await mkdir(join(folder, name, ".."), { recursive: true });
    await writeFile(join(folder, name), `the bytes of ${name}`);
  }
}

async function run(
  change: Partial<Options> = {},
  waits: number[] = [],
  settled: (outcome: Outcome) => void = () => undefined,
): Promise<Outcome[]> {
  const options = { ...readOptions(["--format", "webp", "--key", "k", folder], {}), ...change, url } as Options;
  const sleep = async (seconds: number): Promise<void> => void waits.push(seconds);
  const client = createClient({ url, key: options.key, sleep });
  const found = withoutResults(await findOriginals(options.paths), options.body);
  return runAll(found, options, client, never, settled);
}

describe("a batch", () => {
  it("keeps the folders, and leaves the originals alone", async () => {
    await originals("a.jpg", "sub/b.png", "sub/notes.txt");
    const out = join(folder, "..", `${basename(folder)}-out`);
    try {
      const outcomes = await run({ out });
      expect(outcomes.map(({ kind }) => kind)).toEqual(["written", "written"]);
      expect((await readdir(out, { recursive: true })).sort()).toEqual(["a.webp", "sub", "sub/b.webp"]);
      expect(await readFile(join(folder, "a.jpg"), "utf8")).toBe("the bytes of a.jpg");
      expect(await readFile(join(out, "a.webp"), "utf8")).toBe("the bytes");
    } finally {
      await rm(out, { recursive: true, force: true });
    }
  });

  it("takes what is never written too, and calls its result as such results are called", async () => {
    await originals("a.svgz", "b.JFIF", "c.j2k", "notes.txt");
    expect(await findOriginals([folder])).toHaveLength(3);
    const outcomes = await run(readOptions(["--key", "k", folder], {}));
    expect(outcomes.map(({ kind }) => kind)).toEqual(["written", "written", "written"]);
    expect(expectedName({ path: join(folder, "a.svgz"), folder: "" }, undefined)).toBe("a.svg");
    expect(expectedName({ path: join(folder, "a.svgz"), folder: "" }, "jpeg")).toBe("a.jpg");
    expect(expectedName({ path: join(folder, "b.JFIF"), folder: "" }, "auto")).toBe("b.jpg");
  });

  it("sends what the command says, and asks for bytes", async () => {
    await originals("a.jpg");
    const args = [
      "--resize",
      "1200x",
      "--quality",
      "80",
      "--data",
      '{"flip":{"horizontal":true}}',
      "--key",
      "secret",
      "--overwrite",
    ];
    await run(readOptions([...args, folder], {}));
    const data = { flip: { horizontal: true }, resize: { upscale: false, width: 1200 }, optimize: { quality: 80 } };
    expect(received).toMatchObject([
      { name: "a.jpg", data: { ...data, response: { mode: "binary" } }, key: "Bearer secret" },
    ]);
  });

  it("writes the files of a srcset and the element that shows them, which says that all of them are there", async () => {
    await originals("a photo.jpg");
    const args = ["--srcset", "320,640", "--formats", "avif,webp", "--key", "k", folder];
    const [outcome] = await run(readOptions(args, {}));
    const html = "a photo.html";
    expect(outcome).toMatchObject({ kind: "written", target: join(folder, html) });
    expect(received[0]?.data).toEqual({ srcset: { widths: [320, 640], formats: ["avif", "webp"] } });
    const names = ["a photo-320.avif", "a photo-320.webp", "a photo-640.avif", "a photo-640.webp", html, "a photo.jpg"];
    expect((await readdir(folder)).sort()).toEqual(names);
    expect(await readFile(join(folder, "a photo-640.webp"), "utf8")).toBe("the file /temp/a%20photo-640.webp");
    expect(await readFile(join(folder, html), "utf8")).toContain('<img src="a%20photo-640.webp">');
    expect(await run(readOptions([...args, "--resume"], {}))).toMatchObject([{ kind: "skipped" }]);
    expect(await run(readOptions(args, {}))).toMatchObject([{ kind: "failed" }]);
    expect(received).toHaveLength(1);
    await rm(join(folder, html));
    expect(await run(readOptions([...args, "--resume"], {}))).toMatchObject([{ kind: "written" }]);
  });

  it("does not replace a file, and does not spend a credit to find out", async () => {
    await originals("a.jpg", "a.webp");
    const [outcome] = await run({ paths: [join(folder, "a.jpg")] });
    expect(outcome).toMatchObject({ kind: "failed", reason: "a.webp exists, and --overwrite is not given" });
    expect(received).toHaveLength(0);
    expect(await readFile(join(folder, "a.webp"), "utf8")).toBe("the bytes of a.webp");
  });

  it("does not replace a file whose name only the answer tells", async () => {
    await originals("a.jpg", "a.webp");
    const [outcome] = await run({ paths: [join(folder, "a.jpg")], body: {}, out: undefined, overwrite: false });
    expect(outcome?.kind).toBe("failed");
    expect(await readdir(folder)).toEqual(["a.jpg", "a.webp"]);
  });

  it("replaces it when told to", async () => {
    await originals("a.jpg", "a.webp");
    const [outcome] = await run({ paths: [join(folder, "a.jpg")], overwrite: true });
    expect(outcome?.kind).toBe("written");
    expect(await readFile(join(folder, "a.webp"), "utf8")).toBe("the bytes");
  });

  it("goes on where an earlier run ended, at no cost, when told to", async () => {
    await originals("a.jpg", "b.jpg", "sub/c.jpg");
    const out = join(folder, "out");
    const args = ["--key", "k", "--out", out, join(folder, "a.jpg"), join(folder, "b.jpg")];
    await run(readOptions([...args.slice(0, -1), "--format", "webp"], {}));
    // Whatever format the earlier run chose.
    const outcomes = await run(readOptions([...args, "--resume"], {}));
    expect(outcomes.map(({ kind }) => kind)).toEqual(["skipped", "written"]);
    expect(received.map(({ name }) => name)).toEqual(["a.jpg", "b.jpg"]);
    expect(new Set(received.map(({ once }) => once)).size).toBe(2);
  });

  it("takes no original for the result of an earlier run", async () => {
    await originals("a.jpg");
    const [outcome] = await run(readOptions(["--resume", "--key", "k", folder], {}));
    expect(outcome).toMatchObject({ kind: "failed", reason: "a.jpg exists, and --overwrite is not given" });
  });

  it("does not let one result replace another, whatever it was told", async () => {
    await originals("a.jpg", "a.png");
    const outcomes = await run({ overwrite: true, concurrency: 1 });
    expect(outcomes.map((one) => (one.kind === "failed" ? one.reason : one.kind))).toEqual([
      "written",
      "a.webp was written already, from a.jpg",
    ]);
  });

  it("goes on after an image that fails", async () => {
    await originals("a.jpg", "b.jpg", "c.jpg");
    answer = (name) => (name === "b.jpg" ? { status: 422 } : undefined);
    const outcomes = await run();
    expect(outcomes.map(({ kind }) => kind)).toEqual(["written", "failed", "written"]);
    expect(outcomes[1]).toMatchObject({ reason: "422 The reason" });
  });

  it.each([409, 429, 503])("waits as long as a %i says, then tries again", async (status) => {
    await originals("a.jpg");
    answer = (_, attempt) => (attempt < 3 ? { status, headers: { "retry-after": "7" } } : undefined);
    const waits: number[] = [];
    const outcomes = await run({}, waits);
    expect(outcomes.map(({ kind }) => kind)).toEqual(["written"]);
    expect(waits).toEqual([7, 7]);
    // The attempts are one request.
    expect(new Set(received.map(({ once }) => once)).size).toBe(1);
  });

  it("gives up after six attempts, each after a longer wait when nothing is said", async () => {
    await originals("a.jpg");
    answer = () => ({ status: 503 });
    const waits: number[] = [];
    expect(await run({}, waits)).toMatchObject([{ kind: "failed", reason: "503 The reason" }]);
    expect(waits).toEqual([1, 2, 4, 8, 16]);
  });

  it.each([401, 402, 403])("stops at a %i: no other image would fare better", async (status) => {
    await originals("a.jpg", "b.jpg", "c.jpg");
    answer = () => ({ status });
    expect(await run({ concurrency: 1 })).toHaveLength(1);
  });
});

describe("lines of JSON", () => {
  it("say of each image what became of it, and end with the sums", async () => {
    await originals("a.jpg", "b.jpg", "c.jpg", "c.webp");
    answer = (name) => (name === "b.jpg" ? { status: 422 } : undefined);
    const out = new PassThrough();
    const report = createJsonReport(out, new PassThrough());
    const paths = ["a.jpg", "b.jpg", "c.jpg"].map((name) => join(folder, name));
    const outcomes = await run({ paths, concurrency: 1 }, [], report.settled);
    report.end(outcomes, 2);
    const lines = String(out.read()).trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      {
        path: join(folder, "a.jpg"),
        output: join(folder, "a.webp"),
        bytes_before: 18,
        bytes_after: 9,
        format: "WEBP",
        width: 40,
        height: 30,
        ...LOOKS,
        ms: expect.any(Number),
      },
      { path: join(folder, "b.jpg"), error: { status: 422, message: "The reason" } },
      {
        path: join(folder, "c.jpg"),
        error: { status: null, message: "c.webp exists, and --overwrite is not given" },
      },
      {
        images: 1,
        skipped: 0,
        kept: 0,
        failed: 2,
        not_begun: 2,
        bytes_before: 18,
        bytes_after: 9,
        ms: expect.any(Number),
      },
    ]);
  });
});

describe("lines of JSON of a srcset", () => {
  it("say of each of its files what it looks like, and sum up their bytes", async () => {
    await originals("a.jpg");
    const out = new PassThrough();
    const report = createJsonReport(out, new PassThrough());
    const { body } = readOptions(["--srcset", "320", "--formats", "avif,webp", "--key", "k", folder], {}) as Options;
    report.end(await run({ body }, [], report.settled), 0);
    const lines = String(out.read()).trimEnd().split("\n");
    const file = (format: "avif" | "webp") => ({
      output: join(folder, `a-320.${format}`),
      bytes: `the file /temp/a-320.${format}`.length,
      format: format.toUpperCase(),
      width: 320,
      height: 160,
      ...(format === "avif" ? LOOKS : { score: null, looks: null }),
    });
    const files = [file("avif"), file("webp")];
    const sizes = { bytes_before: 18, bytes_after: 2 * (files[0]?.bytes ?? 0), ms: expect.any(Number) };
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      { path: join(folder, "a.jpg"), output: join(folder, "a.html"), ...sizes, files },
      { images: 1, skipped: 0, kept: 0, failed: 0, not_begun: 0, ...sizes },
    ]);
  });
});

describe("the command", () => {
  async function command(...args: string[]): Promise<{ status: number; stdout: string; stderr: string }> {
    const script = join(ROOT, "src", "cli", "darkroom.js");
    return new Promise((resolve) => {
      execFile(process.execPath, [script, ...args], (error, stdout, stderr) => {
        resolve({ status: Number(error?.code ?? 0), stdout, stderr });
      });
    });
  }

  it("prints what was saved and ends with 0", async () => {
    await originals("a.jpg", "b.jpg");
    const { status, stdout } = await command("--url", url.href, folder, "--format", "webp");
    expect(status).toBe(0);
    expect(stdout).toMatch(/2 images +36 B +18 B +50\.0 %/);
  });

  it("ends with 1 when an image failed, and says which", async () => {
    await originals("a.jpg", "b.jpg");
    answer = (name) => (name === "b.jpg" ? { status: 415 } : undefined);
    const { status, stdout } = await command("--url", url.href, folder, "--format", "webp");
    expect(status).toBe(1);
    expect(stdout).toMatch(/1 failed:\n.*b\.jpg: 415 The reason/);
  });

  it("leaves nothing half done when it is interrupted, and says what is missing", async () => {
    await originals("a.jpg", "b.jpg", "c.jpg");
    const { promise: asked, resolve } = Promise.withResolvers<void>();
    answer = (name) => {
      if (name === "b.jpg") resolve();
      return name === "b.jpg" ? { status: 503, headers: { "retry-after": "600" } } : undefined;
    };
    const script = join(ROOT, "src", "cli", "darkroom.js");
    const args = [script, "--url", url.href, folder, "--format", "webp", "--concurrency", "1"];
    const child = execFile(process.execPath, args);
    const ended = new Promise<number | null>((resolveExit) => child.on("exit", resolveExit));
    await asked;
    child.stderr?.on("data", (text: string) => {
      if (text.includes("waiting")) child.kill("SIGINT");
    });
    expect(await ended).toBe(1);
    expect((await readdir(folder)).sort()).toEqual(["a.jpg", "a.webp", "b.jpg", "c.jpg"]);
  });

  it.each([
    [[], "Name at least one file or folder"],
    [["--resize", "big", "x"], "--resize must be like 1200x800, 1200x or x800"],
    [["--srcset", "320,wide", "x"], "--srcset must be widths like 320,640,1280"],
    [["--formats", "avif", "x"], "--formats says which files --srcset writes"],
    [["--srcset", "320", "--format", "webp", "x"], "--srcset takes --formats, not --format"],
    [["--provenance", "--sign", "x"], "--provenance writes nothing: it takes neither --out, --watch nor --sign"],
    [["--data", "[1]", "x"], "--data must be a JSON object"],
    [["--concurrency", "0", "x"], "--concurrency must be 1 to 32"],
    [["--url", "https://images.example.com", "x"], "Give the API key with --key or in DARKROOM_KEY"],
    [["--resume", "--overwrite", "x"], "--resume and --overwrite say opposite things"],
    [["--local", "--url", "http://localhost:1", "x"], "--local has an address and a key of its own"],
    [["--watch", "."], "--watch needs --out"],
    [["--watch", "--out", ".", "src"], "--out must be another folder"],
    [["--wrong", "x"], "Unknown option '--wrong'"],
    [["/nowhere/at/all"], "There is no /nowhere/at/all"],
  ])("%j ends with 2 and a reason", async (args, reason) => {
    const { status, stderr } = await command(...args);
    expect(status).toBe(2);
    expect(stderr).toContain(reason);
  });
});
