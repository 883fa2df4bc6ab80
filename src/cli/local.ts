/** The service on this machine: the bundle that a deployment would upload, in the same runtime, with embedded bindings. */
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { extname, join, parse } from "node:path";

import {
  convertV4MiniflareOptions,
  Log,
  LogLevel,
  Miniflare,
  type V4ModuleDefinition,
  type V4WorkerOptions,
} from "miniflare";
import { unstable_getMiniflareWorkerOptions, unstable_splitSqlQuery } from "wrangler";

import { DIRECTORY, settingsOf } from "../env.ts";
import { UNLIMITED_CREDITS } from "../limits/accounts.ts";
import { BEHIND, listenBefore } from "./front.ts";
import { publicNetwork } from "./network.ts";
import { watchingRuntime } from "./runtime-watch.ts";
import { ROOT, wranglerOrThrow } from "./wrangler.ts";

/** The key of the demo account, known to everybody: it exists only here. */
export const DEMO_KEY = "demo";

/** What suits a service that only this machine calls. */
export const LOCAL_DEFAULTS = {
  ALLOW_PRIVATE_ORIGINS: "true",
  STORE_HOSTS: "localhost,127.0.0.1,[::1]",
  // Logs, rows and calls cost nothing here.
  LOG_SAMPLE: "1",
  HIT_SAMPLE: "1",
  METER_BLOCK_SECONDS: "0",
};

/** More often than a deployment sweeps: nobody at a terminal waits five minutes for what a restart cut off. */
const SWEEP_EVERY_MS = 10_000;
const CONFIG = join(ROOT, "wrangler.toml");

/**
 * What the engine is told. By itself it forgets from time to time what it has compiled of native modules, compiles it anew,
 * and does not give the old code back: in a process that runs for weeks, without an end.
 */
const ENGINE_FLAGS = "--no-flush-liftoff-code";
const FLAGS_OF_ENGINE = "MINIFLARE_WORKERD_V8_FLAGS";

export interface LocalOptions {
  /** Where to listen; port 0 takes a free one. */
  readonly host: string;
  readonly port: number;
  /** Addresses of proxies that say which client they call for; absent: none. */
  readonly proxies?: readonly string[];
  /** The folder that keeps objects, rows and counters. */
  readonly state: string;
  /** Variables that win over wrangler.toml and `.dev.vars`. */
  readonly variables: Readonly<Record<string, string>>;
  /** Whether there is the demo account, whose key everybody knows; absent: there is. */
  readonly hasDemo?: boolean;
  /** The Worker's first file; absent: that of wrangler.toml. */
  readonly main?: string;
  /** A bundle that `writeBundle` made; absent: one is made for this start alone. */
  readonly bundle?: string;
  /** Drops the Worker's log, for measurements and tests. */
  readonly quiet?: boolean;
  /** Where debuggers may attach, for measurements. */
  readonly inspectorPort?: number;
}

export interface LocalService {
  readonly url: URL;
  readonly stop: () => Promise<void>;
}

/**
 * Bundles the Worker, migrates the embedded database, seeds the demo account, and only then listens.
 * @throws Error in plain words when the bundle or a setting is wrong
 */
export async function startLocal(options: LocalOptions): Promise<LocalService> {
  const workerOptions = readConfig();
  const bindings = { ...(workerOptions["bindings"] as Record<string, string>), ...options.variables };
  // A wrong setting is told here, not by the first request.
  const { allowPrivateOrigins, storeHosts } = settingsOf(bindings);
  const folder = await bundleOf(options, () => prepareDatabases(workerOptions, options));
  const network = allowPrivateOrigins ? undefined : await publicNetwork(storeHosts);
  const place = { ...options, host: BEHIND, port: 0 };
  const worker = { ...workerOptions, bindings };
  const miniflare = await watchingRuntime(() => simulate(worker, folder, place, network?.service));
  try {
    const runtime = await miniflare.ready;
    const front = await listenBefore(Number(runtime.port), options);
    const [cron = ""] = workerOptions["cronTriggers"] as readonly string[];
    let sweeping: Promise<void> | undefined;
    const sweepNow = (): void => void (sweeping = sweep(miniflare, cron));
    const sweeper = setInterval(sweepNow, SWEEP_EVERY_MS);
    sweepNow(); // what the start before left
    const stop = async (): Promise<void> => {
      clearInterval(sweeper);
      await front.stop();
      await sweeping;
      await miniflare.dispose();
      await network?.stop();
    };
    return { url: front.url, stop };
  } catch (cause) {
    await miniflare.dispose();
    await network?.stop();
    throw cause;
  }
}

