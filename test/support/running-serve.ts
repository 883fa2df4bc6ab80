/** `npm run serve` as a process that a test starts, and kills. */
import { spawn } from "node:child_process";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..", "..");

export interface Running {
  readonly url: string;
  readonly printed: () => string;
  /** Ends the process, and waits until it has ended. */
  readonly end: (signal: "SIGTERM" | "SIGKILL") => Promise<void>;
}

/** Runs it for something else than to serve. @returns the exit status */
export async function runServe(...args: readonly string[]): Promise<unknown> {
  const child = spawn(process.execPath, ["src/cli/serve.ts", ...args], { cwd: ROOT, stdio: "ignore" });
  return new Promise((resolve) => child.once("exit", resolve));
}

/**
 * Starts it as npm does, and waits until it listens.
 * @param args `--data`, and what else there is beside the host
 * @throws Error with what it has printed, when it ends before
 */
export async function startServe(
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Promise<Running> {
  // BASE_URL means something else to what runs the tests.
  const env = { ...process.env, BASE_URL: undefined, ...variables };
  const child = spawn(process.execPath, ["src/cli/serve.ts", ...args, "--host", "127.0.0.1"], { cwd: ROOT, env });
  let text = "";
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const url = await new Promise<string>((resolve, reject) => {
    child.once("exit", () => reject(new Error(text)));
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (more: Buffer) => {
        text += more.toString();
        const [, found] = /listens on (\S+)/.exec(text) ?? [];
        if (found !== undefined) resolve(found);
      });
    }
  });
  return {
    url,
    printed: () => text,
    end: async (signal) => {
      child.kill(signal);
      await ended;
    },
  };
}
