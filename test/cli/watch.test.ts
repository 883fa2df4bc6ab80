/** Folders that are watched: what is taken, when, and what may be replaced. */
import { appendFile, mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

import { afterEach, beforeEach, expect, it } from "vitest";

import { ApiFailure, type Client, type Processed } from "../../src/cli/batch/client.ts";
import { findOriginals } from "../../src/cli/batch/files.ts";
import { type Options, readOptions } from "../../src/cli/batch/options.ts";
import type { Outcome } from "../../src/cli/batch/outcome.ts";
import { runAll } from "../../src/cli/batch/run.ts";
import { watchOriginals } from "../../src/cli/batch/watch.ts";
import type { SetSuccess } from "../../src/clients/api-types.d.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "watch-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function originals(...names: string[]): Promise<void> {
  for (const name of names) {
    await mkdir(join(folder, name, ".."), { recursive: true });
    await writeFile(join(folder, name), `the bytes of ${name}`);
  }
}

/** Gives back half of the bytes, as WebP. */
const half: Client = {
  process: async (name, bytes) => {
    const output = { name: name.replace(/\.\w+$/, ".webp"), format: "WEBP", width: 1, height: 1 };
    return { bytes: bytes.subarray(0, bytes.length / 2), facts: { output } } as Processed;
  },
  processSet: async (name, bytes) => {
    const file = name.replace(/\.\w+$/, "-9.webp");
    const output = { name: file, url: `data:,${bytes.length}`, format: "WEBP", width: 9, height: 9 };
    return { outputs: { "9.webp": output }, html: `<img src="${output.url}">` } as unknown as SetSuccess;
  },
  describe: async () => Promise.reject(new Error("Nobody asks")),
  download: async (url) => new TextEncoder().encode(url),
};

const INTERVAL_MS = 20;
const source = () => join(folder, "in");
const out = () => join(folder, "out");

/** Watches until a step, which comes after every image, says that enough was seen. */
async function watch(
  change: Partial<Options>,
  step: (outcomes: readonly Outcome[]) => Promise<"stop" | undefined>,
  client: Client = half,
): Promise<Outcome[]> {
  const options = {
    ...readOptions(["--watch", "--format", "webp", "--key", "k", "--out", out(), source()], {}),
    ...change,
  } as Options;
  const stop = new AbortController();
  const seen: Outcome[] = [];
  const settled = (outcome: Outcome): void => {
    seen.push(outcome);
    void step(seen).then((word) => word === "stop" && stop.abort());
  };
  const coming = (signal: AbortSignal) => watchOriginals(options, signal, INTERVAL_MS);
  await runAll(coming, options, client, stop.signal, settled);
  return seen;
}

it("takes what is there, what comes and what was changed, and replaces its own results only", async () => {
  await originals("in/a.jpg", "out/mine.webp");
  const seen = await watch({}, async (outcomes) => {
    if (outcomes.length === 1) await originals("in/sub/b.png", "in/mine.jpg", "in/notes.txt");
    if (outcomes.length === 3) await writeFile(join(source(), "a.jpg"), "something longer than it was before");
    return outcomes.length === 4 ? "stop" : undefined;
  });
  expect(
    seen
      .map(({ kind, path }) => [path.slice(source().length + 1), kind])
      .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
  ).toEqual([
    ["a.jpg", "written"],
    ["a.jpg", "written"],
    ["mine.jpg", "failed"],
    ["sub/b.png", "written"],
  ]);
  expect(await readFile(join(out(), "a.webp"), "utf8")).toBe("something longer ");
  expect(await readFile(join(out(), "mine.webp"), "utf8")).toBe("the bytes of out/mine.webp");
});

it("replaces the files of a srcset and their element where the image was changed, and no other ones", async () => {
  await originals("in/a.jpg", "in/b.jpg", "out/b-9.webp");
  const { body } = readOptions(["--srcset", "9", "x"], {}) ?? {};
  const seen = await watch({ ...(body && { body }) }, async (outcomes) => {
    if (outcomes.length === 2) await writeFile(join(source(), "a.jpg"), "something longer than it was before");
    return outcomes.length === 3 ? "stop" : undefined;
  });
  const outcomes = seen.map(({ kind, path }) => `${path.at(-5)} ${kind}`);
  expect(outcomes.toSorted((one, other) => one.localeCompare(other))).toEqual(["a written", "a written", "b failed"]);
  expect(await readFile(join(out(), "a-9.webp"), "utf8")).toBe("data:,35");
  expect(await readFile(join(out(), "a.html"), "utf8")).toBe('<img src="a-9.webp">\n');
  expect(await readFile(join(out(), "b-9.webp"), "utf8")).toBe("the bytes of out/b-9.webp");
});

it("waits until a file has stopped growing", async () => {
  await originals("in/a.jpg");
  const options = { paths: [source()], out: out() };
  const stop = new AbortController();
  const images = watchOriginals(options, stop.signal, INTERVAL_MS);
  const first = images.next();
  let size = 0;
  for (; size < 5; size += 1) {
    await appendFile(join(source(), "a.jpg"), "more");
    await wait(INTERVAL_MS);
  }
  const { value } = await first;
  // Whatever pause between two appends was taken for the end, the file is given again when it grew after it.
  let given = (await stat((value as { path: string }).path)).size;
  const whole = "the bytes of in/a.jpg".length + 4 * size;
  while (given < whole) given = await images.next().then(async () => (await stat(join(source(), "a.jpg"))).size);
  stop.abort();
  expect(given).toBe(whole);
  expect((await images.next()).done).toBe(true);
});

it("takes no result of an earlier run in a folder below for an original", async () => {
  await originals("in/a.jpg", "in/out/b.webp");
  const found = await findOriginals([source()], join(source(), "out"));
  expect(found.map(({ path }) => path)).toEqual([join(source(), "a.jpg")]);
  expect(await findOriginals([source()], source())).toHaveLength(2);
});

it("goes on where an earlier run ended, and then with what is changed", async () => {
  await originals("in/a.jpg", "out/a.webp");
  const seen = await watch({ resume: true }, async (outcomes) => {
    if (outcomes.length === 1) await writeFile(join(source(), "a.jpg"), "something longer than it was before");
    return outcomes.length === 2 ? "stop" : undefined;
  });
  expect(seen.map(({ kind }) => kind)).toEqual(["skipped", "written"]);
});

it("ends when no other image would fare better", async () => {
  await originals("in/a.jpg");
  const refused = { ...half, process: () => Promise.reject(new ApiFailure(401, "The reason")) };
  expect(await watch({}, async () => undefined, refused)).toMatchObject([{ kind: "failed", error: { status: 401 } }]);
});