/** What wrangler.toml and `.dev.vars` say. The output is the caller's, who may write lines of JSON to it: no word of wrangler's. */
function readConfig(): Record<string, unknown> {
  process.env["WRANGLER_LOG"] ??= "warn";
  return unstable_getMiniflareWorkerOptions(CONFIG).workerOptions;
}

/** In a bundle that is kept: which sources it was made of, as far as tables depend on them. */
const STAMP = "sources.json";

/** What a bundle and the tables that it works on have to agree about. */
async function stamp(): Promise<string> {
  const { version } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")) as { readonly version: string };
  return JSON.stringify({ version, migrations: (await readdir(join(ROOT, "src", "migrations"))).sort() });
}

/**
 * Writes what a deployment would upload into a folder, for services that start from it.
 * @param main the Worker's first file; absent: that of wrangler.toml
 * @throws Error with wrangler's words when the sources cannot be bundled
 */
export async function writeBundle(folder: string, main?: string): Promise<void> {
  await wranglerOrThrow(["deploy", ...(main === undefined ? [] : [main]), "--dry-run", "--outdir", folder]);
  await writeFile(join(folder, STAMP), await stamp());
}

/** The folder of the bundle, while something else is done meanwhile. */
async function bundleOf({ bundle, main }: LocalOptions, meanwhile: () => Promise<void>): Promise<string> {
  if (bundle !== undefined) {
    const made = await readFile(join(bundle, STAMP), "utf8").catch(() => undefined);
    if (made === undefined) throw new Error(`There is no bundle in ${bundle}`);
    if (made !== (await stamp())) throw new Error(`The bundle in ${bundle} is of another version: make it anew`);
    await meanwhile();
    return bundle;
  }
  // In a folder of its own, because several may run at once.
  await mkdir(join(ROOT, ".wrangler"), { recursive: true });
  const folder = await mkdtemp(join(ROOT, ".wrangler", "bundle-"));
  const outcomes = await Promise.allSettled([writeBundle(folder, main), meanwhile()]);
  const failed = outcomes.find((outcome) => outcome.status === "rejected");
  if (!failed) return folder;
  await rm(folder, { recursive: true, force: true });
  throw failed.reason;
}

/** The databases as the Worker needs them, before anybody can call: by a simulator without the Worker, on the same state. */
async function prepareDatabases(
  workerOptions: Record<string, unknown>,
  { state, hasDemo = true }: Pick<LocalOptions, "state" | "hasDemo">,
): Promise<void> {
  const databases = workerOptions["d1Databases"] as Record<string, { readonly id: string }>;
  if (new Set(Object.values(databases).map(({ id }) => id)).size < Object.keys(databases).length) {
    throw new Error("Two D1 databases of wrangler.toml have one database_id: here they would be one database");
  }
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      name: "darkroom",
      modules: true,
      script: "export default {}",
      d1Databases: databases,
      resourcePersistencePath: state,
      host: "127.0.0.1",
      port: 0,
      cf: false,
      log: new Log(LogLevel.WARN),
    }),
  );
  try {
    for (const name of Object.keys(databases)) {
      const database: D1Database = await miniflare.getD1Database(name);
      await migrate(database, join(ROOT, "src", "migrations"));
      if (name === DIRECTORY) await seedDemoAccount(database, hasDemo);
    }
  } finally {
    await miniflare.dispose();
  }
}

async function simulate(
  workerOptions: Record<string, unknown>,
  folder: string,
  options: LocalOptions,
  network?: object,
): Promise<Miniflare> {
  const given = process.env[FLAGS_OF_ENGINE];
  try {
    // The simulator reads it as it starts.
    process.env[FLAGS_OF_ENGINE] = given ?? ENGINE_FLAGS;
    const worker = {
      ...workerOptions,
      name: "darkroom",
      modulesRules: undefined, // they are for reading sources; the modules of a bundle are listed
      modulesRoot: folder,
      modules: await modulesOf(folder, `${parse(options.main ?? "index.ts").name}.js`),
    };
    const miniflare = new Miniflare(
      convertV4MiniflareOptions({
        workers: (network
          ? [{ ...worker, outboundService: WAY_OUT.name }, wayOut(network)]
          : [worker]) as V4WorkerOptions[],
        host: options.host,
        port: options.port,
        resourcePersistencePath: options.state,
        cf: false,
        log: new Log(LogLevel.WARN),
        logRequests: false,
        ...(options.inspectorPort !== undefined && { inspectorPort: options.inspectorPort }),
        ...(options.quiet && { handleStructuredLogs: () => undefined }),
      }),
    );
    await miniflare.ready;
    return miniflare;
  } finally {
    if (given === undefined) delete process.env[FLAGS_OF_ENGINE];
    // It has been read.
    if (options.bundle === undefined) await rm(folder, { recursive: true, force: true });
  }
}

