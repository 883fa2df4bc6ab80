/** Runs the project's wrangler as a child: quiet about itself, never asking, never calling home on its own behalf. */
import { spawn } from "node:child_process";
import { delimiter, join } from "node:path";

/** The repository; or the package of the Worker, which has what is deployed in the same places. */
export const ROOT = join(import.meta.dirname, "..", "..");

/** Where generated files go, and commands run: the repository, or the project that depends on the package. */
export const PROJECT = process.env["DARKROOM_PROJECT"] ?? ROOT;

const WRANGLER = join(PROJECT, "node_modules", "wrangler", "bin", "wrangler.js");

/**
 * What starts wrangler, and its first arguments. Its name is that of a script of the shell, which Windows starts through a
 * shell alone.
 */
export function wranglerProgram(platform: string = process.platform): readonly [program: string, ...args: string[]] {
  return platform === "win32" ? [process.execPath, WRANGLER] : ["wrangler"];
}

export interface Outcome {
  /** The exit status; 1 when the program ended by a signal. */
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface WranglerOptions {
  /** Text for its standard input; absent: none, so that it cannot ask. */
  readonly input?: string;
  /** The environment to run in, PATH above all: which wrangler is found. */
  readonly env?: NodeJS.ProcessEnv;
}

/**
 * The result of `wrangler <args>`, whatever its status.
 * @throws Error when there is no wrangler to run
 */
export async function wrangler(args: readonly string[], options: WranglerOptions = {}): Promise<Outcome> {
  const outer = options.env ?? process.env;
  const env = {
    ...outer,
    // A script of npm finds it anyway; the project's own is found wherever a command was called from.
    PATH: [outer["PATH"], join(PROJECT, "node_modules", ".bin")].join(delimiter),
    WRANGLER_SEND_METRICS: "false",
    WRANGLER_HIDE_BANNER: "true",
    WRANGLER_LOG_PATH: join(PROJECT, ".wrangler", "logs"),
    NO_COLOR: "1",
    FORCE_COLOR: "0",
  };
  const [program, ...first] = wranglerProgram();
  const child = spawn(program, [...first, ...args], { cwd: PROJECT, env, stdio: ["pipe", "pipe", "pipe"] });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  child.stdin.on("error", () => undefined); // it may end before it has read everything
  child.stdin.end(options.input ?? "");
  const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
  child.on("error", (cause) => reject(new Error("wrangler is not installed: run npm install", { cause })));
  child.on("close", (status) => resolve({ status: status ?? 1, stdout, stderr }));
  return promise;
}

/**
 * What wrangler printed.
 * @throws Error with wrangler's own words when it failed
 */
export async function wranglerOrThrow(args: readonly string[], options: WranglerOptions = {}): Promise<string> {
  const { status, stdout, stderr } = await wrangler(args, options);
  if (status !== 0) throw new Error(`wrangler ${args[0]} failed:\n${stderr.trim() || stdout.trim()}`);
  return stdout;
}
