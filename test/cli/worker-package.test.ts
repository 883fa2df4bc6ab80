/**
 * The package of the Worker and the starter: packed, checked, installed into a project that the starter made, deployed to a
 * stand-in for the platform, upgraded with the settings kept, and put back.
 */
import { execFile } from "node:child_process";
import { cp, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";

import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { writeFakeWrangler } from "../support/fake-wrangler.ts";
import { namesIn, npm, packed } from "../support/npm.ts";
import { type Registry, startRegistry } from "../support/registry.ts";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "..", "..");
const CREATE = join(ROOT, "src", "cli", "create");

let folder: string;
let project: string;
/** The package in two versions. */
let tarballs: readonly [string, string];
let folders: readonly [string, string];
let registry: Registry;

async function messagesOf(tarball: string): Promise<(string | undefined)[]> {
  const { messages, pkg } = await publint({ pack: { tarball: new Uint8Array(await readFile(tarball)).buffer } });
  return messages.map((message) => formatMessage(message, pkg));
}

/** How a command ended, and what it said. */
async function ended(file: string, args: readonly string[], cwd: string) {
  const { ADMIN_TOKEN: _token, VAULT_KEY: _key, CI: _ci, WORKERS_CI: _build, ...outer } = process.env;
  const env = { ...outer, PATH: `${folder}${delimiter}${outer["PATH"]}` };
  return run(process.execPath, [file, ...args], { cwd, env }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  );
}

const worker = (...args: readonly string[]) =>
  ended(join(project, "node_modules", "@darkroom-images", "worker", "bin", "darkroom-worker.js"), args, project);
const QUIET = ["--prefer-offline", "--no-audit", "--no-fund"];

interface Deployed {
  readonly name: string;
  readonly main: string;
  readonly account_id?: string;
  readonly vars: Record<string, string>;
  readonly routes?: readonly object[];
  readonly r2_buckets: readonly { bucket_name: string }[];
  readonly d1_databases: readonly { database_name: string; database_id: string; migrations_dir: string }[];
}

const setAccount = () => writeFile(join(folder, "account.json"), JSON.stringify({ login: true, databases: [] }));
/** The configuration that the account was given last. */
async function deployed(): Promise<Deployed> {
  const { config } = JSON.parse(await readFile(join(folder, "account.json"), "utf8")) as { config: string };
  return JSON.parse(config) as Deployed;
}

/** The configuration of the Worker of its objects. */
async function deployedObjects(): Promise<Deployed> {
  const { objects } = JSON.parse(await readFile(join(folder, "account.json"), "utf8")) as {
    readonly objects: { readonly config: string };
  };
  return JSON.parse(objects.config) as Deployed;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "worker-package-"));
  await writeFakeWrangler(folder);
  await setAccount();
  const built = join(folder, "built");
  await run(process.execPath, [join(ROOT, "src", "cli", "package", "build-worker.js"), built]);
  const now = await packed(built, folder);
  const next = join(folder, "next");
  await cp(built, next, { recursive: true });
  const manifest = JSON.parse(await readFile(join(next, "package.json"), "utf8")) as object;
  await writeFile(join(next, "package.json"), JSON.stringify({ ...manifest, version: "0.2.0" }));
  await writeFile(join(next, "migrations", "9999_next.sql"), "SELECT 1;\n");
  tarballs = [now, await packed(next, folder)];
  folders = [built, next];
  registry = await startRegistry();
  await registry.publish(built, now);
  project = join(folder, "my-images");
  const asked = ["--yes", "--domain", "img.example.com", "--staging", "img-staging.example.com"];
  const made = await ended(join(CREATE, "create.js"), [project, ...asked, "--account", "0".repeat(32)], folder);
  expect(made).toMatchObject({ code: 0, stderr: "" });
  await writeFile(join(project, ".npmrc"), registry.npmrc);
  await npm(["install", ...QUIET], project);
});
afterAll(async () => {
  registry.stop();
  await rm(folder, { recursive: true, force: true });
});

