/** What is asked of a platform, against the local runtime and a stand-in for wrangler. */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";

import { LOCAL_DEFAULTS, type LocalService, startLocal } from "../../src/cli/local.ts";
import { MOST_DOLLARS, Spending } from "../../src/cli/prove/spending.ts";
import { objectsIn } from "../../src/cli/prove/tail.ts";
import { ROOT, wrangler } from "../../src/cli/wrangler.ts";
import { writeFakeWrangler } from "../support/fake-wrangler.ts";

const TOKEN = "token-of-the-operator";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "prove-test-"));
  await writeFakeWrangler(folder);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function setAccount(account: object): Promise<void> {
  await writeFile(join(folder, "account.json"), JSON.stringify({ login: true, databases: [], ...account }));
  await writeFile(join(folder, "log"), "");
}

async function account(): Promise<Record<string, unknown>> {
  return JSON.parse(await readFile(join(folder, "account.json"), "utf8")) as Record<string, unknown>;
}

const asked = async () => (await readFile(join(folder, "log"), "utf8")).trim().split("\n");

async function prove(...flags: string[]): Promise<{ status: number; stdout: string; stderr: string }> {
  const { CLOUDFLARE_API_TOKEN: _token, CLOUDFLARE_ACCOUNT_ID: _account, ...outer } = process.env;
  const env = {
    ...outer,
    ADMIN_TOKEN: TOKEN,
    DARKROOM_SETTINGS: join(folder, "darkroom.json"),
    PATH: `${folder}${delimiter}${process.env["PATH"]}`,
  };
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      ["src/cli/prove.ts", ...flags],
      { cwd: ROOT, env },
      (error, stdout, stderr) => resolve({ status: error === null ? 0 : 1, stdout, stderr }),
    );
    child.stdin?.end();
  });
}

let state: string;
let service: LocalService;
beforeAll(async () => {
  state = await mkdtemp(join(tmpdir(), "prove-state-"));
  const variables = { ...LOCAL_DEFAULTS, ADMIN_TOKEN: TOKEN, VAULT_KEY: Buffer.alloc(32, 1).toString("base64") };
  const main = join(ROOT, "src", "cli", "prove", "worker.ts");
  service = await startLocal({ host: "127.0.0.1", port: 0, state, variables, quiet: true, main });
});
afterAll(async () => {
  await service.stop();
  await rm(state, { recursive: true, force: true });
});

it("finds out all that it asks for, and takes away all that it has made", async () => {
  await setAccount({ url: service.url.href });
  const { status, stdout, stderr } = await prove("--short", "--yes");
  expect([status, stderr]).toEqual([0, expect.not.stringContaining("Left in the account")]);
  const rows = new Map(
    [...stdout.matchAll(/^\| (.*?) +\| (.*) \|$/gm)].map(([, question = "", answer = ""]) => [question, answer]),
  );
  expect([...rows.keys()].filter((question) => question.startsWith("Not found out"))).toEqual([]);
  const found = {
    "Stack switching (JSPI)": "there",
    "`caches.default` on this host": "keeps",
    "The same, once a buffer was refused that no machine has": "8 of 8: refusing collects",
    "Isolates for 8 uploads at once": "1",
    "Of these, refused with 503": "0 (200: 8)",
    "Most that an isolate held beside the service": "16 MiB, of 1 isolates and 16 MiB asked for",
    "The first upload of an isolate": expect.stringMatching(/^1: .* ms of processor time/) as string,
    "Later uploads": expect.stringMatching(/^5: .* ms of processor time/) as string,
    "A computation in an object, of 1": expect.stringMatching(/log: Worker 7 ms, object 5 ms$/) as string,
    "Milliseconds to R2, a write": expect.stringMatching(/^\d+ \(\d+ to \d+\)$/) as string,
    "A picture by address, asked for again": expect.stringMatching(/^miss/) as string,
  };
  expect(Object.fromEntries(rows)).toMatchObject(found);
  expect(stdout).toMatch(/It has cost at most \$0\.\d{3}\./);
  expect(stdout + stderr).not.toContain(TOKEN);
  const { bucket, queue, databases, secrets } = await account();
  expect([bucket, queue, databases, secrets]).toEqual([undefined, undefined, [], undefined]);
  const names = (await asked()).filter((line) => /create|delete|deploy --config/.test(line));
  expect(names.filter((line) => !/darkroom-prove|prove-deploy/.test(line))).toEqual([]);
  expect(await objectsLeft()).toBe(0);
  await expect(readFile(join(ROOT, ".wrangler", "prove-deploy-secrets.json"))).rejects.toThrow("ENOENT");
  // What was given to the stand-in is a deployment that the real wrangler accepts.
  const config = join(ROOT, ".wrangler", "prove-deploy.json");
  const outcome = await wrangler(["deploy", "--dry-run", "--config", config, "--outdir", join(folder, "bundle")]);
  expect([outcome.status, `${outcome.stdout}${outcome.stderr}`]).toEqual([0, expect.not.stringMatching(/warning/i)]);
});

