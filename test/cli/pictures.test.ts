/** Pictures at a host of their own: a third Worker, against a stand-in for wrangler and by the real one. */
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { ROOT, wrangler } from "../../src/cli/wrangler.ts";
import { writeFakeWrangler } from "../support/fake-wrangler.ts";
import { type Ended, runCommand } from "../support/run-command.ts";
import { dryDeploy } from "../support/wrangler-config.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "pictures-"));
  await writeFakeWrangler(folder);
  await writeFile(join(folder, "account.json"), JSON.stringify({ login: true, databases: [] }));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function deploy(...flags: string[]): Promise<Ended> {
  await writeFile(join(folder, "log"), "");
  return runCommand(folder, ["src/cli/deploy.ts", ...flags]);
}

interface Account {
  readonly config: string;
  readonly pictures?: { readonly secrets: object; readonly config: string };
}

const account = async () => JSON.parse(await readFile(join(folder, "account.json"), "utf8")) as Account;
/** Whom each upload was of, in order. */
const uploads = async () =>
  (await readFile(join(folder, "log"), "utf8"))
    .split("\n")
    .flatMap((line) => /^deploy --config \S+?([\w-]+)\.json/.exec(line)?.[1] ?? []);

const APART = ["--domain", "api.example.com", "--pictures", "img.example.com"];

describe("a deployment with a host for its pictures", () => {
  it("has a Worker there whose cache answers first, and each is bound to the other", async () => {
    const { status, stdout, stderr } = await deploy(...APART);
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toContain('done     Worker "darkroom-pictures": https://img.example.com');
    expect(await uploads()).toEqual(["darkroom-pictures-first", "deploy", "darkroom-pictures"]);
    const { config, pictures } = await account();
    expect(JSON.parse(config)).toMatchObject({
      name: "darkroom",
      routes: [{ pattern: "api.example.com" }],
      services: [{ binding: "PICTURES", service: "darkroom-pictures" }],
    });
    expect(JSON.parse(pictures?.config ?? "")).toEqual({
      name: "darkroom-pictures",
      main: "../src/pictures.ts",
      compatibility_date: expect.any(String),
      compatibility_flags: expect.any(Array),
      keep_names: true,
      minify: true,
      observability: expect.objectContaining({ enabled: true }),
      upload_source_maps: true,
      workers_dev: false,
      preview_urls: false,
      routes: [{ pattern: "img.example.com", custom_domain: true }],
      cache: { enabled: true, cross_version_cache: true },
      services: [{ binding: "SERVICE", service: "darkroom" }],
    });
    expect(pictures?.secrets).toEqual({});
  });

  it("is never without the Worker again: an upgrade uploads the door once, behind it", async () => {
    await deploy(...APART);
    expect((await deploy()).status).toBe(0);
    expect(await uploads()).toEqual(["deploy", "darkroom-pictures"]);
  });

  it("is told by --check, which makes nothing", async () => {
    const { stdout } = await deploy("--check", ...APART);
    expect(stdout).toContain('missing  Worker "darkroom-pictures": https://img.example.com');
    expect(stdout).toContain("builds   The Worker of its pictures");
    expect(await uploads()).toEqual([]);
  });

  it("is none of an environment beside it, and none any more when it is taken away", async () => {
    await deploy(...APART);
    await deploy("--env", "staging", "--domain", "workers.dev");
    expect(JSON.parse((await account()).config)).not.toHaveProperty("services");
    await deploy("--pictures", "workers.dev");
    expect(JSON.parse((await account()).config)).not.toHaveProperty("services");
    expect(await uploads()).toEqual(["deploy"]);
  });

  it.each([
    [["--pictures", "https://img.example.com/"], "pictures must be a host"],
    [["--domain", "img.example.com", "--pictures", "img.example.com"], "pictures must be another host than domain"],
  ])("says what is wrong with %j before anything is made", async (flags, said) => {
    const { status, stderr } = await deploy(...flags);
    expect([status, stderr]).toEqual([1, expect.stringContaining(said)]);
    expect(await readFile(join(folder, "log"), "utf8")).toBe("");
  });
});

it("is a script of ten kilobytes, which the real wrangler accepts, and so is the Worker bound to it", async () => {
  await deploy(...APART);
  const out = join(folder, "bundle");
  const dry = (config: string, ...more: string[]) =>
    wrangler(["deploy", "--dry-run", "--config", join(ROOT, ".wrangler", config), ...more]);
  for (const [config, more] of [
    ["darkroom-pictures.json", ["--outdir", out]],
    ["darkroom-pictures-first.json", []],
  ] as const) {
    const { status, stdout, stderr } = await dry(config, ...more);
    expect([config, status, `${stdout}${stderr}`]).toEqual([config, 0, expect.not.stringMatching(/warning/i)]);
  }
  const bound = await dryDeploy(folder, (await account()).config);
  expect([bound.status, `${bound.stdout}${bound.stderr}`]).toEqual([0, expect.not.stringMatching(/warning/i)]);
  expect((await readdir(out)).filter((name) => /\.(?:js|wasm|bin|woff2)$/.test(name))).toEqual(["pictures.js"]);
  expect((await stat(join(out, "pictures.js"))).size).toBeLessThan(10_000);
});
