/** Objects apart: a second Worker without codecs, against a stand-in for wrangler and by the real one. */
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { writeFakeWrangler } from "../support/fake-wrangler.ts";
import { type Ended, runCommand } from "../support/run-command.ts";
import { dryDeploy } from "../support/wrangler-config.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "objects-"));
  await writeFakeWrangler(folder);
  await setAccount({});
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function setAccount(account: object): Promise<void> {
  await writeFile(join(folder, "account.json"), JSON.stringify({ login: true, databases: [], ...account }));
}

async function ran(command: readonly [string, ...string[]], variables: Record<string, string> = {}): Promise<Ended> {
  await writeFile(join(folder, "log"), "");
  return runCommand(folder, command, variables);
}

const deploy = (...flags: string[]) => ran(["src/cli/deploy.ts", ...flags]);
const APART = ["--objects", "apart"];

interface Uploaded {
  readonly name: string;
  readonly main: string;
  readonly durable_objects: { readonly bindings: readonly { readonly name: string; readonly script_name?: string }[] };
  readonly migrations: readonly { readonly tag: string; readonly new_sqlite_classes: readonly string[] }[];
  readonly d1_databases: readonly { readonly database_id: string }[];
}

interface Account {
  readonly secrets: Readonly<Record<string, string>>;
  readonly config: string;
  readonly objects: { readonly secrets: Readonly<Record<string, string>>; readonly config: string };
}

const account = async () => JSON.parse(await readFile(join(folder, "account.json"), "utf8")) as Account;
const own = async () => JSON.parse((await account()).config) as Uploaded;
const ofObjects = async () => JSON.parse((await account()).objects.config) as Uploaded;
/** Whom each upload was of, in order. */
const uploads = async () =>
  (await readFile(join(folder, "log"), "utf8"))
    .split("\n")
    .flatMap((line) => /^deploy --config \S+?([\w-]+)\.json/.exec(line)?.[1] ?? []);

describe("a new deployment with its objects apart", () => {
  it("has them made by the second Worker before the first is bound to them", async () => {
    expect(await deploy(...APART)).toMatchObject({ status: 0, stderr: "" });
    expect(await uploads()).toEqual(["deploy-objects", "deploy"]);
    expect(await ofObjects()).toMatchObject({
      name: "darkroom-objects",
      main: "../src/objects.ts",
      workers_dev: false,
      durable_objects: { bindings: [{ name: "METER" }, { name: "COURIER" }] },
      migrations: [{ tag: "v1", new_sqlite_classes: ["Meter", "Courier"] }],
      d1_databases: [{ database_id: "11111111-2222-3333-4444-555555555555" }],
    });
    const { durable_objects: bound, migrations } = await own();
    expect(bound.bindings.map(({ name, script_name: script }) => [name, script])).toEqual([
      ["METER", "darkroom-objects"],
      ["COURIER", "darkroom-objects"],
      ["MAKER", undefined],
      ["BATCH", undefined],
    ]);
    expect(migrations.flatMap(({ new_sqlite_classes: names }) => names)).toEqual(["Maker", "BatchKeeper"]);
  });

  it("gives both the key that opens what is sealed, and the administrator's to the first alone", async () => {
    await deploy(...APART);
    const { secrets, objects } = await account();
    expect(objects.secrets).toEqual({ VAULT_KEY: secrets["VAULT_KEY"] });
    await deploy();
    const again = await account();
    expect([again.secrets, again.objects.secrets]).toEqual([secrets, objects.secrets]);
  });

  it("gives both one key where the first upload went through and the second did not", async () => {
    await setAccount({ objects: { secrets: { VAULT_KEY: "of the run that broke off" } } });
    await deploy(...APART);
    const { secrets, objects } = await account();
    expect(objects.secrets["VAULT_KEY"]).toBe(secrets["VAULT_KEY"]);
  });

  it("is kept in the settings, and holds for environments beside it", async () => {
    await deploy(...APART);
    await deploy("--env", "staging", "--domain", "workers.dev");
    expect(JSON.parse(await readFile(join(folder, "darkroom.json"), "utf8"))).toEqual({
      name: "darkroom",
      objects: "apart",
      environments: { staging: {} },
    });
    expect((await ofObjects()).name).toBe("darkroom-staging-objects");
    expect((await own()).durable_objects.bindings[0]?.script_name).toBe("darkroom-staging-objects");
  });

  it("is told by --check, with the key that each of the two has", async () => {
    const { status, stdout } = await deploy("--check", ...APART);
    expect(status).toBe(0);
    expect(stdout.split("\n").slice(4, 10)).toEqual([
      "missing  Secret VAULT_KEY",
      "missing  Secret ADMIN_TOKEN",
      'missing  Worker "darkroom-objects"',
      'missing  Secret VAULT_KEY of "darkroom-objects"',
      "builds   The Worker of its objects",
      "builds   The Worker",
    ]);
    expect(await uploads()).toEqual([]);
  });

  it("goes back with its objects, unless a version of the Worker is named", async () => {
    await deploy(...APART);
    const back = async (...args: string[]) => {
      expect(await ran(["src/cli/worker.ts", "rollback", ...args])).toMatchObject({ status: 0, stderr: "" });
      const log = await readFile(join(folder, "log"), "utf8");
      return [...log.matchAll(/^rollback --config \S+?([\w-]+)\.json/gm)].map(([, name]) => name);
    };
    expect(await back()).toEqual(["darkroom", "darkroom-objects"]);
    expect(await back("00000000-0000-4000-8000-000000000000")).toEqual(["darkroom"]);
  });
});