/** Objects that are left in the bucket of the local service. */
async function objectsLeft(): Promise<number> {
  const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
  const answer = await fetch(new URL("/prove/empty", service.url), { method: "POST", headers, body: "{}" });
  return ((await answer.json()) as { objects: number }).objects;
}

it("answers nobody else at the addresses of the probe", async () => {
  for (const headers of [{}, { authorization: "Bearer another" }]) {
    const answer = await fetch(new URL("/prove/hold", service.url), { method: "POST", headers, body: "{}" });
    expect(answer.status).toBe(404);
  }
});

it("does nothing where nobody agrees", async () => {
  await setAccount({});
  const { status, stdout, stderr } = await prove();
  expect([status, stderr]).toEqual([1, expect.stringContaining("say --yes")]);
  expect(stdout).toContain('Worker "darkroom-prove"');
  expect(stdout).toContain(`at most $${MOST_DOLLARS.toFixed(2)}`);
  expect(await asked()).toEqual([""]);
});

it("touches nothing that has its name already", async () => {
  await setAccount({ bucket: "darkroom-prove" });
  const { status, stderr } = await prove("--yes");
  expect([status, stderr]).toEqual([1, expect.stringContaining("is there already, and nothing was done")]);
  expect((await asked()).filter((line) => /create|delete|deploy/.test(line))).toEqual([]);
});

it("stays away from an environment of its name", async () => {
  await setAccount({});
  await writeFile(join(folder, "darkroom.json"), JSON.stringify({ name: "darkroom", environments: { prove: {} } }));
  const { status, stderr } = await prove("--yes");
  expect([status, stderr]).toEqual([1, expect.stringContaining("call it something else")]);
  expect(await asked()).toEqual([""]);
});

it("takes away what it has made where it fails in its midst", async () => {
  await setAccount({ broken: "d1 migrations apply" });
  const { status, stderr } = await prove("--yes");
  expect([status, stderr]).toEqual([1, expect.stringContaining("wrangler d1 failed")]);
  const { bucket, queue, databases } = await account();
  expect([bucket, queue, databases]).toEqual([undefined, undefined, []]);
});

it("says what is left where something is not deleted, and --clean takes it away", async () => {
  await setAccount({ url: service.url.href, broken: "r2 bucket delete" });
  const { status, stderr } = await prove("--clean", "--yes");
  expect([status, stderr]).toEqual([1, expect.stringContaining("npx wrangler r2 bucket delete darkroom-prove")]);
  const left = await account();
  await setAccount({ ...left, broken: undefined });
  expect(await prove("--clean", "--yes")).toMatchObject({ status: 0 });
  expect((await account())["bucket"]).toBeUndefined();
});

it("asks for nothing more where it would cost more than it may", () => {
  const spending = new Spending();
  expect(() => {
    for (let request = 0; request < 1e6; request += 1) spending.add({ writes: 1 });
  }).toThrow(`It would cost more than $${MOST_DOLLARS.toFixed(2)}`);
  expect(spending.dollars).toBeLessThanOrEqual(MOST_DOLLARS);
  expect(spending.dollars).toBeGreaterThan(0.9 * MOST_DOLLARS);
});

it("reads a log that comes in pieces", () => {
  const text = `{"a": "}{\\"", "b": {"c": 1}}\n{"d": 2}\n`;
  for (let cut = 0; cut <= text.length; cut += 1) {
    const first = objectsIn(text.slice(0, cut));
    const second = objectsIn(first.rest + text.slice(cut));
    expect([...first.objects, ...second.objects]).toEqual([{ a: '}{"', b: { c: 1 } }, { d: 2 }]);
  }
});
