/** The deployment, against a stand-in for wrangler. */
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { parseEnv } from "node:util";

import { beforeEach, describe, expect, it } from "vitest";
import { unstable_readConfig } from "wrangler";

import { ROOT, wrangler } from "../../src/cli/wrangler.ts";
import { writeFakeWrangler } from "../support/fake-wrangler.ts";
import { packagesInBundle } from "../support/license-tables.ts";

let folder: string;

async function setAccount(account: object): Promise<void> {
  await writeFile(join(folder, "account.json"), JSON.stringify({ login: true, databases: [], ...account }));
  await writeFile(join(folder, "log"), "");
}

async function deploy(...flags: string[]): Promise<{ status: number; stdout: string; stderr: string }> {
  return deployWith({}, ...flags);
}

async function deployWith(
  variables: Record<string, string>,
  ...flags: string[]
): Promise<{ status: number; stdout: string; stderr: string }> {
  // What the machine of the tests has set means nothing here.
  const { ADMIN_TOKEN: _token, VAULT_KEY: _key, CI: _ci, WORKERS_CI: _build, ...outer } = process.env;
  const env = { ...outer, ...variables, PATH: `${folder}${delimiter}${process.env["PATH"]}` };
  return new Promise((resolve) => {
    execFile(process.execPath, ["src/cli/deploy.ts", ...flags], { cwd: ROOT, env }, (error, stdout, stderr) => {
      resolve({ status: error === null ? 0 : 1, stdout, stderr });
    });
  });
}

async function account(): Promise<{ secrets: Record<string, string>; config: string; rule: string }> {
  return JSON.parse(await readFile(join(folder, "account.json"), "utf8"));
}

const asked = async () => (await readFile(join(folder, "log"), "utf8")).trim().split("\n");
const changes = async () =>
  (await asked()).filter((line) => /create|lifecycle add|apply|^deploy (?!--dry-run)/.test(line));

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "deploy-"));
  await writeFakeWrangler(folder);
});

describe("npm run deploy", () => {
  it("makes every piece on an empty account, in an order that works", async () => {
    await setAccount({});
    const { status, stdout } = await deploy();
    expect(status).toBe(0);
    const verbs = (await changes()).map((line) => line.split(" ").slice(0, 3).join(" "));
    expect(verbs).toEqual([
      "r2 bucket create",
      "r2 bucket lifecycle",
      "d1 create darkroom",
      "queues create darkroom",
      "d1 migrations apply",
      expect.stringMatching(/^deploy --config/),
    ]);
    const { secrets, config, rule } = await account();
    expect(rule).toBe("name: temporary-results prefix: temp/");
    expect(Buffer.from(secrets["VAULT_KEY"] ?? "", "base64")).toHaveLength(32);
    expect(config).toContain('database_id = "11111111-2222-3333-4444-555555555555"');
    expect(config).toContain('main = "../src/index.ts"');
    expect(config).toContain('directory = "../src/playground"');
    expect(stdout).toContain(`ADMIN_TOKEN, shown this once: ${secrets["ADMIN_TOKEN"]}`);
    expect(stdout).toContain("curl https://darkroom.example.workers.dev/admin/accounts");
  });

  it("makes nothing twice and keeps the secrets when it is run again", async () => {
    await setAccount({});
    await deploy();
    const first = await account();
    await writeFile(join(folder, "log"), "");
    const { status, stdout } = await deploy();
    expect(status).toBe(0);
    expect((await changes()).filter((line) => /create|lifecycle add/.test(line))).toEqual([]);
    expect((await account()).secrets).toEqual(first.secrets);
    expect(stdout).not.toContain("shown this once");
  });

  it("takes the keys that the environment gives, and stops before any change at what is none", async () => {
    await setAccount({});
    const VAULT_KEY = [randomBytes(32), randomBytes(32)].map((key) => key.toString("base64")).join(",");
    const { status, stderr } = await deployWith({ VAULT_KEY: `${VAULT_KEY},secret words` });
    expect(status).toBe(1);
    expect(stderr).toContain("The variable VAULT_KEY must be keys of 32 bytes in base64");
    expect(stderr).not.toContain("secret words");
    expect(await readFile(join(folder, "log"), "utf8")).toBe("");
    expect((await deployWith({ VAULT_KEY })).status).toBe(0);
    expect((await account()).secrets["VAULT_KEY"]).toBe(VAULT_KEY);
  });

  it("leaves the committed configuration as it is, and no secret on the disk", async () => {
    const before = await readFile(join(ROOT, "wrangler.toml"), "utf8");
    await setAccount({});
    await deploy();
    expect(await readFile(join(ROOT, "wrangler.toml"), "utf8")).toBe(before);
    await expect(readFile(join(ROOT, ".wrangler", "secrets.json"))).rejects.toThrow("ENOENT");
  });

  it("stops before any change when nobody is logged in", async () => {
    await setAccount({ login: false });
    const { status, stderr } = await deploy();
    expect(status).toBe(1);
    expect(stderr).toContain("wrangler login");
    expect(await asked()).toEqual(["whoami --json"]);
  });

  it("does not take an answer that failed for a piece that is missing", async () => {
    await setAccount({ broken: "r2 bucket info" });
    const { status, stderr } = await deploy();
    expect(status).toBe(1);
    expect(stderr).toContain("code: 7003");
    expect(await changes()).toEqual([]);
  });
});

