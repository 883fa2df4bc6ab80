/** Stands in for the module `sharp` in a Worker: over its service binding `DARKROOM` to the entrance `Images`. */
// @ts-ignore -- a module of the platform, whose types a project may not have
import { env } from "cloudflare:workers";

import { sharpOver } from "./sharp.js";

/** @import { Module } from "./sharp.js" */

/** @type {Module} */
const sharp = sharpOver({ service: /** @type {{ DARKROOM: { fetch: typeof fetch } }} */ (env).DARKROOM });

export default sharp;
