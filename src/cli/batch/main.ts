/** The command `darkroom`. */
import { runBucket } from "./bucket/main.ts";
import { type Client, createClient } from "./client.ts";
import { findOriginals } from "./files.ts";
import { changedImages, stageAgain } from "./git.ts";
import { createJsonReport } from "./json.ts";
import { serveAgents } from "./mcp.ts";
import { asksForVersion, type Options, readAgentOptions, readOptions, USAGE, UsageError } from "./options.ts";
import type { Outcome } from "./outcome.ts";
import { tellProvenance } from "./provenance.ts";
import { runAll } from "./run.ts";
import { createScreen, type Report, waitText } from "./screen.ts";
import { openService, SIGNALS } from "./service.ts";
import { withoutResults } from "./sets.ts";
import { refuseCircle, watchOriginals } from "./watch.ts";

/**
 * @param version that of the package
 * @returns the exit status: 0, 1 when an image failed, 2 when the command is wrong, 3 when a batch is not over
 */
export async function main(args: readonly string[], version: string): Promise<number> {
  try {
    if (args[0] === "mcp") return await agents(args.slice(1));
    if (args[0] === "bucket") return await runBucket(args.slice(1), process.env);
    const options = asksForVersion(args) ? undefined : readOptions(args, process.env);
    if (options) return await batch(options);
    console.log(asksForVersion(args) ? version : USAGE);
    return 0;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.error(`${error.message}\n\ndarkroom --help says more.`);
    return 2;
  }
}

async function batch(options: Options): Promise<number> {
  const { git } = options;
  const found = git
    ? await changedImages(git, options.paths)
    : await findOriginals(options.paths, options.out ?? options.inPlace?.originals);
  if (git && found.length === 0) {
    console.error("No images have changed.");
    return 0;
  }
  const originals = withoutResults(found, options.body);
  if (options.watch) refuseCircle(options);
  else if (originals.length === 0) throw new UsageError("There are no images in what was named");
  const interruption = new AbortController();
  for (const signal of SIGNALS) process.once(signal, () => interruption.abort());
  const service = await openService(options, (line) => console.error(line));
  try {
    const { url, key } = service;
    if (options.provenance) {
      const reader = createClient({ url, key, onWait: (seconds, reason) => console.error(waitText(seconds, reason)) });
      return (await tellProvenance(originals, reader, options.json, interruption.signal, console.log)) ? 0 : 1;
    }
    const report = options.json
      ? createJsonReport(process.stdout, process.stderr)
      : createScreen(options.watch ? undefined : originals.length, process.stderr);
    const isPatient = options.watch;
    const client = createClient({ url, key, isPatient, onWait: report.waiting });
    if (options.watch) console.error(`Watching ${options.paths.join(", ")} (Ctrl-C stops).`);
    const source = options.watch ? (stop: AbortSignal) => watchOriginals(options, stop) : originals;
    return await carryOut(source, options, client, interruption.signal, report);
  } finally {
    await service.stop();
  }
}

/** `darkroom mcp`: tools for agents until the input ends. */
async function agents(args: readonly string[]): Promise<number> {
  const options = readAgentOptions(args, process.env);
  if (!options) {
    console.log(USAGE);
    return 0;
  }
  const interruption = new AbortController();
  for (const signal of SIGNALS) process.once(signal, () => interruption.abort());
  // Standard output is the protocol's.
  const service = await openService(options, (line) => console.error(line));
  try {
    const desk = { url: service.url, key: service.key, client: createClient(service), folders: options.paths };
    await serveAgents(desk, process.stdin, process.stdout, interruption.signal).catch((error: unknown) => {
      if (!interruption.signal.aborted) throw error;
    });
    return 0;
  } finally {
    await service.stop();
  }
}

async function carryOut(
  source: Parameters<typeof runAll>[0],
  options: Options,
  client: Client,
  signal: AbortSignal,
  report: Report,
): Promise<number> {
  const outcomes = await runAll(source, options, client, signal, report.settled);
  const missing = typeof source === "function" ? 0 : source.length - outcomes.length;
  if (options.git?.kind === "staged") await stageAgain(outcomes);
  report.end(outcomes, missing);
  if (missing > 0) console.error(`${missing} not begun.`);
  return missing === 0 && outcomes.every(isDone) ? 0 : 1;
}

function isDone({ kind }: Outcome): boolean {
  return kind !== "failed";
}