/** What the platform sets in the builds that it runs itself. */
const BUILD = { CI: "true", WORKERS_CI: "1" };

describe("a build of the platform", () => {
  it("deploys where its token may not ask for what was made before, and shows no secret in its output", async () => {
    await setAccount({ bucket: "darkroom", queue: "darkroom", forbidden: ["r2 bucket lifecycle", "queues info"] });
    const { status, stdout } = await deployWith(BUILD);
    expect(status).toBe(0);
    expect(stdout).toContain("skipped  R2 lifecycle rule: temp/ expires after one day");
    expect(stdout).toContain('skipped  Queue "darkroom"');
    const { config, secrets } = await account();
    expect(config).toContain('database_id = "11111111-2222-3333-4444-555555555555"');
    expect(secrets["ADMIN_TOKEN"]).toBeTypeOf("string");
    expect(stdout).not.toContain(secrets["ADMIN_TOKEN"]);
    expect(stdout).toContain("npx wrangler secret put ADMIN_TOKEN");
  });

  it("is the only place where what is forbidden is skipped", async () => {
    await setAccount({ forbidden: ["r2 bucket info"] });
    expect((await deployWith({ CI: "true" })).status).toBe(1);
  });
});

describe("npm run deploy -- --check", () => {
  it("says what is missing and changes nothing", async () => {
    await setAccount({ bucket: "darkroom", secrets: { VAULT_KEY: "x" } });
    const { status, stdout } = await deploy("--check");
    expect(status).toBe(0);
    expect(await changes()).toEqual([]);
    expect(stdout.split("\n").slice(0, 7)).toEqual([
      'present  R2 bucket "darkroom"',
      "missing  R2 lifecycle rule: temp/ expires after one day",
      'missing  D1 database "darkroom"',
      'missing  Queue "darkroom"',
      "present  Secret VAULT_KEY",
      "missing  Secret ADMIN_TOKEN",
      "builds   The Worker",
    ]);
  });
});

interface Binding {
  readonly binding?: string;
  readonly name?: string;
}

const bound = ({ binding, name }: Binding): string => binding ?? name ?? "";

describe("the button", () => {
  it("explains every binding and every secret that the platform asks for", async () => {
    const config = unstable_readConfig({ config: join(ROOT, "wrangler.toml") }, { hideWarnings: true });
    const example = await readFile(join(ROOT, ".dev.vars.example"), "utf8");
    const bindings: string[] = [
      ...config.r2_buckets.map(bound),
      ...config.d1_databases.map(bound),
      ...config.durable_objects.bindings.map(bound),
      ...(config.queues.producers ?? []).map(bound),
      ...Object.keys(config.vars),
      ...Object.keys(parseEnv(example)),
    ];
    const { cloudflare } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
    expect(Object.keys(cloudflare.bindings).sort()).toEqual(bindings.toSorted());
    for (const { description } of Object.values<{ description: string }>(cloudflare.bindings)) {
      expect(description).toMatch(/^[A-Z].+\.$/);
    }
  });

  it("has an example of every secret, and no value that anybody could guess", async () => {
    const settings = await readFile(join(ROOT, "src", "docs", "running.md"), "utf8");
    const secrets = [...settings.matchAll(/^\| `(\w+)` .*\| Secret: /gm)].map(([, name]) => name);
    const example = await readFile(join(ROOT, ".dev.vars.example"), "utf8");
    const lines = [...example.matchAll(/^(?:# )?([A-Z_]+)=(.*)$/gm)];
    expect(new Set(lines.map(([, name]) => name))).toEqual(new Set(secrets));
    expect(new Set(lines.map(([, , value]) => value))).toEqual(new Set(['""']));
  });
});

it("bundles the packages whose licenses the documentation lists, and no other", async () => {
  const metafile = join(folder, "meta.json");
  const args = ["deploy", "--dry-run", "--outdir", join(folder, "bundle"), "--metafile", metafile];
  const { status, stdout, stderr } = await wrangler(args);
  // Settings that this wrangler does not know are told in a warning.
  expect([status, `${stdout}${stderr}`]).toEqual([0, expect.not.stringMatching(/warning/i)]);
  const { inputs }: { inputs: Record<string, unknown> } = JSON.parse(await readFile(metafile, "utf8"));
  const packages = Object.keys(inputs).flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []);
  expect([...new Set(packages)].sort()).toEqual(await packagesInBundle(ROOT));
});

it("refuses a flag it does not know", async () => {
  await setAccount({});
  const { status, stderr } = await deploy("--force");
  expect(status).toBe(1);
  expect(stderr).toContain("--check");
  expect(await readFile(join(folder, "log"), "utf8")).toBe("");
});
