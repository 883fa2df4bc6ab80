/** `npm run deploy`: makes what is missing on the account, migrates, uploads. Running it again changes only what is new. */
import { billOf, IDLE_MONTH, INCLUDED, PIECE_NAMES, PLAN_DOLLARS, usedIn } from "../docs/figures.ts";
import { settingsOf } from "../env.ts";
import { PIECES } from "../limits/prices.ts";
import {
  databaseId,
  isForbidden,
  missingSecrets,
  type Names,
  type Piece,
  pieces,
  readNames,
  requireLogin,
  secretsOf,
  upload,
  writeDeployConfig,
} from "./cloudflare.ts";
import { configured, type Configured, type Order, orderOf } from "./deployment.ts";
import { assertObjectsStay, objectsName, type Secrets, sharedSecrets } from "./objects.ts";
import { picturesName } from "./pictures.ts";
import { wranglerOrThrow } from "./wrangler.ts";

const HELP = `npm run deploy             makes what is missing, migrates the databases, uploads the Worker
npm run deploy -- --check  says what is there, what is missing and what it costs at least, and changes nothing

  --env <name>           an environment beside it, with everything of its own
  --domain <host>        where it answers, in a zone of the account; workers.dev for none
  --region <hint>        where bucket, databases and objects are made: weur, eeur, wnam, enam, apac or oc
  --jurisdiction <name>  what must keep them: eu or fedramp
  --objects apart        of a new deployment: meters and couriers in a Worker beside it, without codecs
  --pictures <host>      where pictures by address answer, from a cache before they reach the Worker; workers.dev for none
These six are kept in darkroom.json, and hold until they are changed there or here.

It needs an account on the platform with the Workers Paid plan (queues and more than 10 ms of processor time), and
either "npx wrangler login" or CLOUDFLARE_API_TOKEN (Workers Scripts, R2, D1, Queues: edit) with CLOUDFLARE_ACCOUNT_ID.
VAULT_KEY and ADMIN_TOKEN are made when the Worker has none; set them in the environment to choose them.`;

/** The platform's own builds have made bucket, databases and queue, and their token may not be allowed to ask for them. */
const IN_PLATFORM_BUILD = process.env["WORKERS_CI"] === "1";
/** The configuration of the Worker of objects, beside that of the Worker. */
const OBJECTS_FILE = "deploy-objects";
/** The output of builds is kept, and read by more people than a terminal. */
const IS_OUTPUT_KEPT = process.env["CI"] !== undefined;

async function check(order: Order): Promise<void> {
  const made = await configured(order);
  const { config: chosen, objects, pictures } = made;
  const names = await readNames(chosen);
  await requireLogin({});
  const there = await workersThere(names, made);
  const state = (isPresent: boolean | undefined) => (isPresent ? "present" : "missing");
  for (const piece of pieces(names, {})) console.log(`${state(await piece.present())}  ${piece.title}`);
  const ids = await databaseIds(names);
  const config = await writeDeployConfig(chosen, ids);
  for (const name of ["VAULT_KEY", "ADMIN_TOKEN"]) console.log(`${state(there.own?.has(name))}  Secret ${name}`);
  if (objects !== undefined) {
    const worker = objectsName(names.worker);
    console.log(`${state(there.objects !== undefined)}  Worker "${worker}"`);
    console.log(`${state(there.objects?.has("VAULT_KEY"))}  Secret VAULT_KEY of "${worker}"`);
    await wranglerOrThrow(["deploy", "--dry-run", "--config", await writeDeployConfig(objects, ids, OBJECTS_FILE)]);
    console.log("builds   The Worker of its objects");
  }
  if (pictures !== undefined) {
    const title = `Worker "${picturesName(names.worker)}": https://${pictures.host}`;
    console.log(`${state(there.pictures !== undefined)}  ${title}`);
    await wranglerOrThrow(["deploy", "--dry-run", "--config", pictures.config]);
    console.log("builds   The Worker of its pictures");
  }
  await wranglerOrThrow(["deploy", "--dry-run", "--config", config]);
  console.log(`builds   The Worker\n\n${leastCosts()}\n\nNothing was changed. npm run deploy makes what is missing.`);
}

