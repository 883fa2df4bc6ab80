/** Where `npm run prove` makes its deployment: in an account of the platform, or in the local runtime to try it. */
import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { databaseId, type Names, pieces, readNames, requireLogin, upload, writeDeployConfig } from "../cloudflare.ts";
import { readConfiguration } from "../configuration.ts";
import { LOCAL_DEFAULTS, startLocal } from "../local.ts";
import { type PackageConfig, readSettings, repositoryConfig, withPlacement } from "../project.ts";
import { ROOT, wrangler, wranglerOrThrow } from "../wrangler.ts";
import type { Client, Reached } from "./client.ts";
import { MOST_CPU_MS } from "./spending.ts";
import { type Logged, Tail } from "./tail.ts";

export interface Place {
  /** What it makes, and takes away again. */
  readonly titles: readonly string[];
  /** @throws Error when something of this name is there already, or cannot be made */
  readonly make: () => Promise<Reached>;
  readonly logged: (name: string) => readonly Logged[];
  /**
   * Takes all away again.
   * @param client absent: nothing answered
   * @returns what is left, and how it is taken away
   */
  readonly remove: (client: Client | undefined) => Promise<readonly string[]>;
}

/** Everything of the deployment carries this word. */
const ENVIRONMENT = "prove";
const MAIN = join(ROOT, "src", "cli", "prove", "worker.ts");

/** The local runtime, whose log nobody keeps. */
export function localPlace(): Place {
  let stop: (() => Promise<void>) | undefined;
  let state = "";
  return {
    titles: ["A service in the local runtime, and a folder for its state"],
    make: async () => {
      const token = randomBytes(24).toString("base64url");
      state = await mkdtemp(join(tmpdir(), "prove-"));
      const variables = { ...LOCAL_DEFAULTS, ADMIN_TOKEN: token, VAULT_KEY: randomBytes(32).toString("base64") };
      const service = await startLocal({ host: "127.0.0.1", port: 0, state, variables, quiet: true, main: MAIN });
      ({ stop } = service);
      return { url: service.url, token };
    },
    logged: () => [],
    remove: async () => {
      await stop?.();
      await rm(state, { recursive: true, force: true });
      return [];
    },
  };
}

/**
 * An account of the platform.
 * @param settings the text of darkroom.json, where there is one
 * @param isOurs whether what is there already is what an earlier run has left
 */
export async function cloudPlace(settings: string | undefined, isOurs: boolean): Promise<Place> {
  const chosen = await configOf(settings);
  const names = await readNames(chosen);
  const worker = (JSON.parse(await readFile(chosen, "utf8")) as { readonly name: string }).name;
  const made = pieces(names, {});
  let tail: Tail | undefined;
  return {
    titles: [`Worker "${worker}"`, ...made.map(({ title }) => title)],
    make: async () => {
      await requireLogin({});
      for (const { title, present, make } of made) {
        const isThere = await present();
        if (isThere && !isOurs) throw new Foreign(title);
        if (!isThere) await make();
      }
      const config = await writeDeployConfig(chosen, await idsOf(names), "prove-deploy");
      for (const name of names.databases)
        await wranglerOrThrow(["d1", "migrations", "apply", name, "--remote", "--config", config]);
      const token = process.env["ADMIN_TOKEN"]?.trim() || randomBytes(24).toString("base64url");
      const secrets = { ADMIN_TOKEN: token, VAULT_KEY: randomBytes(32).toString("base64") };
      const url = await upload(config, secrets, {});
      if (url === undefined) throw new Error("wrangler said no address");
      tail = new Tail(worker);
      return { url: new URL(url), token };
    },
    logged: (name) => tail?.of(name) ?? [],
    remove: (client) => {
      tail?.stop();
      return removed(names, worker, client);
    },
  };
}

/** What has the name that a piece would have: nothing of it is touched. */
export class Foreign extends Error {
  constructor(title: string) {
    super(
      `${title} is there already, and nothing was done. If an earlier run left it: npm run prove -- --clean takes it away, with all that is in it`,
    );
  }
}

async function idsOf({ databases }: Names): Promise<ReadonlyMap<string, string>> {
  const ids = new Map<string, string>();
  for (const name of databases) {
    const id = await databaseId(name, {});
    if (id !== undefined) ids.set(name, id);
  }
  return ids;
}

/** The configuration of the repository, for the probe, under names of its own, without a clock and without pages. */
async function configOf(settings: string | undefined): Promise<string> {
  const base = await readConfiguration<PackageConfig>(join(ROOT, "wrangler.toml"));
  const known = settings === undefined ? { name: base.name ?? "darkroom" } : readSettings(settings);
  if (known.environments?.[ENVIRONMENT]) {
    throw new Error(
      `darkroom.json has an environment "${ENVIRONMENT}", whose names these would be: call it something else`,
    );
  }
  const from = join(ROOT, ".wrangler");
  // It has its objects itself, whatever the deployment beside it has.
  const { objects: _objects, ...others } = known;
  const placed = withPlacement(others, ENVIRONMENT, {});
  const { assets: _, ...config } = repositoryConfig(base, placed, ENVIRONMENT, { root: ROOT, from });
  const probe = {
    ...config,
    main: MAIN,
    limits: { cpu_ms: MOST_CPU_MS },
    triggers: { crons: [] },
    workers_dev: true,
    cache: { enabled: true },
  };
  const path = join(from, "prove.json");
  await mkdir(from, { recursive: true });
  await writeFile(path, JSON.stringify(probe, null, 2));
  return path;
}

/** The bucket is emptied by the Worker, which goes before what it is bound to. */
async function removed(
  { bucket, databases, queue, jurisdiction }: Names,
  worker: string,
  client: Client | undefined,
): Promise<readonly string[]> {
  const within = jurisdiction === undefined ? [] : ["--jurisdiction", jurisdiction];
  const left: string[] = [];
  await client?.probe("empty", {}, { writes: 10 }).catch(() => left.push(`what is in the R2 bucket "${bucket}"`));
  for (const args of [
    ["queues", "consumer", "remove", queue, worker],
    ["delete", worker, "--force"],
    ["queues", "delete", queue],
    ...databases.map((name) => ["d1", "delete", name, "--skip-confirmation"]),
    ["r2", "bucket", "delete", bucket, ...within],
  ]) {
    const { status, stdout, stderr } = await wrangler(args);
    const isGone = status === 0 || /does not exist|not found|10006|10007|11000/i.test(stdout + stderr);
    if (!isGone) left.push(`npx wrangler ${args.join(" ")}`);
  }
  return left;
}
