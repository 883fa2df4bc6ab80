/** Workers of one deployment beside the first, of the same code: what their configurations share with its own. */

/** Where the entries lie: sources in the repository, bundles in the package. */
const ENTRIES = [
  [/src\/index\.ts$/, (name: string) => `src/${name}.ts`],
  [/bundle\/index\.js$/, (name: string) => `${name}/${name}.js`],
] as const;

/** What is the same for all. */
const SHARED: readonly string[] = [
  "account_id",
  "compatibility_date",
  "compatibility_flags",
  "keep_names",
  "minify",
  "no_bundle",
  "observability",
  "upload_source_maps",
];

/** A configuration, as far as others come of it. */
export interface MainConfig {
  readonly name: string;
  readonly main: string;
}

/**
 * The beginning of the configuration of a Worker beside another, in whose place it lies. Nobody reaches it.
 * @param name of the Worker, behind that of the first, and of its entry
 * @throws Error when the entry of the first is none that the package or the repository has
 */
export function besideOf(worker: MainConfig, name: string): object {
  return {
    name: nameBeside(worker.name, name),
    main: entryBeside(worker.main, name),
    ...Object.fromEntries(Object.entries(worker).filter(([member]) => SHARED.includes(member))),
    workers_dev: false,
    preview_urls: false,
  };
}

/** The name of a Worker beside another. */
export function nameBeside(worker: string, name: string): string {
  return `${worker}-${name}`;
}

function entryBeside(main: string, name: string): string {
  for (const [own, other] of ENTRIES) if (own.test(main)) return main.replace(own, other(name));
  throw new Error("A Worker beside it needs the entry that the package or the repository brings");
}
