/** The folder of a service on one machine: rows, objects, counters and secrets. Whoever has a copy has the service. */
import { randomBytes } from "node:crypto";
import { cp, glob, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { backup, DatabaseSync } from "node:sqlite";

import { GRACE_MS } from "../limits/webhook.ts";

/** JSON: what opens the administration, and what the database is sealed with. */
export const SECRETS = "secrets.json";
/** Held for as long as a service runs; the system lets go of it however the process ends. */
const LOCK = "lock.sqlite";
/** Where the simulators keep what they are told. */
const STATE = "state";
/** What a copy leaves out: it fills anew. */
const CACHE = join(STATE, "cache");

interface Secrets {
  readonly ADMIN_TOKEN: string;
  readonly VAULT_KEY: string;
}

export interface DataFolder {
  readonly state: string;
  readonly secrets: Secrets;
  /** Whether there was no service in it before. */
  readonly isNew: boolean;
}

/**
 * Takes the folder for this process alone, and makes what is missing in it.
 * @throws Error when another service runs in it
 */
export async function openData(folder: string): Promise<DataFolder> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const lock = new DatabaseSync(join(folder, LOCK));
  try {
    lock.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
  } catch (cause) {
    throw new Error(`Another service runs in ${folder}. One folder has one service at a time`, { cause });
  }
  process.once("exit", () => lock.close());
  const file = join(folder, SECRETS);
  const saved = await readFile(file, "utf8").catch(() => undefined);
  const secrets = saved === undefined ? newSecrets() : (JSON.parse(saved) as Secrets);
  if (saved === undefined) await writeFile(file, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 });
  return { state: join(folder, STATE), secrets, isNew: saved === undefined };
}

/**
 * Frees the jobs, notifications and objects of batches that a service held when it was killed. Nobody else can be at work on them: the folder
 * is this process's alone. So the first sweep takes them up, and nobody waits for their leases to end.
 * @param now milliseconds since 1970
 */
export async function freeHeld(state: string, now: number): Promise<void> {
  const overdue = now - GRACE_MS;
  for await (const name of glob("d1/**/*.sqlite", { cwd: state })) {
    const database = new DatabaseSync(join(state, name));
    try {
      const found = database.prepare("SELECT 1 FROM pragma_table_info('webhooks') WHERE name = 'stage'").get();
      if (found === undefined) continue;
      database
        .prepare(
          "UPDATE webhooks SET claim = NULL, wake_at = min(wake_at, ?1) WHERE stage = 'waiting' AND claim IS NOT NULL",
        )
        .run(now);
      // The queue that told of them is gone, too.
      const told = "UPDATE webhooks SET wake_at = min(wake_at, ?2), sweep_at = min(sweep_at, ?2)";
      database.prepare(`${told} WHERE stage = 'waiting' AND wake_at <= ?1`).run(now, overdue);
    } finally {
      database.close();
    }
  }
  await freeObjects(state);
}

/** Objects that a batch had handed out wait again: the queue that told of them is gone, and so is who worked on them. */
async function freeObjects(state: string): Promise<void> {
  for await (const name of glob("do/**/*.sqlite", { cwd: state })) {
    const database = new DatabaseSync(join(state, name));
    try {
      const found = database.prepare("SELECT 1 FROM pragma_table_info('objects') WHERE name = 'until'").get();
      if (found !== undefined) database.exec("UPDATE objects SET until = NULL, token = NULL WHERE until IS NOT NULL");
    } finally {
      database.close();
    }
  }
}

function newSecrets(): Secrets {
  return { ADMIN_TOKEN: randomBytes(24).toString("base64url"), VAULT_KEY: randomBytes(32).toString("base64") };
}

/**
 * Copies the folder while a service may run in it. Each database is copied as it is at one moment, rows before the list of
 * objects; objects, which are never changed, before and after. So the copy has all that was accepted before it began.
 * @throws Error when there is no service in the folder, or the copy would be laid over something
 */
export async function copyData(folder: string, to: string): Promise<void> {
  const names: string[] = await readdir(folder).catch(() => []);
  if (!names.includes(SECRETS)) throw new Error(`There is no service in ${folder}`);
  const there: string[] = await readdir(to).catch(() => []);
  if (there.length > 0) throw new Error(`${to} is not empty`);
  await mkdir(to, { recursive: true, mode: 0o700 });
  const files = await Array.fromAsync(glob(`${STATE}/**/*.sqlite`, { cwd: folder }));
  const databases = files.filter((name) => !name.startsWith(CACHE));
  const isObjects = (name: string): boolean => name.startsWith(join(STATE, "r2"));
  await copyObjects(folder, to);
  for (const name of databases.sort((one, other) => Number(isObjects(one)) - Number(isObjects(other)))) {
    await mkdir(dirname(join(to, name)), { recursive: true });
    const database = new DatabaseSync(join(folder, name), { readOnly: true });
    try {
      await backup(database, join(to, name));
    } finally {
      database.close();
    }
  }
  await copyObjects(folder, to);
  await cp(join(folder, SECRETS), join(to, SECRETS));
}

/** Copies objects that the copy does not have yet. One that is deleted meanwhile is not missed. */
async function copyObjects(folder: string, to: string): Promise<void> {
  for await (const name of glob(`${STATE}/r2/*/blobs/*`, { cwd: folder })) {
    const target = join(to, name);
    await mkdir(dirname(target), { recursive: true });
    await cp(join(folder, name), target, { errorOnExist: false, force: false }).catch(
      (error: NodeJS.ErrnoException) => {
        if (error.code !== "ENOENT") throw error;
      },
    );
  }
}
