/** The command `darkroom`. */
import { createClient } from "./client.ts";
import { findOriginals } from "./files.ts";
import { type Options, readOptions, USAGE, UsageError } from "./options.ts";
import { runAll } from "./run.ts";
import { createScreen, summary } from "./screen.ts";

/** @returns the exit status: 0, 1 when an image failed, 2 when the command is wrong */
export async function main(args: readonly string[]): Promise<number> {
  try {
    const options = readOptions(args, process.env);
    if (options) return await batch(options);
    console.log(USAGE);
    return 0;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.error(`${error.message}\n\ndarkroom --help says more.`);
    return 2;
  }
}

async function batch(options: Options): Promise<number> {
  const originals = await findOriginals(options.paths);
  if (originals.length === 0) throw new UsageError("There are no images in what was named");
  const interruption = new AbortController();
  process.once("SIGINT", () => interruption.abort());
  const screen = createScreen(originals.length, process.stderr);
  const client = createClient({ url: options.url, key: options.key, onWait: screen.waiting });
  const outcomes = await runAll(originals, options, client, interruption.signal, screen.settled);
  screen.end();
  console.log(summary(outcomes));
  const missing = originals.length - outcomes.length;
  if (missing > 0) console.error(`${missing} not begun.`);
  return missing === 0 && outcomes.every(({ kind }) => kind !== "failed") ? 0 : 1;
}
