/** The deployment, against a stand-in for wrangler. */
import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseEnv } from "node:util";

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { unstable_readConfig } from "wrangler";

import { ROOT, wrangler } from "../../src/cli/wrangler.ts";
import { writeFakeWrangler } from "../support/fake-wrangler.ts";
import { packagesInBundle } from "../support/license-tables.ts";
import { type Ended, runCommand } from "../support/run-command.ts";
import { dryDeploy } from "../support/wrangler-config.ts";

let folder: string;

async function setAccount(account: object): Promise<void> {
  await writeFile(join(folder, "account.json"), JSON.stringify({ login: true, databases: [], ...account }));
  await writeFile(join(folder, "log"), "");
}

async function deploy(...flags: string[]): Promise<Ended> {
  return deployWith({}, ...flags);
}

async function deployWith(variables: Record<string, string>, ...flags: string[]): Promise<Ended> {
  return runCommand(folder, ["src/cli/deploy.ts", ...flags], variables);
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
afterEach(() => rm(folder, { recursive: true, force: true }));

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
    await expect(readFile(join(ROOT, ".wrangler", "deploy-secrets.json"))).rejects.toThrow("ENOENT");
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

/** The settings that a command has kept. */
const kept = async () => JSON.parse(await readFile(join(folder, "darkroom.json"), "utf8")) as object;
/** The configuration that was deployed last, of a deployment with settings. */
const deployedConfig = async () => JSON.parse((await account()).config) as Record<string, unknown>;

describe("a deployment with a place", () => {
  it("answers on its domain alone, from then on", async () => {
    await setAccount({});
    const first = await deploy("--domain", "img.example.com");
    expect(first).toMatchObject({ status: 0, stderr: "" });
    expect(first.stdout).toContain("curl https://img.example.com/admin/accounts");
    await deploy();
    expect(await deployedConfig()).toMatchObject({
      name: "darkroom",
      main: "../src/index.ts",
      workers_dev: false,
      routes: [{ pattern: "img.example.com", custom_domain: true }],
      d1_databases: [{ database_name: "darkroom", database_id: "11111111-2222-3333-4444-555555555555" }],
    });
    expect(await kept()).toEqual({ name: "darkroom", domain: "img.example.com" });
    expect((await deploy("--domain", "workers.dev")).status).toBe(0);
    const open = await deployedConfig();
    expect([open["workers_dev"], open["routes"]]).toEqual([true, undefined]);
    expect(await kept()).toEqual({ name: "darkroom" });
  });

  it("has bucket and database made in its region, and its objects asked for there", async () => {
    await setAccount({});
    expect(await deploy("--region", "weur")).toMatchObject({ status: 0, stderr: "" });
    const made = (await asked()).filter((line) => / create /.test(line));
    expect(made).toEqual([
      "r2 bucket create darkroom --update-config=false --location weur",
      "d1 create darkroom --update-config=false --location weur",
      "queues create darkroom",
    ]);
    expect(await deployedConfig()).toMatchObject({ vars: { SERVICE_NAME: "Service", REGION: "weur" } });
  });

  it("keeps everything within its jurisdiction, which takes the place of a region", async () => {
    await setAccount({});
    expect(await deploy("--region", "weur", "--jurisdiction", "eu")).toMatchObject({ status: 0, stderr: "" });
    const ofBucket = (await asked()).filter((line) => line.startsWith("r2 "));
    expect(ofBucket.filter((line) => !line.includes("--jurisdiction eu"))).toEqual([]);
    expect(await asked()).toContain("d1 create darkroom --update-config=false --jurisdiction eu");
    expect((await asked()).filter((line) => line.includes("--location"))).toEqual([]);
    expect(await deployedConfig()).toMatchObject({
      vars: { JURISDICTION: "eu" },
      r2_buckets: [{ binding: "BUCKET", bucket_name: "darkroom", jurisdiction: "eu" }],
    });
  });

  it("has environments beside it under names of their own, in the same place", async () => {
    await setAccount({});
    await deploy("--region", "enam");
    expect(await deploy("--env", "staging", "--domain", "workers.dev")).toMatchObject({ status: 0, stderr: "" });
    expect(await deployedConfig()).toMatchObject({
      name: "darkroom-staging",
      workers_dev: true,
      vars: { REGION: "enam" },
      r2_buckets: [{ bucket_name: "darkroom-staging" }],
      d1_databases: [{ database_name: "darkroom-staging", migrations_dir: "../src/migrations" }],
      queues: { producers: [{ queue: "darkroom-staging" }], consumers: [{ queue: "darkroom-staging" }] },
    });
    expect(await asked()).toContain("queues create darkroom-staging");
    expect(await kept()).toEqual({ name: "darkroom", region: "enam", environments: { staging: {} } });
  });

  it("is a deployment that the real wrangler accepts", async () => {
    await setAccount({});
    const flags = ["--domain", "img.example.com", "--region", "weur", "--jurisdiction", "eu"];
    expect((await deploy("--env", "staging", ...flags)).status).toBe(0);
    const out = join(folder, "bundle");
    const { status, stdout, stderr } = await dryDeploy(folder, (await account()).config, "--outdir", out);
    expect([status, `${stdout}${stderr}`]).toEqual([0, expect.not.stringMatching(/warning/i)]);
    expect(stdout).toContain("darkroom-staging (eu)");
  });

  it.each([
    [["--region", "mars"], "region must be one of weur, eeur, wnam, enam, apac, oc"],
    [["--jurisdiction", "us"], "jurisdiction must be one of eu, fedramp"],
    [["--domain", "https://img.example.com/"], "domain must be a host"],
    [["--env", "preview"], "no environment of this name in darkroom.json"],
    [["--env", "Preview", "--domain", "workers.dev"], "must be 1 to 50 small letters"],
    [["--region"], "--region needs a value"],
  ])("says what is wrong with %j before anything is made or kept", async (flags, said) => {
    await setAccount({});
    const { status, stderr } = await deploy(...flags);
    expect([status, stderr]).toEqual([1, expect.stringContaining(said)]);
    expect(await readFile(join(folder, "log"), "utf8")).toBe("");
    await expect(kept()).rejects.toThrow("ENOENT");
  });
});

describe("npm run deploy -- --check", () => {
  it("says what would be made where, and what a month costs at least, and keeps nothing", async () => {
    await setAccount({});
    const { status, stdout } = await deploy("--check", "--region", "weur");
    expect(status).toBe(0);
    expect(stdout).toContain('missing  R2 bucket "darkroom" (weur)');
    expect(stdout).toContain('missing  D1 database "darkroom" (weur)');
    const costs = stdout.slice(stdout.indexOf("A month costs at least:")).split("\n");
    expect(costs.slice(1, 7)).toEqual([
      "$  5.00  Workers Paid plan, of the account",
      "$  0.00  The sweep each minute: 12960 of 1000000 included writes of R2, and lists",
      "$  0.00  The sweep each minute: 56160 of 50000000 included rows written in D1, indexes included",
      "$  0.00  Bucket, databases, queue and objects, empty",
      "$  0.00  Custom domain, region, jurisdiction",
      "$  5.00  Together at least",
    ]);
    await expect(kept()).rejects.toThrow("ENOENT");
  });

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