describe("objects that are there", () => {
  const changes = async () =>
    (await readFile(join(folder, "log"), "utf8")).split("\n").filter((line) => / create |^deploy/.test(line));

  it("stay in the Worker that has them", async () => {
    await deploy();
    const { status, stderr } = await deploy(...APART);
    expect([status, stderr]).toEqual([1, expect.stringContaining('The Worker "darkroom" has its objects itself')]);
    expect(await changes()).toEqual([]);
  });

  it("stay in the Worker beside it where the settings have forgotten that", async () => {
    await deploy(...APART);
    await rm(join(folder, "darkroom.json"));
    for (const flags of [[], ["--check"]]) {
      const { status, stderr } = await deploy(...flags);
      expect([status, stderr]).toEqual([1, expect.stringContaining("add --objects apart")]);
      expect(await changes()).toEqual([]);
    }
  });

  it("get a key that nobody knows from the environment alone", async () => {
    await setAccount({ secrets: { VAULT_KEY: "x", ADMIN_TOKEN: "x" }, objects: { secrets: {} } });
    const { status, stderr } = await deploy(...APART);
    expect([status, stderr]).toEqual([1, expect.stringContaining("set VAULT_KEY in the environment")]);
    expect(await changes()).toEqual([]);
    const VAULT_KEY = Buffer.alloc(32, 7).toString("base64");
    expect(await ran(["src/cli/deploy.ts", ...APART], { VAULT_KEY })).toMatchObject({ status: 0, stderr: "" });
    expect((await account()).objects.secrets).toEqual({ VAULT_KEY });
  });

  it("are not asked for by a build of the platform, which knows one Worker", async () => {
    const { status, stderr } = await ran(["src/cli/deploy.ts", ...APART], { CI: "true", WORKERS_CI: "1" });
    expect([status, stderr]).toEqual([1, expect.stringContaining("deploys one Worker")]);
  });

  it("cannot be anywhere else", async () => {
    const { status, stderr } = await deploy("--objects", "beside");
    expect([status, stderr]).toEqual([1, expect.stringContaining("objects must be apart")]);
  });
});

it("is a script of a hundred kilobytes without any native code, which the real wrangler accepts", async () => {
  await deploy(...APART);
  const out = join(folder, "bundle");
  const { config, objects } = await account();
  const { status, stdout, stderr } = await dryDeploy(folder, objects.config, "--outdir", out);
  expect([status, `${stdout}${stderr}`]).toEqual([0, expect.not.stringMatching(/warning/i)]);
  expect((await readdir(out)).filter((name) => /\.(?:js|wasm|bin|woff2)$/.test(name))).toEqual(["objects.js"]);
  expect((await stat(join(out, "objects.js"))).size).toBeLessThan(100_000);
  const first = await dryDeploy(folder, config);
  expect([first.status, `${first.stdout}${first.stderr}`]).toEqual([0, expect.not.stringMatching(/warning/i)]);
  expect(first.stdout).toContain("darkroom-objects");
});
