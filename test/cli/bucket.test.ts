/** `darkroom bucket` against a running service, and a store of S3's kind whose objects it works on. */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { type Around, runBucket } from "../../src/cli/batch/bucket/main.ts";
import { BUCKET_USAGE, readBucketOptions } from "../../src/cli/batch/bucket/options.ts";
import { createFollower, failureCsv, failureText } from "../../src/cli/batch/bucket/report.ts";
import { sleepFor } from "../../src/cli/batch/client.ts";
import { DEMO_KEY, LOCAL_DEFAULTS, type LocalService, startLocal } from "../../src/cli/local.ts";
import type { BatchRecord } from "../../src/clients/api-types.d.ts";
import { S3_KEYS } from "../support/stores/accounts.ts";
import { putObject } from "../support/stores/put-object.ts";
import { s3 } from "../support/stores/s3.ts";
import { serve } from "../support/stores/server.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const REGION = "eu-central-1";

let state: string;
let service: LocalService;
let store: Awaited<ReturnType<typeof serve>>;
let photo: Buffer;

beforeAll(async () => {
  state = await mkdtemp(join(tmpdir(), "bucket-"));
  photo = await readFile(join(ROOT, "src", "playground", "sample.jpg"));
  store = await serve(s3(REGION));
  const variables = { ...LOCAL_DEFAULTS, VAULT_KEY: Buffer.alloc(32, 7).toString("base64") };
  service = await startLocal({ host: "127.0.0.1", port: 0, state, variables, quiet: true });
});
afterAll(async () => {
  await service.stop();
  await store.close();
  await rm(state, { recursive: true, force: true });
});

interface Ended {
  readonly status: number;
  readonly out: string;
  readonly aside: string;
}

/** Runs the command as its program does, but for who answers its question. */
async function bucket(args: readonly string[], given: Partial<Around> = {}): Promise<Ended> {
  const [out, aside] = [new PassThrough(), new PassThrough()];
  const written = [out, aside].map((stream) => stream.setEncoding("utf8").toArray());
  const around: Around = {
    out,
    aside: aside as unknown as Around["aside"],
    signal: new AbortController().signal,
    // A look is sooner here than in a terminal.
    sleep: (seconds, signal) => sleepFor(seconds / 40, signal),
    now: () => performance.now(),
    ask: undefined,
    ...given,
  };
  const env = { DARKROOM_URL: service.url.href, DARKROOM_KEY: DEMO_KEY };
  const status = await runBucket(args, env, around).finally(() => {
    out.end();
    aside.end();
  });
  const [said = [], told = []] = await Promise.all(written);
  return { status, out: said.join(""), aside: told.join("") };
}

function post(path: string, json: object): Promise<Response> {
  const headers = { authorization: `Bearer ${DEMO_KEY}`, "content-type": "application/json" };
  return fetch(new URL(path, service.url), { method: "POST", headers, body: JSON.stringify(json) });
}

/** A connector that leads to the bucket of its name. */
async function connectorTo(name: string): Promise<string> {
  const members = { name, provider: "s3", ...S3_KEYS, endpoint: store.url, region: REGION, bucket: name };
  const answer = await post("/1.0/connectors", members);
  expect(answer.status).toBe(201);
  return ((await answer.json()) as { connector: { id: string } }).connector.id;
}

/** A bucket of its own with these objects, and a connector of the same name that leads there. */
async function bucketWith(objects: Readonly<Record<string, Buffer>>): Promise<string> {
  const name = `b-${crypto.randomUUID()}`;
  await connectorTo(name);
  for (const [key, bytes] of Object.entries(objects)) {
    await putObject({
      url: store.url,
      region: REGION,
      bucket: name,
      key,
      bytes: Uint8Array.from(bytes),
      type: "image/jpeg",
    });
  }
  return name;
}

const bytesAt = async (path: string) => Buffer.from(await (await fetch(`${store.url}/${path}`)).arrayBuffer());
const idIn = (text: string) => /[\da-f]{8}-[\da-f-]{27}/.exec(text)?.[0] ?? "";