/** The words of the documentation between these two, as the arguments of npm; `version` is the one before. */
async function told(beginning: string, version = ""): Promise<readonly string[]> {
  const page = await readFile(join(ROOT, "src", "docs", "deploy.md"), "utf8");
  const [, command] =
    new RegExp(`^- \\*\\*${beginning}\\*\\*: \`npm (install .*?) && .*npm run deploy\``, "m").exec(page) ?? [];
  if (command === undefined) throw new Error(`deploy.md says no command behind "${beginning}"`);
  return command.replace("<the version before>", version).split(" ");
}

describe("the starter", () => {
  it("is a package by the rules of publint, and small", async () => {
    const tarball = await packed(CREATE, folder);
    expect(await messagesOf(tarball)).toEqual([]);
    expect((await stat(tarball)).size).toBeLessThan(5_000);
  });

  it("writes settings of the user's own, and depends on the Worker of its version", async () => {
    expect((await readdir(project)).sort()).toEqual(
      expect.arrayContaining([".gitignore", "README.md", "darkroom.json", "package.json"]),
    );
    expect(JSON.parse(await readFile(join(project, "darkroom.json"), "utf8"))).toEqual({
      name: "my-images",
      account: "0".repeat(32),
      domain: "img.example.com",
      objects: "apart",
      vars: {},
      environments: { staging: { domain: "img-staging.example.com" } },
    });
    const versions = [join(CREATE, "package.json"), join(ROOT, "src", "cli", "package", "worker", "package.json")];
    const [own, its] = await Promise.all(versions.map(async (file) => JSON.parse(await readFile(file, "utf8"))));
    expect((own as { version: string }).version).toBe((its as { version: string }).version);
  });

  it.each([
    [["--name", "My Images"], "The name must match"],
    [["--domain", "https://img.example.com"], "The domain must match"],
    [["--account", "mine"], "The account must match"],
    [["--nope"], "Unknown option"],
  ])("says what is wrong with %j, and writes nothing", async (args, said) => {
    const { code, stderr } = await ended(join(CREATE, "create.js"), [join(folder, "no"), "--yes", ...args], folder);
    expect([code, stderr]).toEqual([1, expect.stringContaining(said)]);
    await expect(stat(join(folder, "no"))).rejects.toThrow("ENOENT");
  });

  it("lays nothing over what is there", async () => {
    const { code, stderr } = await ended(join(CREATE, "create.js"), [project, "--yes"], folder);
    expect([code, stderr]).toEqual([1, expect.stringContaining("is not empty")]);
  });
});

