/** `darkroom-worker`: deploys the package of the Worker as the settings of the project that depends on it say. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { type PackageConfig, projectConfig, readSettings } from "./project.ts";
import { PROJECT, ROOT, wranglerOrThrow } from "./wrangler.ts";

const HELP = `darkroom-worker deploy             makes what is missing on the account, migrates, uploads
darkroom-worker deploy --check     says what is there and what is missing; changes nothing
darkroom-worker rollback           puts the deployment before this one back; tables stay as they are
darkroom-worker config             prints the configuration that is deployed

  --env <name>  an environment of darkroom.json`;

interface Order {
  readonly task: string;
  readonly environment: string | undefined;
  readonly others: readonly string[];
}

/** @throws Error with the help where nothing is asked */
function order(args: readonly string[]): Order {
  const [task, ...rest] = args;
  if (task === undefined || !["deploy", "rollback", "config"].includes(task)) throw new Error(HELP);
  const at = rest.indexOf("--env");
  const environment = at < 0 ? undefined : rest[at + 1];
  if (at >= 0 && environment === undefined) throw new Error(HELP);
  return { task, environment, others: at < 0 ? rest : rest.toSpliced(at, 2) };
}

async function main(): Promise<void> {
  const { task, environment, others } = order(process.argv.slice(2));
  const text = await readFile(join(PROJECT, "darkroom.json"), "utf8").catch((cause: unknown) => {
    throw new Error("There is no darkroom.json here: npm create @darkroom-images makes a project", { cause });
  });
  const base = JSON.parse(await readFile(join(ROOT, "wrangler.json"), "utf8")) as PackageConfig;
  const from = join(PROJECT, ".wrangler");
  const config = JSON.stringify(projectConfig(base, readSettings(text), environment, { root: ROOT, from }), null, 2);
  if (task === "config") return console.log(config);
  await mkdir(from, { recursive: true });
  await writeFile(join(from, "darkroom.json"), config);
  if (task === "deploy") {
    process.argv.splice(2, Infinity, ...others);
    await import("./deploy.ts");
    return;
  }
  console.log(await wranglerOrThrow(["rollback", "--config", join(from, "darkroom.json"), "--yes", ...others]));
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