describe("darkroom bucket start", () => {
  it("says what the batch is about, begins when it is told to, and follows it to its end", async () => {
    const name = await bucketWith({ "in/a.jpg": photo, "in/b.jpg": photo, "in/c.txt": photo, "d.jpg": photo });
    const questions: string[] = [];
    const ask = async (question: string) => questions.push(question) > 0;
    const run = await bucket(["start", `${name}/in/`, "--in-place", "--resize", "40x"], { ask });
    expect(questions).toEqual(["Replace originals by their results? [y/N] "]);
    expect(run.aside).toContain(
      `2 objects of ${((2 * photo.length) / 1000).toFixed(1)} kB, at most 2 credits; 1 others`,
    );
    expect(run.aside).toMatch(/\nAbout [\d.]+ kB saved \(\d\d\.\d %\)\.\nAbout \$0\.0\d+ on the operator's bill/);
    expect(run.aside).toMatch(/It rests on a trial of 2 objects of .* kB, \d+ s of processor time/);
    expect(run.out).toMatch(/: done\n2 done: .* kB to .*\(\d\d\.\d %\)\.\n$/);
    expect(run.status).toBe(0);
    expect((await bytesAt(`${name}/in/a.jpg`)).length).toBeLessThan(photo.length / 10);
    expect(await bytesAt(`${name}/d.jpg`)).toEqual(photo);
  });

  it("begins nothing without a yes, and tells with --json what it would", async () => {
    const name = await bucketWith({ "a.jpg": photo });
    const refused = await bucket(["start", name, "--in-place"], { ask: async () => false });
    expect([refused.status, refused.out]).toEqual([0, ""]);
    expect(refused.aside).toContain("Nothing was begun.");
    const unasked = await bucket(["start", name, "--in-place"]);
    expect([unasked.status, unasked.out]).toEqual([2, ""]);
    const dry = await bucket(["start", name, "--in-place", "--dry-run", "--json"]);
    const estimate = { objects: 1, bytes: photo.length, credits: 1 };
    expect([dry.status, JSON.parse(dry.out)]).toMatchObject([0, { dry_run: true, state: "done", estimate }]);
    expect(await bytesAt(`${name}/a.jpg`)).toEqual(photo);
  });

  it("writes results elsewhere, lists what has failed, and ends with 1", async () => {
    const name = await bucketWith({ "in/a.jpg": photo, 'in/b "x".jpg': photo.subarray(0, 40) });
    const args = ["start", `${name}/in/`, "--to", `${name}/out/`, "--format", "webp", "--resize", "40x", "--yes"];
    const run = await bucket(args);
    expect([run.status, run.out]).toEqual([1, expect.stringContaining("1 failed: darkroom bucket failures ")]);
    expect((await bytesAt(`${name}/out/a.jpg.webp`)).subarray(8, 12).toString()).toBe("WEBP");
    const failures = await bucket(["failures", idIn(run.out), "--csv"]);
    expect(failures.out).toMatch(/^key,error,reason,at\n"in\/b ""x""\.jpg",[a-z.]+,[^\n]+,\d{4}-[^\n]+Z\n$/);
    const told = await bucket(["failures", idIn(run.out), "--json"]);
    expect(JSON.parse(told.out)).toMatchObject({ key: 'in/b "x".jpg' });
    const shown = await bucket(["show", idIn(run.out)]);
    expect([shown.status, shown.out]).toEqual([1, run.out]);
  });
});

describe("darkroom bucket duplicates", () => {
  it("lists pictures that look alike, where the batch has noted how they look", async () => {
    const name = await bucketWith({ "a.jpg": photo, "b.jpg": photo });
    const args = ["start", name, "--in-place", "--resize", "200x", "--duplicates", "--yes"];
    const run = await bucket(args);
    expect(run.status).toBe(0);
    const listed = await bucket(["duplicates", idIn(run.out)]);
    expect(["a.jpg\n  b.jpg\n", "b.jpg\n  a.jpg\n"]).toContain(listed.out);
    const csv = await bucket(["duplicates", idIn(run.out), "--csv"]);
    expect(csv.out).toMatch(/^key,duplicate,phash\n[ab]\.jpg,[ab]\.jpg,[\da-f]{16}\n$/);
  });
});

describe("darkroom bucket", () => {
  it("pauses, resumes and cancels, and says that a batch is not over", async () => {
    const name = await bucketWith({ "a.jpg": photo });
    const args = ["start", name, "--in-place", "--resize", "40x", "--yes", "--detach", "--json"];
    const { id } = JSON.parse((await bucket(args)).out) as BatchRecord;
    const paused = await bucket(["pause", id]);
    expect(paused.out).toMatch(/: (?:paused|done)/);
    const followed = await bucket(["follow", id]);
    expect(followed.status).toBe(paused.out.includes("paused") ? 3 : 0);
    expect((await bucket(["resume", id])).status).toBe(0);
    expect((await bucket(["follow", id])).status).toBe(0);
    expect((await bucket(["cancel", id])).out).toContain(`${id}: done`);
    const list = await bucket(["list"]);
    expect(list.out).toMatch(/^Batch +State +Objects +Saved +Begun\n/);
    expect(list.out).toMatch(new RegExp(`${id} +done +1/1 +[\\d.]+ kB +\\d{4}-`));
    expect(list.out).toMatch(/done, dry run +1 +0 B/);
  });

  it("ends a dry run that is interrupted, and leaves a batch to the service when its following is", async () => {
    // A store that asks for time again and again: its list is not read while anybody looks.
    const connector = await connectorTo("fails-always");
    const interrupted = (...args: string[]) => {
      const interruption = new AbortController();
      return bucket(args, { signal: interruption.signal, sleep: async () => interruption.abort() });
    };
    expect((await interrupted("start", "fails-always", "--in-place")).status).toBe(3);
    const [newest = ""] = (await bucket(["list", "--json"])).out.split("\n");
    const dry = await bucket(["show", (JSON.parse(newest) as BatchRecord).id, "--json"]);
    expect([dry.status, JSON.parse(dry.out)]).toMatchObject([1, { dry_run: true, state: "canceled" }]);
    const begun = await post("/1.0/batches", { source: { connector }, target: "in-place" });
    const { id } = ((await begun.json()) as { batch: BatchRecord }).batch;
    const run = await interrupted("follow", id);
    expect([run.status, run.aside]).toEqual([3, expect.stringContaining(`goes on: darkroom bucket follow ${id}`)]);
    expect((await bucket(["show", id])).out).toContain(`${id}: listing`);
    expect((await bucket(["cancel", id])).out).toContain(`${id}: canceled`);
  });

  it("says in one line what the service refuses", async () => {
    const unknown = await bucket(["show", crypto.randomUUID()]);
    expect(unknown).toMatchObject({ status: 2, aside: "Resource not found\n" });
    await expect(bucket(["start", "nowhere", "--in-place"])).rejects.toThrow("There is no connector nowhere");
    const name = await bucketWith({});
    const format = await bucket(["start", name, "--in-place", "--format", "webp", "--yes"]);
    expect(format.status).toBe(2);
    expect(format.aside).toContain("output.format must not be given with target in-place");
  });

  it("is a part of the command", async () => {
    const script = join(ROOT, "src", "cli", "darkroom.js");
    const ended = (...args: string[]) =>
      new Promise<Ended>((resolve) => {
        execFile(process.execPath, [script, "bucket", ...args], (error, out, aside) => {
          resolve({ status: Number(error?.code ?? 0), out, aside });
        });
      });
    expect(await ended("--help")).toMatchObject({ status: 0, out: `${BUCKET_USAGE}\n` });
    expect(await ended("begin")).toMatchObject({ status: 2, out: "" });
  });
});

describe("a command that is wrong", () => {
  it.each([
    [[], "bucket takes start, list, show, follow, pause, resume, cancel, failures or duplicates"],
    [["start"], "Name the connector of the bucket"],
    [["start", "c"], "Say where results go: --in-place or --to <place>"],
    [["start", "c", "--in-place", "--to", "d"], "Say where results go: --in-place or --to <place>"],
    [["start", "/x", "--in-place"], "A place begins with the id or the name of a connector"],
    [["start", "c", "--in-place", "--only-if-smaller", "x"], "--only-if-smaller must be 0 to 99"],
    [["start", "c", "d", "--in-place"], "bucket start takes no d"],
    [["pause"], "Name the batch: darkroom bucket pause <batch>"],
    [["pause", "b", "--yes"], "bucket pause takes no --yes"],
    [["start", "c", "--in-place", "--csv"], "bucket start takes no --csv"],
    [["failures", "b", "--csv", "--json"], "--csv and --json are two forms of one list"],
  ])("%j is refused", (args, reason) => {
    expect(() => readBucketOptions(args, {})).toThrow(reason);
  });
});

describe("what is shown of a batch", () => {
  const counts = {
    found: 1000,
    found_bytes: 1e6,
    listed: true,
    others: 0,
    skipped: 10,
    bytes_before: 9e6,
    bytes_after: 4e6,
  };
  const batchAt = (done: number, state: BatchRecord["state"] = "running") =>
    ({ id: "b", state, dry_run: false, counts: { ...counts, done, failed: 5 } }) as BatchRecord;

  function streamOf(isTTY: boolean) {
    const stream = Object.assign(new PassThrough(), { isTTY, columns: 120 });
    const lines = stream.setEncoding("utf8").toArray();
    const all = async () => {
      stream.end();
      return (await lines).join("");
    };
    return { stream: stream as unknown as NodeJS.WriteStream, all };
  }

  it("is one line on a terminal, with the pace and what is left", async () => {
    const { stream, all } = streamOf(true);
    let now = 0;
    const follower = createFollower(stream, () => now);
    follower.seen(batchAt(85));
    now = 10_000;
    follower.seen(batchAt(285));
    follower.end();
    const drawn = (await all()).split("\r\u001b[K");
    expect(drawn.at(-2)).toBe("███████░░░░░░░░░░░░░░░░░ 300/1,000, 5.00 MB saved, 5 failed, 20.0/s, 35 s left");
    expect(drawn.at(-1)).toBe("");
  });

  it("is a line in a log now and then, and at once when the state is another one", async () => {
    const { stream, all } = streamOf(false);
    let now = 0;
    const follower = createFollower(stream, () => now);
    for (; now < 20_000; now += 2_000) follower.seen(batchAt(now / 1_000));
    follower.seen(batchAt(20, "paused"));
    const lines = (await all()).trimEnd().split("\n");
    expect(lines.map((line) => line.slice(0, 18))).toEqual([
      "running: 15/1,000,",
      "running: 31/1,000,",
      "paused: 35/1,000, ",
    ]);
  });

  it("has no controls of a terminal, and cells as RFC 4180 has them", () => {
    const failed = { key: 'a\u001b[31m,"b".jpg', error: "e", reason: "r\nx", at: "2026" };
    expect(failureText(failed)).toBe('a[31m,"b".jpg: rx');
    expect(failureCsv(failed)).toBe('"a\u001b[31m,""b"".jpg",e,"r\nx",2026');
  });
});
