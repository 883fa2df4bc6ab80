/** The table of libraries, their newest releases, and what was read about them. */
import { readLibraries } from "../../wasm/upstream.ts";
import { table, type Tables } from "./markdown-tables.ts";

export async function upstreamTable(): Promise<Tables> {
  const rows = (await readLibraries()).map(({ name, version, newest, looked, advisories }) => [
    name,
    version,
    newest || "not asked",
    looked || "never",
    advisories,
  ]);
  return { upstream: () => table(["Library", "Built", "Newest", "Asked", "Advisories"], rows) };
}
