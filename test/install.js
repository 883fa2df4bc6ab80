/**
 * Before tests and checks: installs what only they need. `npm install` leaves it out (.npmrc), since the service itself
 * runs with a quarter of the packages.
 */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");
const npm = process.env["npm_execpath"];

if (!existsSync(join(ROOT, "node_modules", "vitest"))) {
  process.stdout.write("Installing what tests need, once …\n");
  const args = ["install", "--include=dev"];
  if (npm === undefined) throw new Error("Run this as a task of npm, for example npm test");
  execFileSync(process.execPath, [npm, ...args], { cwd: ROOT, stdio: "inherit" });
}
