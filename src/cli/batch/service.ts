/** Which service a run talks to: the one at the address, or one of its own that ends with it. */
import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { LOCAL_KEY, type Options, UsageError } from "./options.ts";

/** A service on this machine answers at once; what takes longer is none, or of no use. */
const PROBE_TIMEOUT_MS = 2_000;

/** What asks a run to end. */
export const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export interface Service {
  readonly url: URL;
  readonly key: string;
  readonly stop: () => Promise<void>;
}

/**
 * The service that was named, or one that is started for this run.
 * @param say told when one is started, which takes seconds
 * @throws UsageError when none can be started
 */
export async function openService(
  { url, key, start }: Pick<Options, "url" | "key" | "start">,
  say: (line: string) => void,
): Promise<Service> {
  const isThere = start === "never" || (start === "unless one answers" && (await answers(url)));
  if (isThere) return { url, key, stop: async () => undefined };
  say(start === "always" ? "Starting a service for this run …" : `No service at ${url.origin}: starting one …`);
  return startForRun();
}

/** Whether a service is there: another program at the address is none. */
export async function answers(url: URL): Promise<boolean> {
  try {
    const answer = await fetch(new URL("health", url), { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) });
    const body = (await answer.json()) as { success?: unknown } | null;
    return answer.ok && body?.success === true;
  } catch {
    return false;
  }
}

/** With state of its own, so that it disturbs no service that runs here, and leaves nothing behind. */
async function startForRun(): Promise<Service> {
  const state = await mkdtemp(join(tmpdir(), "darkroom-"));
  process.once("exit", () => rmSync(state, { recursive: true, force: true }));
  const restore = keepHandlers();
  try {
    // Only who needs it loads the simulator.
    const { LOCAL_DEFAULTS, startLocal } = await import("../local.ts");
    const variables = { ...LOCAL_DEFAULTS, VAULT_KEY: randomBytes(32).toString("base64") };
    const { url, stop } = await startLocal({ host: "127.0.0.1", port: 0, state, variables, quiet: true });
    return { url, key: LOCAL_KEY, stop };
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ERR_MODULE_NOT_FOUND") {
      throw new UsageError(
        "The simulator of the service is not installed with this command: name a service with --url or in DARKROOM_URL, " +
          "or start one in a copy of the repository with npm start",
        { cause },
      );
    }
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new UsageError(`No service could be started (${reason}); --url names one`, { cause });
  } finally {
    restore();
  }
}

/** The simulator ends the process at a signal: too early for images that are at work, whose end the run waits for. */
function keepHandlers(): () => void {
  const own = SIGNALS.map((signal) => [signal, process.listeners(signal)] as const);
  return () => {
    for (const [signal, listeners] of own) {
      for (const added of process.listeners(signal)) {
        if (!listeners.includes(added)) process.removeListener(signal, added);
      }
    }
  };
}
