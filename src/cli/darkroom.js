#!/usr/bin/env node
/**
 * `npx darkroom`: many images through the API, from a terminal. This file only loads the client: Node strips types from
 * files of a repository, but refuses to for a package under node_modules, so it is done here.
 */
import { readFileSync } from "node:fs";
import * as nodeModule from "node:module";

if (!("registerHooks" in nodeModule)) {
  process.stderr.write(`darkroom needs Node 22.18 or later; this is ${process.version}\n`);
  process.exit(2);
}
nodeModule.registerHooks({
  load(url, context, next) {
    if (!url.endsWith(".ts")) return next(url, context);
    const source = nodeModule.stripTypeScriptTypes(readFileSync(new URL(url), "utf8"));
    return { format: "module", source, shortCircuit: true };
  },
});
// The only word of warning is that the stripping of types is young.
process.removeAllListeners("warning");
const { main } = await import("./batch/main.ts");
const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
process.exitCode = await main(process.argv.slice(2), version);
