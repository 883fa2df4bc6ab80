/** npm and tar as tests run them, on every system. */
import { execFile } from "node:child_process";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** What `npm <args>` printed. On Windows npm is a script of the shell. */
export async function npm(args: readonly string[], cwd: string): Promise<string> {
  const { stdout } = await run("npm", [...args], { cwd, shell: process.platform === "win32" });
  return stdout.trim();
}

/** The tarball that a package was packed into. */
export async function packed(from: string, into: string): Promise<string> {
  return join(into, await npm(["pack", "--silent", "--pack-destination", into], from));
}

/** The names in a tarball. What stands before a colon, as in `C:`, is another machine to some versions of tar. */
export async function namesIn(tarball: string): Promise<readonly string[]> {
  const { stdout } = await run("tar", ["-tf", basename(tarball)], { cwd: dirname(tarball) });
  return stdout.trim().split(/\r?\n/);
}

/** Puts what a tarball has into a folder, as `package/`. */
export async function unpacked(tarball: string, into: string): Promise<void> {
  await run("tar", ["-xzf", basename(tarball), "-C", into], { cwd: dirname(tarball) });
}
