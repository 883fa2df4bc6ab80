/** The way of the entrance of images into the service, with bindings and settings of a test's own. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";

import type { Door } from "../../src/entrances/images.ts";
import { createApp } from "../../src/http/app.ts";
import { withDrawn } from "../../src/http/drawn.ts";
import { holdForReader } from "../../src/http/lending.ts";
import { pipeline } from "../../src/pipeline/edges.ts";

/** @param own what replaces bindings and settings of the service */
export function doorOf(key: string, own: object = {}): Door {
  const app = createApp(pipeline);
  const bindings = { ...env, ...own } as Env;
  const enter: Door["enter"] = async (request, drawn, keep) =>
    app.fetch(withDrawn(request, drawn, keep), bindings, createExecutionContext());
  return { env: bindings, props: { key }, enter, hold: holdForReader };
}