describe("the package of the Worker", () => {
  it("is a package by the rules of publint, without sources or maps", async () => {
    expect(await messagesOf(tarballs[0])).toEqual([]);
    expect((await namesIn(tarballs[0])).filter((name) => /\.(?:map|ts|c)$/.test(name))).toEqual([]);
    expect((await stat(tarballs[0])).size).toBeLessThan(8_000_000);
  });

  it("uploads the modules that a deployment of the repository uploads", async () => {
    const { stdout } = await worker("config");
    const config = join(project, ".wrangler", "dry.json");
    await worker("deploy", "--check");
    await writeFile(config, stdout);
    const out = join(folder, "out");
    const wrangler = join(ROOT, "node_modules", "wrangler", "bin", "wrangler.js");
    await run(process.execPath, [wrangler, "deploy", "--dry-run", "--config", config, "--outdir", out], {
      cwd: project,
    });
    const names = async (where: string): Promise<string[]> =>
      (await readdir(where)).filter((name) => /\.(?:js|wasm|bin|woff2)$/.test(name)).sort();
    expect(await names(out)).toEqual(await names(join(folder, "built", "bundle")));
    for (const beside of ["objects", "pictures"]) {
      expect(await names(join(folder, "built", beside))).toEqual([`${beside}.js`]);
    }
  });

  it("is deployed as the settings say, upgraded with them kept, and put back", async () => {
    await setAccount();
    const settings = join(project, "darkroom.json");
    const mine = JSON.parse(await readFile(settings, "utf8")) as object;
    await writeFile(settings, JSON.stringify({ ...mine, vars: { RATE_LIMIT: "5000" } }));
    const text = await readFile(settings, "utf8");
    const migrations = async (): Promise<boolean> => {
      const { d1_databases: databases } = await deployed();
      const names = await readdir(join(project, ".wrangler", databases[0]?.migrations_dir ?? ""));
      return names.includes("9999_next.sql");
    };
    const [upgrade, back] = [await told("Upgrade"), await told("Back", "0.1.0")];
    for (const [install, isNext] of [
      [["install"], false],
      [upgrade, true],
      [back, false],
    ] as const) {
      // It is published once the first version is deployed, and is not in the range that the starter wrote.
      if (isNext) await registry.publish(folders[1], tarballs[1]);
      await npm([...install, ...QUIET], project);
      expect(await worker("deploy")).toMatchObject({ code: 0, stderr: "" });
      expect(await deployed()).toMatchObject({
        name: "my-images",
        account_id: "0".repeat(32),
        vars: { SERVICE_NAME: "Service", RATE_LIMIT: "5000" },
        routes: [{ pattern: "img.example.com", custom_domain: true }],
        r2_buckets: [{ bucket_name: "my-images" }],
        d1_databases: [{ database_name: "my-images", database_id: "11111111-2222-3333-4444-555555555555" }],
      });
      expect(await migrations()).toBe(isNext);
      expect(await readFile(settings, "utf8")).toBe(text);
    }
    const objects = await deployedObjects();
    expect(objects).toMatchObject({ name: "my-images-objects", no_bundle: true, vars: { RATE_LIMIT: "5000" } });
    const entry = join(project, ".wrangler", objects.main);
    expect(await readFile(entry, "utf8")).toContain("Meter");
    expect(await worker("rollback")).toMatchObject({ code: 0, stdout: expect.stringContaining("rolled back") });
  });

  it("deploys an environment beside it, under names of its own", async () => {
    await setAccount();
    expect(await worker("deploy", "--env", "staging")).toMatchObject({ code: 0 });
    expect(await deployed()).toMatchObject({
      name: "my-images-staging",
      routes: [{ pattern: "img-staging.example.com", custom_domain: true }],
      r2_buckets: [{ bucket_name: "my-images-staging" }],
      d1_databases: [{ database_name: "my-images-staging" }],
    });
    const none = await worker("deploy", "--env", "preview");
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining("no environment of this name")]);
  });

  it("keeps the place that was asked for in the settings, for an environment or for all", async () => {
    await setAccount();
    const settings = join(project, "darkroom.json");
    const before = await readFile(settings, "utf8");
    expect(await worker("deploy", "--region", "weur", "--env", "staging")).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(await readFile(settings, "utf8"))).toMatchObject({
      domain: "img.example.com",
      environments: { staging: { domain: "img-staging.example.com", region: "weur" } },
    });
    expect(await deployed()).toMatchObject({ name: "my-images-staging", vars: { REGION: "weur" } });
    await writeFile(settings, before);
  });

  it.each([
    [{ name: "my-images", domian: "img.example.com" }, "domian is no setting of darkroom.json"],
    [{ name: "my-images", vars: { ADMIN_TOKEN: "x" } }, "ADMIN_TOKEN is a secret"],
    [{ name: "my-images", vars: { RATE: "5" } }, "number 1 is no setting"],
    [{ name: "my-images", vars: { RATE_LIMIT: "many" } }, "The variable RATE_LIMIT must be a whole number"],
    [{ name: "My Images" }, "name must be 1 to 50 small letters"],
  ])("says what is wrong with the settings %j", async (settings, said) => {
    const other = join(folder, "other");
    await rm(other, { recursive: true, force: true });
    await cp(join(project, "darkroom.json"), join(other, "darkroom.json"), { recursive: true });
    await writeFile(join(other, "darkroom.json"), JSON.stringify(settings));
    const bin = join(project, "node_modules", "@darkroom-images", "worker", "bin", "darkroom-worker.js");
    const { code, stderr } = await ended(bin, ["config"], other);
    expect([code, stderr]).toEqual([1, expect.stringContaining(said)]);
  });
});
