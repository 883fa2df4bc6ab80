/** What the service needs of an account on the platform: each piece can be looked for and can be made. */
import { randomBytes } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, parse } from "node:path";

import { DATABASE_BINDING, DIRECTORY } from "../env.ts";
import { readConfiguration } from "./configuration.ts";
import { PROJECT, ROOT, wrangler, wranglerOrThrow, type WranglerOptions } from "./wrangler.ts";

export interface Piece {
  readonly title: string;
  /** @throws Error when the platform gives no clear answer */
  readonly present: () => Promise<boolean>;
  readonly make: () => Promise<void>;
}

/** The names that wrangler.toml gives, so that they stand in one place. */
export interface Names {
  readonly worker: string;
  readonly bucket: string;
  /** Every database, the directory first. */
  readonly databases: readonly [string, ...string[]];
  readonly queue: string;
  /** Where bucket and databases are made that are missing, and what must keep them; absent: the platform chooses. */
  readonly region?: string;
  readonly jurisdiction?: string;
  /** The ids that wrangler.toml gives to databases itself, as where the platform's own builds made them; by name. */
  readonly ids: ReadonlyMap<string, string>;
}

/** The committed file, which is deployed where no settings say anything else (deployment.ts). */
const COMMITTED = join(ROOT, "wrangler.toml");
const MIGRATIONS = "src/migrations";
const LIFECYCLE_RULE = "temporary-results";
const ABSENT = /does not exist|not found|10006|10007|11000/i;
/** What wrangler says when the token that it was given may not do that. */
const FORBIDDEN = /authentication error|unauthori[sz]ed|forbidden|code: (?:10000|10001|9109)\b/i;
/** The ids of the committed file, which no database has. */
const PLACEHOLDER_ID = /^0{8}(?:-0{4}){3}-\d{12}$/;

/** @throws Error when wrangler.toml at this path lacks one of the bindings, or has a database that would not be found */
export async function readNames(path = COMMITTED): Promise<Names> {
  const config = await readConfiguration<NamingConfig>(path);
  const bucket = config.r2_buckets?.[0]?.bucket_name;
  const bound = config.d1_databases ?? [];
  const databases = bound.map((database) => databaseName(database, path.endsWith(".json")));
  const directory = databases[bound.findIndex(({ binding }) => binding === DIRECTORY)];
  const queue = config.queues?.producers?.[0]?.queue;
  const { name: worker } = config;
  if (worker === undefined || bucket === undefined || directory === undefined || queue === undefined) {
    throw new Error("wrangler.toml must name the Worker, an R2 bucket, a D1 database bound as DB and a queue");
  }
  if (new Set(databases).size < databases.length) throw new Error("Two D1 databases of wrangler.toml have one name");
  const ids = new Map(bound.flatMap((database) => givenId(database)));
  const { REGION: region, JURISDICTION: jurisdiction } = config.vars ?? {};
  return {
    worker,
    bucket,
    databases: [directory, ...databases.filter((name) => name !== directory)],
    queue,
    ...(typeof region === "string" && region !== "" && { region }),
    ...(typeof jurisdiction === "string" && jurisdiction !== "" && { jurisdiction }),
    ids,
  };
}

/** What of a configuration has names. */
interface NamingConfig {
  readonly name?: string;
  readonly r2_buckets?: readonly { readonly bucket_name?: string }[];
  readonly d1_databases?: readonly DatabaseConfig[];
  readonly queues?: { readonly producers?: readonly { readonly queue?: string }[] };
  readonly vars?: Readonly<Record<string, unknown>>;
}

interface DatabaseConfig {
  readonly binding: string;
  readonly database_name?: string;
  readonly database_id?: string;
  readonly migrations_dir?: string;
}

