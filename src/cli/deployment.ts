/**
 * Which deployment a command is about, and the configuration that comes of it: that of the repository or of the package,
 * with the settings in `darkroom.json`, which keep what was asked for on the command line.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { readConfiguration } from "./configuration.ts";
import { objectsConfig } from "./objects.ts";
import { picturesConfig } from "./pictures.ts";
import {
  type PackageConfig,
  placeOf,
  projectConfig,
  type ProjectSettings,
  readSettings,
  repositoryConfig,
  withPlacement,
} from "./project.ts";
import { PROJECT, ROOT } from "./wrangler.ts";

/** The settings of the user, which no upgrade writes. */
export const SETTINGS = process.env["DARKROOM_SETTINGS"] ?? join(PROJECT, "darkroom.json");
const COMMITTED = join(ROOT, "wrangler.toml");
const GENERATED = join(PROJECT, ".wrangler", "darkroom.json");
/** What stands for the platform's own domain, on which a deployment without a domain answers. */
const SHARED_DOMAIN = "workers.dev";
const PLACEMENT_FLAGS = ["--domain", "--region", "--jurisdiction", "--objects", "--pictures"] as const;

/** What a command was asked for. */
export interface Order {
  readonly environment?: string;
  /** Members of the settings that are to be from now on; an empty text is none any more. */
  readonly placement: Readonly<Record<string, string>>;
  /** All other arguments. */
  readonly others: readonly string[];
}

export interface Configured {
  /** Its path. */
  readonly config: string;
  /** That of the Worker of its objects, where they are apart. */
  readonly objects?: string;
  /** Those of the Worker of its pictures, where they have a host: before the first Worker is there, and from then on. */
  readonly pictures?: { readonly host: string; readonly first: string; readonly config: string };
  /** The settings that it comes of, where there are any. */
  readonly settings?: ProjectSettings;
  /** Has the settings keep what was asked for. */
  readonly keep: () => Promise<void>;
}

/** @throws Error where a flag lacks what it is to be */
export function orderOf(args: readonly string[]): Order {
  const others = [...args];
  const taken = (flag: string): string | undefined => {
    const at = others.indexOf(flag);
    if (at < 0) return undefined;
    const [, value] = others.splice(at, 2);
    if (value === undefined || value.startsWith("-")) throw new Error(`${flag} needs a value behind it`);
    return value;
  };
  const environment = taken("--env");
  const placement = PLACEMENT_FLAGS.flatMap((flag) => {
    const value = taken(flag);
    return value === undefined ? [] : [[flag.slice(2), value === SHARED_DOMAIN ? "" : value] as const];
  });
  return { ...(environment !== undefined && { environment }), placement: Object.fromEntries(placement), others };
}

/**
 * The configuration that is deployed.
 * @throws Error that says which setting is wrong
 */
export async function configured({ environment, placement }: Order): Promise<Configured> {
  const isPackage = PROJECT !== ROOT;
  const text = await readFile(SETTINGS, "utf8").catch(() => undefined);
  if (text === undefined && isPackage) {
    throw new Error("There is no darkroom.json here: npm create @darkroom-images makes a project");
  }
  const isPlaced = Object.keys(placement).length > 0;
  if (text === undefined && !isPlaced && environment === undefined)
    return { config: COMMITTED, keep: async () => undefined };
  const base = await readConfiguration<PackageConfig>(isPackage ? join(ROOT, "wrangler.json") : COMMITTED);
  const known = text === undefined ? { name: base.name ?? "darkroom" } : readSettings(text);
  const settings = isPlaced ? withPlacement(known, environment, placement) : known;
  const from = dirname(GENERATED);
  const configOf = isPackage ? projectConfig : repositoryConfig;
  const config = configOf(base, settings, environment, { root: ROOT, from });
  await mkdir(from, { recursive: true });
  await writeFile(GENERATED, JSON.stringify(config, null, 2));
  const { objects, pictures: host } = placeOf(settings, environment);
  const beside = {
    ...(objects && { objects: await generated("objects", objectsConfig(config, base.migrations)) }),
    ...(host !== undefined && {
      pictures: {
        host,
        first: await generated("pictures-first", picturesConfig(config, host, true)),
        config: await generated("pictures", picturesConfig(config, host, false)),
      },
    }),
  };
  const keep = async () => {
    if (isPlaced) await writeFile(SETTINGS, `${JSON.stringify(settings, null, 2)}\n`);
  };
  return { config: GENERATED, ...beside, settings, keep };
}

/** The path of the configuration of a Worker beside it. */
async function generated(name: string, config: object): Promise<string> {
  const path = join(dirname(GENERATED), `darkroom-${name}.json`);
  await writeFile(path, JSON.stringify(config, null, 2));
  return path;
}
