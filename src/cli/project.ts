/**
 * A project that depends on the package of the Worker: its settings, in a file that upgrades do not touch, over the
 * configuration that the package brings.
 */
import { relative } from "node:path";

import * as v from "valibot";

import { JURISDICTIONS, REGIONS, SETTING_NAMES, settingsOf } from "../env.ts";
import { boundApart, type ClassesConfig, type WorkerConfig } from "./objects.ts";
import { boundToPictures } from "./pictures.ts";

/** Settings that are secrets, which no file of a repository should have. */
const SECRETS = ["ADMIN_TOKEN", "FACEBOOK_TOKEN", "SIGNER", "TWITTER_TOKEN", "VAULT_KEY", "VAULT_KEY_NEXT"];

const Name = v.pipe(
  v.string(),
  v.regex(/^[a-z](?:[a-z0-9-]{0,48}[a-z0-9])?$/, "must be 1 to 50 small letters, digits and hyphens"),
);
const Domain = v.pipe(
  v.string(),
  v.regex(/^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/, "must be a host, as img.example.com"),
);
const Variables = v.record(v.string(), v.string("must be text"));
const Account = v.pipe(v.string(), v.regex(/^[0-9a-f]{32}$/, "must be 32 hexadecimal digits"));
const Region = v.picklist(REGIONS, `must be one of ${REGIONS.join(", ")}`);
const Jurisdiction = v.picklist(JURISDICTIONS, `must be one of ${JURISDICTIONS.join(", ")}`);
const Objects = v.picklist(["apart"], "must be apart");
const PLACE = {
  domain: v.optional(Domain),
  region: v.optional(Region),
  jurisdiction: v.optional(Jurisdiction),
  objects: v.optional(Objects),
  pictures: v.optional(Domain),
  vars: v.optional(Variables),
};
const Environment = v.strictObject(PLACE);
const SettingsFile = v.strictObject({
  name: Name,
  account: v.optional(Account),
  ...PLACE,
  environments: v.optional(v.record(Name, Environment)),
});

/** The file `darkroom.json` of a project. */
export type ProjectSettings = v.InferOutput<typeof SettingsFile>;

/** Where a deployment answers, where what it keeps lies, and which Workers it has beside the first. */
type Placement = Pick<ProjectSettings, "domain" | "region" | "jurisdiction" | "objects" | "pictures">;

/** What of the package's configuration the settings change; all else passes as it is. */
export interface PackageConfig extends ClassesConfig {
  readonly name?: string;
  readonly main: string;
  readonly assets: { readonly directory: string };
  readonly vars: Readonly<Record<string, string>>;
  readonly alias?: Readonly<Record<string, string>>;
  readonly r2_buckets: readonly [NamedBucket, ...NamedBucket[]];
  readonly d1_databases: readonly [NamedDatabase, ...NamedDatabase[]];
  readonly queues: {
    readonly producers: readonly [NamedQueue, ...NamedQueue[]];
    readonly consumers: readonly [NamedQueue, ...NamedQueue[]];
  };
}

interface Folders {
  /** Of the package or the repository. */
  readonly root: string;
  /** That the configuration will lie in. */
  readonly from: string;
}

interface NamedQueue {
  readonly queue?: string;
}

interface NamedBucket {
  readonly bucket_name?: string;
}

interface NamedDatabase {
  readonly database_name?: string;
}

/** @throws Error that names the member of the file and its rule */
export function readSettings(text: string): ProjectSettings {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new Error("darkroom.json is no JSON", { cause });
  }
  const result = v.safeParse(SettingsFile, value);
  if (!result.success) {
    const [issue] = result.issues;
    const path = v.getDotPath(issue) ?? "darkroom.json";
    throw new Error(issue.expected === "never" ? `${path} is no setting of darkroom.json` : `${path} ${issue.message}`);
  }
  const { vars, environments = {} } = result.output;
  for (const { domain, pictures } of [result.output, ...Object.values(environments)]) {
    if (pictures !== undefined && pictures === domain) throw new Error("pictures must be another host than domain");
  }
  for (const one of [vars, ...Object.values(environments).map((environment) => environment.vars)]) {
    const secret = SECRETS.find((name) => one !== undefined && name in one);
    if (secret !== undefined) throw new Error(`${secret} is a secret: set it with npx wrangler secret put ${secret}`);
    const unknown = Object.keys(one ?? {}).findIndex((name) => !SETTING_NAMES.includes(name));
    if (unknown >= 0) throw new Error(`vars of darkroom.json: number ${unknown + 1} is no setting`);
    settingsOf({ ...one });
  }
  return result.output;
}

/**
 * What is deployed. All that the account has carries the name of the project, and of the environment.
 * @throws Error when there is no such environment
 */
