/**
 * Objects apart: meters and couriers in a second Worker, `<name>-objects`, whose script has no codec. It is of the same
 * code, and the Worker is bound to its classes.
 *
 * It is chosen before a deployment is first made. What the platform offers to move classes to another script cannot be
 * taken back (no version from before is ever deployed again), and the second script needs `VAULT_KEY`, which nobody can
 * read once it is set.
 */
import { besideOf, type MainConfig, nameBeside } from "./beside.ts";

/** Classes that load nothing which works on pictures. */
const CLASSES: readonly string[] = ["Meter", "Courier"];

interface BoundClass {
  readonly name: string;
  readonly class_name: string;
  readonly script_name?: string;
}

interface ClassMigration {
  readonly tag: string;
  readonly new_sqlite_classes?: readonly string[];
}

/** What a configuration says of objects. */
export interface ClassesConfig {
  readonly durable_objects: { readonly bindings: readonly BoundClass[] };
  readonly migrations: readonly ClassMigration[];
}

const NAME = "objects";

/** The name of the second Worker. */
export function objectsName(worker: string): string {
  return nameBeside(worker, NAME);
}

/**
 * What a Worker's configuration says of objects when they are apart: bound from the other script, and made by it alone.
 * @param worker its name
 */
export function boundApart({ durable_objects, migrations }: ClassesConfig, worker: string): ClassesConfig {
  const bindings = durable_objects.bindings.map((binding) =>
    CLASSES.includes(binding.class_name) ? { ...binding, script_name: objectsName(worker) } : binding,
  );
  return { durable_objects: { bindings }, migrations: madeBy(migrations, (name) => !CLASSES.includes(name)) };
}

/** Migrations of these classes alone. Tags stay what they are: the platform applies those behind the last it knows. */
function madeBy(migrations: readonly ClassMigration[], isMade: (name: string) => boolean): readonly ClassMigration[] {
  return migrations
    .map(({ tag, new_sqlite_classes: names = [] }) => ({ tag, new_sqlite_classes: names.filter(isMade) }))
    .filter(({ new_sqlite_classes: names }) => names.length > 0);
}

/** The first Worker's, with what the second has of it. */
export interface WorkerConfig extends ClassesConfig, MainConfig {
  readonly d1_databases: readonly object[];
  readonly vars: Readonly<Record<string, string>>;
}

/**
 * The configuration of the second Worker, beside that of the first.
 * @param worker the first one's, in whose place it lies
 * @param all migrations of every class, those that the first one does not make included
 */
export function objectsConfig(worker: WorkerConfig, all: readonly ClassMigration[]): object {
  const bindings = worker.durable_objects.bindings
    .filter(({ class_name }) => CLASSES.includes(class_name))
    .map(({ name, class_name }) => ({ name, class_name }));
  return {
    ...besideOf(worker, NAME),
    vars: worker.vars,
    d1_databases: worker.d1_databases,
    durable_objects: { bindings },
    migrations: madeBy(all, (name) => CLASSES.includes(name)),
  };
}

/** The names of the secrets of a Worker; undefined: there is no such Worker. */
export type Secrets = ReadonlySet<string> | undefined;

/**
 * Holds what was chosen against what is there: meters that begin anew would forget what accounts have used.
 * @throws Error that says what to do
 */
export function assertObjectsStay(worker: string, isApart: boolean, there: { own: Secrets; objects: Secrets }): void {
  const other = objectsName(worker);
  if (isApart && there.own && !there.objects) {
    throw new Error(
      `The Worker "${worker}" has its objects itself, and they cannot be moved: take "objects" out of darkroom.json. A new deployment or environment can have them apart`,
    );
  }
  if (!isApart && there.objects) {
    throw new Error(`The objects of "${worker}" are in the Worker "${other}", and stay there: add --objects apart`);
  }
}

/**
 * The secrets that the second Worker is to be given, and those of the first with them: both open what is sealed.
 * @param wanted secrets that the first one lacks, with their values
 * @throws Error when the first one has a key that nobody knows here
 */
export function sharedSecrets(
  wanted: Readonly<Record<string, string>>,
  there: { own: Secrets; objects: Secrets },
  environment: NodeJS.ProcessEnv,
): Readonly<Record<string, string>> {
  const fresh = wanted["VAULT_KEY"];
  // What the first one never had has sealed nothing, whatever an earlier run has given to the second.
  if (fresh !== undefined) return { VAULT_KEY: fresh };
  if (there.objects?.has("VAULT_KEY")) return {};
  const given = environment["VAULT_KEY"];
  if (given !== undefined) return { VAULT_KEY: given };
  throw new Error("The Worker has a VAULT_KEY, its objects have none: set VAULT_KEY in the environment to what it is");
}
