/** Stands in for the module `sharp` in a Worker: over its service binding `DARKROOM` to the entrance `Images`. */
// @ts-ignore -- a module of the platform, whose types a project may not have
import { env } from "cloudflare:workers";

import { sharpOver } from "./sharp.js";

/** @import { Module } from "./sharp.js" */

/** Found when it is needed: a module is loaded before its Worker has bindings. @type {typeof fetch} */
const ask = async (...request) => {
  const { DARKROOM: service } = /** @type {{ DARKROOM?: { fetch: typeof fetch } }} */ (env);
  if (!service) throw new TypeError("The Worker needs a service binding DARKROOM to the entrance Images");
  return service.fetch(...request);
};

/** @type {Module} */
const sharp = sharpOver({ service: { fetch: ask } });

export default sharp;
