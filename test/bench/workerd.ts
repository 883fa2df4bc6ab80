/** Runs a bench inside the runtime of the service. */
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { convertV4MiniflareOptions, Miniflare, Response } from "miniflare";

import { modulesOf } from "../../src/cli/local.ts";
import { ROOT, wranglerOrThrow } from "../../src/cli/wrangler.ts";

/** The clock of the runtime moves during work only on a local machine, which is where this runs. */
const ENTRY = (name: string) => `
import * as module from "../../../test/bench/${name}.ts";
import { compare, table } from "../../../test/bench/harness.ts";
export default {
  async fetch(_request: Request, env: { FILES: Fetcher }): Promise<Response> {
    const load = async (path: string) => {
      const answer = await env.FILES.fetch("http://files/" + path);
      if (!answer.ok) throw new Error("There is no " + path);
      return new Uint8Array(await answer.arrayBuffer());
    };
    const lines = [];
    for (const bench of module.benches ?? [module.bench]) {
      lines.push("", "## ${name}: " + bench.title + " (in workerd)");
      lines.push(table(await compare(await bench.candidates("workerd", load), bench.rounds)));
    }
    return new Response(lines.join("\\n"));
  },
};
`;

const CONFIG = `
name = "bench"
main = "entry.ts"
compatibility_date = "2026-08-01"
compatibility_flags = ["nodejs_compat"]
[[rules]]
type = "CompiledWasm"
globs = ["**/*.wasm"]
fallthrough = false
`;

/** The tables that the bench prints there. */
export async function compareInWorkerd(name: string): Promise<string> {
  const folder = join(ROOT, ".wrangler", "bench", name);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "entry.ts"), ENTRY(name));
  await writeFile(join(folder, "wrangler.toml"), CONFIG);
  const bundle = join(folder, "bundle");
  await wranglerOrThrow(["deploy", "--dry-run", "--config", join(folder, "wrangler.toml"), "--outdir", bundle]);
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      name: "bench",
      compatibilityDate: "2026-08-01",
      compatibilityFlags: ["nodejs_compat"],
      modulesRoot: bundle,
      modules: await modulesOf(bundle, "entry.js"),
      serviceBindings: { FILES: async (request) => file(new URL(request.url).pathname) },
      cf: false,
    }),
  );
  try {
    const answer = await miniflare.dispatchFetch("http://bench/");
    return await answer.text();
  } finally {
    await miniflare.dispose();
  }
}

async function file(path: string): Promise<Response> {
  try {
    return new Response(await readFile(join(ROOT, decodeURIComponent(path))));
  } catch {
    return new Response(null, { status: 404 });
  }
}
