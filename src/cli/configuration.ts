/** Reads a configuration of wrangler without loading wrangler, which takes longer than most commands. */
import { readFile } from "node:fs/promises";

/**
 * What a file says, with nothing added that it leaves out.
 * @param path of `wrangler.toml`, or of a `.json` that a command or the package of the Worker has written
 * @throws Error where there is none, or it cannot be read
 */
export async function readConfiguration<T>(path: string): Promise<T> {
  const text = await readFile(path, "utf8");
  if (path.endsWith(".json")) return JSON.parse(text) as T;
  // The package of the Worker has only files of JSON, and is installed without a reader of the other.
  const { parse } = await import("smol-toml");
  return parse(text) as T;
}
