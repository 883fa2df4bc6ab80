/** Configurations that deployments uploaded, for the real wrangler. */
import { rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";

import { ROOT, wrangler } from "../../src/cli/wrangler.ts";

/**
 * What the real wrangler says of a deployment that is not made. Its configuration is kept in a file of its own, for tests beside
 * this one deploy as well and write over the one that a deployment leaves.
 * @param folder of the test, which names the file
 */
export async function dryDeploy(folder: string, config: string, ...more: readonly string[]) {
  const path = join(ROOT, ".wrangler", `${basename(folder)}.json`);
  await writeFile(path, config);
  try {
    return await wrangler(["deploy", "--dry-run", "--config", path, ...more]);
  } finally {
    await rm(path);
  }
}