async function deploy(order: Order): Promise<void> {
  const { VAULT_KEY, ADMIN_TOKEN } = process.env;
  settingsOf({ VAULT_KEY, ADMIN_TOKEN }); // a wrong secret is told here, not by the first request
  const made = await configured(order);
  const { config: chosen, objects, pictures, settings, keep } = made;
  const names = await readNames(chosen);
  await requireLogin({});
  const there = await workersThere(names, made);
  const secrets = missingSecrets(there.own, process.env);
  const shared = objects === undefined ? {} : sharedSecrets(secrets, there, process.env);
  // What was asked for is kept once it is known to be right, and before anything is made for it.
  await keep();
  for (const piece of pieces(names, {})) console.log(`${await ensure(piece)}  ${piece.title}`);
  const ids = await databaseIds(names);
  const unlisted = names.databases.find((name) => !ids.has(name));
  if (unlisted !== undefined)
    throw new Error(`The D1 database "${unlisted}" was made but is not listed yet: run again`);
  const config = await writeDeployConfig(chosen, ids);
  // All of them before the Worker that needs it: new accounts may lie in any.
  for (const name of names.databases) {
    await wranglerOrThrow(["d1", "migrations", "apply", name, "--remote", "--config", config]);
  }
  console.log("done     Migrations");
  // The classes before the Worker that is bound to them; what calls them still is of the version before.
  if (objects !== undefined) {
    await upload(await writeDeployConfig(objects, ids, OBJECTS_FILE), shared, {});
    console.log(`done     Worker "${objectsName(names.worker)}"`);
  }
  // Each is bound to the other: the first time this one is there before what it asks.
  if (pictures && !there.pictures) await upload(pictures.first, {}, {});
  const printed = await upload(config, secrets, {});
  if (pictures) {
    await upload(pictures.config, {}, {});
    console.log(`done     Worker "${picturesName(names.worker)}": https://${pictures.host}`);
  }
  const { environment } = order;
  const { domain } = (environment === undefined ? settings : settings?.environments?.[environment]) ?? {};
  const address = (domain === undefined ? printed : `https://${domain}`) ?? "https://<your Worker's address>";
  console.log(`done     Worker: ${address}`);
  console.log(farewell(address, secrets["ADMIN_TOKEN"]));
}

/**
 * Which of the Workers are there, by the names of their secrets.
 * @throws Error when what is there does not fit what was chosen
 */
async function workersThere(
  { worker }: Names,
  { config, objects, pictures }: Configured,
): Promise<Readonly<Record<"own" | "objects" | "pictures", Secrets>>> {
  const own = await secretsOf(config, undefined, {});
  // A build of the platform deploys one Worker, whatever name a configuration has.
  if (IN_PLATFORM_BUILD && (objects ?? pictures) !== undefined) {
    throw new Error(
      "A build of the platform deploys one Worker: with objects or pictures of darkroom.json, deploy from a terminal or another CI",
    );
  }
  if (IN_PLATFORM_BUILD) return { own, objects: undefined, pictures: undefined };
  const there = {
    own,
    objects: await secretsOf(config, objectsName(worker), {}),
    pictures: pictures && (await secretsOf(config, picturesName(worker), {})),
  };
  assertObjectsStay(worker, objects !== undefined, there);
  return there;
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

/** What a month costs at least, with nothing asked: what the platform bills for the pieces that are there. */
function leastCosts(): string {
  const bill = billOf(IDLE_MONTH);
  const idle = usedIn(IDLE_MONTH);
  const rows = [
    ["Workers Paid plan, of the account", PLAN_DOLLARS],
    ...PIECES.filter((piece) => idle[piece] > 0).map(
      (piece) =>
        [
          `The sweep each minute: ${idle[piece]} of ${INCLUDED[piece]} included ${PIECE_NAMES[piece]}`,
          bill[piece],
        ] as const,
    ),
    ["Bucket, databases, queue and objects, empty", 0],
    ["Custom domain, region, jurisdiction", 0],
    ["Together at least", bill.total],
  ] as const;
  const lines = rows.map(([name, dollars]) => `$${dollars.toFixed(2).padStart(6)}  ${name}`);
  return `A month costs at least:\n${lines.join("\n")}\nWhat is used beyond that: src/docs/costs.md`;
}

const flags = process.argv.slice(2);
const known = new Set(["--check", "--help"]);
try {
  const order = orderOf(flags);
  if (flags.includes("--help")) console.log(HELP);
  else if (order.others.some((flag) => !known.has(flag))) throw new Error(HELP);
  else await (flags.includes("--check") ? check(order) : deploy(order));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
