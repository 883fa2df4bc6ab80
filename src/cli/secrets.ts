/** The secrets of a service on this machine. */
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** A token of the operator's own has at least so many characters. */
const MIN_TOKEN_CHARACTERS = 16;

/**
 * Makes sure that a service which other machines can call has a token of its operator's own.
 * @throws Error in plain words when it has none, or the one that everybody knows
 */
export async function needOwnToken(root: string, host: string): Promise<void> {
  const file = join(root, ".dev.vars");
  const saved = existsSync(file) ? await readFile(file, "utf8") : "";
  const [, quoted, plain] = /^\s*ADMIN_TOKEN\s*=\s*(?:"([^"\n]*)"|(\S*))/m.exec(saved) ?? [];
  assertOwnToken(process.env["ADMIN_TOKEN"] ?? quoted ?? plain ?? "", host);
}

/** @throws Error in plain words when the token is one that others may guess */
export function assertOwnToken(token: string, host: string): void {
  if (token.length >= MIN_TOKEN_CHARACTERS) return;
  throw new Error(
    `Other machines can call ${host}. Choose a token of your own first, of ${MIN_TOKEN_CHARACTERS} characters or more: ` +
      "ADMIN_TOKEN in the environment or in .dev.vars",
  );
}

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
