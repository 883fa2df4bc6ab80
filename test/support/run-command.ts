/**
 * Runs commands of the repository against the stand-in for wrangler. They write what they generate into its one
 * `.wrangler/`, and test files run beside each other: so one command runs at a time.
 */
import { execFile } from "node:child_process";
import { mkdir, open, readFile, rm } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { setTimeout as passed } from "node:timers/promises";

import { ROOT } from "../../src/cli/wrangler.ts";

const LOCK = join(ROOT, ".wrangler", "command.lock");
const LOOK_MS = 20;

export interface Ended {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * @param folder has the stand-in, and `darkroom.json`
 * @param variables of the environment, beside those of the machine that mean something in a test
 */
export async function runCommand(
  folder: string,
  [program, ...args]: readonly [string, ...string[]],
  variables: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  // What the machine of the tests has set means nothing here.
  const { ADMIN_TOKEN: _token, VAULT_KEY: _key, CI: _ci, WORKERS_CI: _build, ...outer } = process.env;
  const settings = { DARKROOM_SETTINGS: join(folder, "darkroom.json") };
  const env = { ...outer, ...settings, ...variables, PATH: `${folder}${delimiter}${process.env["PATH"]}` };
  await locked();
  try {
    return await new Promise((resolve) => {
      execFile(process.execPath, [program, ...args], { cwd: ROOT, env }, (error, stdout, stderr) => {
        resolve({ status: error === null ? 0 : 1, stdout, stderr });
      });
    });
  } finally {
    await rm(LOCK, { force: true });
  }
}

/** Waits for the others; a lock of a process that is gone is nobody's. */
async function locked(): Promise<void> {
  await mkdir(join(ROOT, ".wrangler"), { recursive: true });
  while (!(await tookLock())) {
    const owner = Number(await readFile(LOCK, "utf8").catch(() => ""));
    if (owner > 0 && !isAlive(owner)) await rm(LOCK, { force: true });
    await passed(LOOK_MS);
  }
}

async function tookLock(): Promise<boolean> {
  try {
    const file = await open(LOCK, "wx");
    await file.writeFile(String(process.pid));
    await file.close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