/** @throws Error when the Worker would not find the database, or its migrations would not be applied */
function databaseName(
  { binding, database_name: name, migrations_dir: migrations }: DatabaseConfig,
  isGenerated: boolean,
): string {
  if (!DATABASE_BINDING.test(binding))
    throw new Error(`The D1 database ${binding} must be bound as DB, DB_1, DB_2 and so on`);
  if (name !== undefined && (migrations === MIGRATIONS || isGenerated)) return name;
  throw new Error(`The D1 database ${binding} must have a database_name and migrations_dir = "${MIGRATIONS}"`);
}

function givenId({ database_name: name, database_id: id }: DatabaseConfig): (readonly [string, string])[] {
  return name === undefined || id === undefined || PLACEHOLDER_ID.test(id) ? [] : [[name, id]];
}

/** Whether the token in use lacks the permission for what was asked. */
export function isForbidden(error: unknown): boolean {
  return error instanceof Error && FORBIDDEN.test(error.message);
}

/** What wrangler printed, or undefined when it said that the thing is not there. */
async function look(args: readonly string[], options: WranglerOptions): Promise<string | undefined> {
  const { status, stdout, stderr } = await wrangler(args, options);
  if (status === 0) return stdout;
  if (ABSENT.test(stdout + stderr)) return undefined;
  throw new Error(`wrangler ${args.join(" ")} failed:\n${stderr.trim() || stdout.trim()}`);
}

/** @throws Error saying how to log in */
export async function requireLogin(options: WranglerOptions): Promise<void> {
  const { status } = await wrangler(["whoami", "--json"], options);
  if (status === 0) return;
  throw new Error("Not logged in. Run: npx wrangler login   (or set CLOUDFLARE_API_TOKEN and CLOUDFLARE_ACCOUNT_ID)");
}

/** Bucket, its expiry rule, databases and queue, in the order in which they can be made. */
export function pieces(names: Names, options: WranglerOptions): Piece[] {
  const { bucket, databases, queue, region, jurisdiction, ids } = names;
  // What is kept within a jurisdiction has no other place; a bucket of the same name elsewhere is another one.
  const within = jurisdiction === undefined ? [] : ["--jurisdiction", jurisdiction];
  const place = jurisdiction === undefined && region !== undefined ? ["--location", region] : within;
  const where = jurisdiction === undefined ? (region ?? "") : `jurisdiction ${jurisdiction}`;
  const placed = where === "" ? "" : ` (${where})`;
  return [
    {
      title: `R2 bucket "${bucket}"${placed}`,
      present: async () => (await look(["r2", "bucket", "info", bucket, "--json", ...within], options)) !== undefined,
      make: () => run(["r2", "bucket", "create", bucket, "--update-config=false", ...place], options),
    },
    {
      title: `R2 lifecycle rule: temp/ expires after one day`,
      present: async () => {
        const rules = await look(["r2", "bucket", "lifecycle", "list", bucket, ...within], options);
        return rules?.includes(LIFECYCLE_RULE) ?? false;
      },
      make: () =>
        run(
          ["r2", "bucket", "lifecycle", "add", bucket, LIFECYCLE_RULE, "temp/", "--expire-days", "1", "--force"].concat(
            within,
          ),
          options,
        ),
    },
    ...databases.map((database) => ({
      title: `D1 database "${database}"${placed}`,
      present: async () => ids.has(database) || (await databaseId(database, options)) !== undefined,
      make: () => run(["d1", "create", database, "--update-config=false", ...place], options),
    })),
    {
      title: `Queue "${queue}"`,
      present: async () => (await look(["queues", "info", queue], options)) !== undefined,
      make: () => run(["queues", "create", queue], options),
    },
  ];
}

async function run(args: readonly string[], options: WranglerOptions): Promise<void> {
  await wranglerOrThrow(args, options);
}

/** The id of the database with this name; undefined when there is none. */
export async function databaseId(name: string, options: WranglerOptions): Promise<string | undefined> {
  const list: unknown = JSON.parse(await wranglerOrThrow(["d1", "list", "--json"], options));
  if (!Array.isArray(list)) throw new Error("wrangler d1 list gave no list");
  const found = (list as { name?: unknown; uuid?: unknown }[]).find((database) => database.name === name);
  return typeof found?.uuid === "string" ? found.uuid : undefined;
}

