#!/usr/bin/env node
/** `npm create @darkroom-images`: writes a small repository whose settings are the user's own. */
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import { parseArgs } from "node:util";

const HELP = `npm create @darkroom-images <folder> [-- <options>]

  --name <name>       of the Worker, its bucket, database and queue; else that of the folder
  --account <id>      the account on the platform; else the one that is logged in
  --domain <host>     where pictures are served from, in a zone of the account; else workers.dev
  --staging <host>    an environment beside it, at a host of its own; "workers.dev" for none
  --yes               asks nothing`;

const RULES = {
  name: /^[a-z](?:[a-z0-9-]{0,48}[a-z0-9])?$/,
  account: /^[0-9a-f]{32}$/,
  host: /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/,
};

/**
 * @typedef {object} Answers
 * @property {string} name
 * @property {string | undefined} account
 * @property {string | undefined} domain
 * @property {string | undefined} staging A host, or `workers.dev`; undefined: there is no such environment
 */

/**
 * The files of the project, by their paths.
 * @param {Answers} answers
 * @param {string} version of the package of the Worker: that of this one
 * @returns {Readonly<Record<string, string>>}
 */
function files({ name, account, domain, staging }, version) {
  /** @param {unknown} value */
  const json = (value) => `${JSON.stringify(value, null, 2)}\n`;
  const environment = staging === "workers.dev" ? {} : { domain: staging };
  const scripts = {
    check: "darkroom-worker deploy --check",
    deploy: "darkroom-worker deploy",
    rollback: "darkroom-worker rollback",
    ...(staging !== undefined && { "deploy:staging": "darkroom-worker deploy --env staging" }),
  };
  return {
    "package.json": json({
      name,
      private: true,
      type: "module",
      scripts,
      dependencies: { "@darkroom-images/worker": `^${version}` },
    }),
    "darkroom.json": json({
      name,
      ...(account !== undefined && { account }),
      ...(domain !== undefined && { domain }),
      objects: "apart",
      vars: {},
      ...(staging !== undefined && { environments: { staging: environment } }),
    }),
    ".gitignore": "node_modules\n.wrangler\n",
    "README.md": `# ${name}

Darkroom, the image API, on our account. Settings are in \`darkroom.json\`.

\`\`\`sh
npm install
npx wrangler login
npm run check     # what is there and what is missing
npm run deploy
\`\`\`

- Upgrade: \`npm install @darkroom-images/worker@latest && npm run check && npm run deploy\`. Commit \`package-lock.json\`: it says which version runs.
- Back: \`git checkout <the commit before> -- package-lock.json && npm ci && npm run deploy\`; at once, without tables: \`npm run rollback\`.
- Secrets: \`npx wrangler secret put <NAME> --name ${name}\`.
`,
  };
}

/**
 * @param {string} label
 * @param {string | undefined} value
 * @param {RegExp} rule
 */
function checked(label, value, rule) {
  if (value === undefined || value === "") return undefined;
  if (!rule.test(value)) throw new Error(`${label} must match ${rule.source}`);
  return value;
}

/** Asks for what no option says, unless nobody is to be asked; undefined where help is asked for. */
async function answers() {
  const text = /** @type {const} */ ({ type: "string" });
  const options = { name: text, account: text, domain: text, staging: text };
  const flag = /** @type {const} */ ({ type: "boolean" });
  const { values, positionals } = parseArgs({
    options: { ...options, yes: flag, help: flag },
    allowPositionals: true,
  });
  if (values.help) return undefined;
  if (positionals.length > 1) throw new Error(HELP);
  const asks = !values.yes && process.stdin.isTTY;
  const lines = asks ? createInterface({ input: process.stdin, output: process.stdout }) : undefined;
  try {
    const folder = positionals[0] ?? (await lines?.question("Folder: ")) ?? "";
    if (folder === "") throw new Error(HELP);
    const usual = basename(resolve(folder)).toLowerCase();
    const name = values.name ?? ((await lines?.question(`Name (${usual}): `)) || usual);
    const account = values.account ?? (await lines?.question("Account id (the one that is logged in): "));
    const domain = values.domain ?? (await lines?.question("Domain, as img.example.com (workers.dev): "));
    const staging = values.staging ?? (await lines?.question("Staging: its domain, or workers.dev (none): "));
    return {
      folder,
      name: checked("The name", name, RULES.name) ?? usual,
      account: checked("The account", account, RULES.account),
      domain: checked("The domain", domain, RULES.host),
      staging: checked("The domain of staging", staging, RULES.host),
    };
  } finally {
    lines?.close();
  }
}

/** @param {NonNullable<Awaited<ReturnType<typeof answers>>>} given */
async function create({ folder, ...given }) {
  const there = await readdir(folder).catch(() => /** @type {string[]} */ ([]));
  if (there.length > 0) throw new Error(`${folder} is not empty`);
  await mkdir(folder, { recursive: true });
  const { version } = JSON.parse(await readFile(new URL("package.json", import.meta.url), "utf8"));
  for (const [name, content] of Object.entries(files(given, version))) await writeFile(join(folder, name), content);
  console.log(`Made ${folder}. Next:\n\n  cd ${folder}\n  npm install\n  npx wrangler login\n  npm run check`);
}

try {
  const given = await answers();
  if (given) await create(given);
  else console.log(HELP);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