/** What a Worker calls goes by another one to where a service of this process listens: the simulator offers no shorter way. */
const WAY_OUT = { name: "way-out", script: "export default { fetch: (request, { OUT }) => OUT.fetch(request) }" };

function wayOut(network: object) {
  return { ...WAY_OUT, modules: true, compatibilityDate: "2026-01-01", serviceBindings: { OUT: network } };
}

const MODULE_TYPES: Readonly<Record<string, V4ModuleDefinition["type"]>> = {
  ".wasm": "CompiledWasm",
  ".bin": "Data",
  ".ttf": "Data",
  ".woff2": "Data",
  ".html": "Text",
  ".txt": "Text",
};

/** The modules that `wrangler deploy --dry-run --outdir` wrote: the entry, and what it imports beside it. */
export async function modulesOf(folder: string, entry = "index.js"): Promise<V4ModuleDefinition[]> {
  const others = (await readdir(folder)).flatMap((name) => {
    const type = MODULE_TYPES[extname(name)];
    return type === undefined ? [] : [{ type, path: join(folder, name) }];
  });
  return [{ type: "ESModule", path: join(folder, entry) }, ...others];
}

/** What the simulator's own types lose without a further package. */
interface Scheduled {
  scheduled(event: { cron: string }): Promise<unknown>;
}

/** Runs what a cron trigger would run. */
async function sweep(miniflare: Miniflare, cron: string): Promise<void> {
  try {
    const worker = (await miniflare.getWorker()) as unknown as Scheduled;
    await worker.scheduled({ cron });
  } catch (cause) {
    console.error("The sweep failed:", cause instanceof Error ? cause.message : cause);
  }
}

/** Applies what is missing, in order, and keeps the same ledger as `wrangler d1 migrations apply`. */
async function migrate(database: D1Database, folder: string): Promise<void> {
  await database
    .prepare(
      "CREATE TABLE IF NOT EXISTS d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)",
    )
    .run();
  const { results } = await database.prepare("SELECT name FROM d1_migrations").all<{ name: string }>();
  const applied = new Set(results.map(({ name }) => name));
  const names = (await readdir(folder)).filter((name) => name.endsWith(".sql")).sort();
  for (const name of names.filter((candidate) => !applied.has(candidate))) {
    const statements = unstable_splitSqlQuery(await readFile(join(folder, name), "utf8"));
    await database.batch([
      ...statements.map((statement) => database.prepare(statement)),
      database.prepare("INSERT INTO d1_migrations (name) VALUES (?)").bind(name),
    ]);
  }
}

/** The demo account, or what an earlier start has left of it, suspended: neither its key nor its delivery opens anything. */
async function seedDemoAccount(database: D1Database, hasDemo: boolean): Promise<void> {
  const id = "00000000-0000-4000-8000-00000000de30";
  const hash = createHash("sha256").update(DEMO_KEY).digest("hex");
  const now = new Date().toISOString();
  await database.batch([
    database
      .prepare(
        `INSERT INTO accounts (id, name, plan, credits_total, status, created_at, originals)
         VALUES (?1, 'Demo', 'demo', ?3, ?4, ?2, '/')
         ON CONFLICT DO UPDATE SET originals = '/', status = excluded.status`,
      )
      .bind(id, now, UNLIMITED_CREDITS, hasDemo ? "active" : "suspended"),
    database
      .prepare(
        "INSERT INTO keys (id, account_id, hash, name, hint, created_at) VALUES (?, ?, ?, 'demo', 'demo', ?) ON CONFLICT DO NOTHING",
      )
      .bind(id, id, hash, now),
    // Any source, everything unsigned: the interface cannot make such a delivery, so that there is none in production.
    database
      .prepare(
        `INSERT INTO deliveries
           (id, account_id, name, sources, presets, unsigned, refine, ttl, is_open, created_at, updated_at)
         VALUES ('demo', ?1, 'Demo', '[]', '{}', '{}', 1, 2592000, 1, ?2, ?2) ON CONFLICT DO NOTHING`,
      )
      .bind(id, now),
  ]);
}