/**
 * wrangler.toml with the account's own database ids, beside the other generated files: the committed file stays as it is.
 * @param config the committed file, or what settings have made of it
 * @param ids by the names of the databases; what has none keeps the placeholder
 * @param name of the file, without its ending
 * @returns its path
 */
export async function writeDeployConfig(
  config: string,
  ids: ReadonlyMap<string, string>,
  name = "deploy",
): Promise<string> {
  const committed = await readFile(config, "utf8");
  if (config.endsWith(".json")) return writeProjectConfig(committed, ids, name);
  const text = withIds(committed, ids)
    .replace(/^(main|migrations_dir|directory) = "/gm, '$1 = "../')
    .replace(/^("#\w+\/\w+" = ")\.\//gm, "$1../");
  const path = join(ROOT, ".wrangler", `${name}.toml`);
  await mkdir(join(ROOT, ".wrangler"), { recursive: true });
  await writeFile(path, `# Generated by npm run deploy from wrangler.toml.\n${text}`);
  return path;
}

async function writeProjectConfig(made: string, ids: ReadonlyMap<string, string>, name: string): Promise<string> {
  const config = JSON.parse(made) as { d1_databases: DatabaseConfig[] };
  const databases = config.d1_databases.map((database) => ({
    ...database,
    database_id: ids.get(database.database_name ?? "") ?? database.database_id,
  }));
  const path = join(PROJECT, ".wrangler", `${name}.json`);
  await writeFile(path, JSON.stringify({ ...config, d1_databases: databases }, null, 2));
  return path;
}

/** The text of a wrangler.toml with the ids of its databases in place of those it has. */
export function withIds(toml: string, ids: ReadonlyMap<string, string>): string {
  return toml.replace(/^\[\[d1_databases\]\]\n(?:(?!\[).*\n?)*/gm, (block) => {
    const name = /^database_name = "(.*)"$/m.exec(block)?.[1] ?? "";
    const id = ids.get(name);
    return id === undefined ? block : block.replace(/^database_id = .*$/m, `database_id = "${id}"`);
  });
}

/**
 * The names of the secrets of a Worker; undefined: there is no such Worker.
 * @param worker its name; absent: the one that is configured
 */
export async function secretsOf(
  config: string,
  worker: string | undefined,
  options: WranglerOptions,
): Promise<ReadonlySet<string> | undefined> {
  const named = worker === undefined ? [] : ["--name", worker];
  const printed = await look(["secret", "list", "--config", config, "--format", "json", ...named], options);
  return printed === undefined
    ? undefined
    : new Set((JSON.parse(printed) as { name: string }[]).map(({ name }) => name));
}

/**
 * The secrets that a Worker lacks, each with a fresh value or the one in the environment.
 * @param present names of those that it has
 */
export function missingSecrets(
  present: ReadonlySet<string> | undefined,
  env: NodeJS.ProcessEnv,
): Readonly<Record<string, string>> {
  const wanted = {
    VAULT_KEY: env["VAULT_KEY"] ?? randomBytes(32).toString("base64"),
    ADMIN_TOKEN: env["ADMIN_TOKEN"]?.trim() || randomBytes(24).toString("base64url"),
  };
  return Object.fromEntries(Object.entries(wanted).filter(([name]) => !present?.has(name)));
}

/**
 * Uploads the Worker, with the missing secrets in the same step, so that it never runs without them.
 * @returns the address, where wrangler printed one
 */
export async function upload(
  config: string,
  secrets: Readonly<Record<string, string>>,
  options: WranglerOptions,
): Promise<string | undefined> {
  const file = join(PROJECT, ".wrangler", `${parse(config).name}-secrets.json`);
  try {
    await writeFile(file, JSON.stringify(secrets), { mode: 0o600 });
    const printed = await wranglerOrThrow(["deploy", "--config", config, "--secrets-file", file], options);
    return /https?:\/\/\S+/.exec(printed)?.[0];
  } finally {
    await rm(file, { force: true });
  }
}
