/** `npm run deploy`: makes what is missing on the account, migrates, uploads. Running it again changes only what is new. */
import { settingsOf } from "../env.ts";
import {
  databaseId,
  isForbidden,
  missingSecrets,
  type Names,
  type Piece,
  pieces,
  readNames,
  requireLogin,
  upload,
  writeDeployConfig,
} from "./cloudflare.ts";
import { wranglerOrThrow } from "./wrangler.ts";

const HELP = `npm run deploy             makes what is missing, migrates the databases, uploads the Worker
npm run deploy -- --check  says what is there and what is missing, and changes nothing

It needs an account on the platform with the Workers Paid plan (queues and more than 10 ms of processor time), and
either "npx wrangler login" or CLOUDFLARE_API_TOKEN (Workers Scripts, R2, D1, Queues: edit) with CLOUDFLARE_ACCOUNT_ID.
VAULT_KEY and ADMIN_TOKEN are made when the Worker has none; set them in the environment to choose them.`;

/** The platform's own builds have made bucket, databases and queue, and their token may not be allowed to ask for them. */
const IN_PLATFORM_BUILD = process.env["WORKERS_CI"] === "1";
/** The output of builds is kept, and read by more people than a terminal. */
const IS_OUTPUT_KEPT = process.env["CI"] !== undefined;

async function check(): Promise<void> {
  const names = readNames();
  await requireLogin({});
  for (const piece of pieces(names, {})) {
    console.log(`${(await piece.present()) ? "present" : "missing"}  ${piece.title}`);
  }
  const config = await writeDeployConfig(await databaseIds(names));
  const secrets = Object.keys(await missingSecrets(config, {}));
  for (const name of ["VAULT_KEY", "ADMIN_TOKEN"]) {
    console.log(`${secrets.includes(name) ? "missing" : "present"}  Secret ${name}`);
  }
  await wranglerOrThrow(["deploy", "--dry-run", "--config", config]);
  console.log("builds   The Worker\n\nNothing was changed. npm run deploy makes what is missing.");
}

async function deploy(): Promise<void> {
  const { VAULT_KEY, ADMIN_TOKEN } = process.env;
  settingsOf({ VAULT_KEY, ADMIN_TOKEN }); // a wrong secret is told here, not by the first request
  const names = readNames();
  await requireLogin({});
  for (const piece of pieces(names, {})) console.log(`${await ensure(piece)}  ${piece.title}`);
  const ids = await databaseIds(names);
  const unlisted = names.databases.find((name) => !ids.has(name));
  if (unlisted !== undefined)
    throw new Error(`The D1 database "${unlisted}" was made but is not listed yet: run again`);
  const config = await writeDeployConfig(ids);
  // All of them before the Worker that needs it: new accounts may lie in any.
  for (const name of names.databases) {
    await wranglerOrThrow(["d1", "migrations", "apply", name, "--remote", "--config", config]);
  }
  console.log("done     Migrations");
  const secrets = await missingSecrets(config, {});
  const address = (await upload(config, secrets, {})) ?? "https://<your Worker's address>";
  console.log(`done     Worker: ${address}`);
  console.log(farewell(address, secrets["ADMIN_TOKEN"]));
}

/** What became of a piece that the service needs. */
async function ensure(piece: Piece): Promise<"present" | "made   " | "skipped"> {
  try {
    if (await piece.present()) return "present";
    await piece.make();
    return "made   ";
  } catch (cause) {
    if (IN_PLATFORM_BUILD && isForbidden(cause)) return "skipped";
    throw cause;
  }
}

/** The ids of the databases that are there, by name. */
async function databaseIds({ databases, ids: given }: Names): Promise<ReadonlyMap<string, string>> {
  const ids = new Map<string, string>();
  for (const name of databases) {
    const id = given.get(name) ?? (await databaseId(name, {}));
    if (id !== undefined) ids.set(name, id);
  }
  return ids;
}

function farewell(address: string, token: string | undefined): string {
  const shown = token === undefined ? [] : ["", tokenNotice(token)];
  const call = `curl ${address}/admin/accounts -H "Authorization: Bearer $ADMIN_TOKEN" -H "Content-Type: application/json" -d '{"name": "First"}'`;
  return [...shown, "", "The first account and its key:", `  ${call}`].join("\n");
}

function tokenNotice(token: string): string {
  if (!IS_OUTPUT_KEPT) return `ADMIN_TOKEN, shown this once: ${token}`;
  return "ADMIN_TOKEN was made, and is not shown in the output of a build. Choose one: npx wrangler secret put ADMIN_TOKEN";
}

const flags = process.argv.slice(2);
const known = new Set(["--check", "--help"]);
try {
  if (flags.includes("--help")) console.log(HELP);
  else if (flags.some((flag) => !known.has(flag))) throw new Error(HELP);
  else await (flags.includes("--check") ? check() : deploy());
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