export function projectConfig(
  base: PackageConfig,
  settings: ProjectSettings,
  environment: string | undefined,
  folders: Folders,
): WorkerConfig & Readonly<Record<string, unknown>> {
  const { config, named, below, inWorker } = settled(base, settings, environment, folders);
  const name = named(settings.name);
  const [bucket, ...buckets] = config.r2_buckets;
  const [database, ...databases] = base.d1_databases;
  const { producers, consumers } = base.queues;
  return {
    ...config,
    ...inWorker(name),
    name,
    base_dir: below("bundle"),
    r2_buckets: [{ ...bucket, bucket_name: name }, ...buckets],
    d1_databases: [{ ...database, database_name: name, migrations_dir: below("migrations") }, ...databases],
    queues: { producers: [{ ...producers[0], queue: name }], consumers: [{ ...consumers[0], queue: name }] },
  };
}

/**
 * What of the repository itself is deployed where it has settings: its wrangler.toml with them. Names are those of
 * wrangler.toml, of an environment with its name behind them.
 * @throws Error when there is no such environment
 */
export function repositoryConfig(
  base: PackageConfig,
  settings: ProjectSettings,
  environment: string | undefined,
  folders: Folders,
): WorkerConfig & Readonly<Record<string, unknown>> {
  const { config, named, below, inWorker } = settled(base, settings, environment, folders);
  const [bucket, ...buckets] = config.r2_buckets;
  const { producers, consumers } = base.queues;
  const queueOf = (one: { readonly queue?: string }) => ({ ...one, queue: named(one.queue) });
  return {
    ...config,
    ...inWorker(named(base.name)),
    name: named(base.name),
    ...(base.alias && { alias: Object.fromEntries(Object.entries(base.alias).map(([of, to]) => [of, below(to)])) }),
    r2_buckets: [{ ...bucket, bucket_name: named(bucket.bucket_name) }, ...buckets],
    d1_databases: base.d1_databases.map((database) => ({
      ...database,
      database_name: named(database.database_name),
      migrations_dir: below("src/migrations"),
    })),
    queues: { producers: producers.map(queueOf), consumers: consumers.map(queueOf) },
  };
}

/** What settings make of a configuration, whoever names what the account has. */
function settled(
  base: PackageConfig,
  settings: ProjectSettings,
  environment: string | undefined,
  { root, from }: Folders,
) {
  const chosen = placeOf(settings, environment);
  const below = (path: string): string => relative(from, `${root}/${path}`).replaceAll("\\", "/");
  const [bucket, ...buckets] = base.r2_buckets;
  const config = {
    ...base,
    ...(settings.account !== undefined && { account_id: settings.account }),
    main: below(base.main),
    assets: { ...base.assets, directory: below(base.assets.directory) },
    vars: { ...base.vars, ...settings.vars, ...chosen.vars, ...variablesOf(chosen) },
    ...routesOf(chosen),
    r2_buckets: [{ ...bucket, ...boundIn(chosen) }, ...buckets] as const,
  };
  const named = (name = settings.name): string => (environment === undefined ? name : `${name}-${environment}`);
  const inWorker = (name: string): object => ({
    ...(chosen.objects && boundApart(base, name)),
    ...(chosen.pictures !== undefined && boundToPictures(name)),
  });
  return { config, named, below, inWorker };
}

/**
 * The settings of a deployment or of an environment, which lies where the deployment beside it lies unless it says something
 * else.
 * @throws Error when there is no such environment
 */
export function placeOf(settings: ProjectSettings, environment: string | undefined): v.InferOutput<typeof Environment> {
  if (environment === undefined) return settings;
  const chosen = settings.environments?.[environment];
  if (!chosen)
    throw new Error(
      "There is no environment of this name in darkroom.json: add it, or say --domain <host> or workers.dev",
    );
  const { region, jurisdiction, objects } = settings;
  return {
    ...(region && { region }),
    ...(jurisdiction && { jurisdiction }),
    ...(objects && { objects }),
    ...chosen,
  };
}

/** Objects are made where their first caller asks for them to be, so that the Worker has to know. */
function variablesOf({ region, jurisdiction }: Placement): Record<string, string> {
  return { ...(region && { REGION: region }), ...(jurisdiction && { JURISDICTION: jurisdiction }) };
}

/** The edge's cache works on a domain alone, and two addresses of one picture would be kept twice. */
function routesOf({ domain }: Placement): object {
  return domain === undefined ? {} : { workers_dev: false, routes: [{ pattern: domain, custom_domain: true }] };
}

function boundIn({ jurisdiction }: Placement): object {
  return jurisdiction === undefined ? {} : { jurisdiction };
}

/**
 * Settings with what was asked for on the command line, for the deployment or for one of its environments; what is empty is
 * taken out.
 * @throws Error that names the member and its rule
 */
export function withPlacement(
  settings: ProjectSettings,
  environment: string | undefined,
  placement: Readonly<Record<string, string>>,
): ProjectSettings {
  const { environments = {} } = settings;
  const placed = (of: object): object =>
    Object.fromEntries(Object.entries({ ...of, ...placement }).filter(([, value]) => value !== ""));
  const changed =
    environment === undefined
      ? placed(settings)
      : { ...settings, environments: { ...environments, [environment]: placed(environments[environment] ?? {}) } };
  return readSettings(JSON.stringify(changed));
}
