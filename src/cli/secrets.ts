/** The secrets of a service on this machine. */
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Writes the secrets that a local run needs into `.dev.vars` of a repository; what is there already stays. */
export async function ensureSecrets(root: string): Promise<void> {
  const file = join(root, ".dev.vars");
  const present = existsSync(file) ? await readFile(file, "utf8") : "";
  const secrets = { ADMIN_TOKEN: "admin", VAULT_KEY: randomBytes(32).toString("base64") };
  const missing = Object.entries(secrets).filter(([name]) => !new RegExp(`^\\s*${name}\\s*=`, "m").test(present));
  if (missing.length === 0) return;
  const start = present === "" || present.endsWith("\n") ? present : `${present}\n`;
  await writeFile(file, start + missing.map(([name, value]) => `${name}="${value}"\n`).join(""), { mode: 0o600 });
}
