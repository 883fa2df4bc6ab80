/** `darkroom-worker`: deploys the package of the Worker as the settings of the project that depends on it say. */
import { readFile } from "node:fs/promises";

import { configured, orderOf } from "./deployment.ts";
import { wranglerOrThrow } from "./wrangler.ts";

const HELP = `darkroom-worker deploy             makes what is missing on the account, migrates, uploads
darkroom-worker deploy --check     says what is there and what is missing; changes nothing
darkroom-worker rollback           puts the deployment before this one back; tables stay as they are
darkroom-worker config             prints the configuration that is deployed

  --env <name>           an environment of darkroom.json
  --domain <host>        with deploy, kept in darkroom.json: where it answers; workers.dev for none
  --region <hint>        where what it keeps is made: weur, eeur, wnam, enam, apac or oc
  --jurisdiction <name>  what must keep it: eu or fedramp
  --objects apart        of a new deployment: meters and couriers in a Worker beside it
  --pictures <host>      where pictures by address answer, from a cache before the Worker; workers.dev for none`;

async function main(): Promise<void> {
  const [task, ...args] = process.argv.slice(2);
  if (task === undefined || !["deploy", "rollback", "config"].includes(task)) throw new Error(HELP);
  if (task === "deploy") {
    process.argv.splice(2, Infinity, ...args);
    await import("./deploy.ts");
    return;
  }
  const order = orderOf(args);
  const { config, objects } = await configured(order);
  if (task === "config") return console.log(await readFile(config, "utf8"));
  console.log(await wranglerOrThrow(["rollback", "--config", config, "--yes", ...order.others]));
  // A version that is named is one of the Worker. Its objects go back after it: they know who called the version before.
  if (objects !== undefined && order.others.length === 0)
    console.log(await wranglerOrThrow(["rollback", "--config", objects, "--yes"]));
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
