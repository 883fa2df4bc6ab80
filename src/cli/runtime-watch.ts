/**
 * The runtime is a child of the process that starts it, and lives on when that process is killed: it would keep the port,
 * and write the state beside its successor. A watcher that reads from the process ends the runtime with it.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { basename } from "node:path";

/** Reads until the writer is gone; a line says that the runtime has ended by itself. */
const IN_SHELL = 'read -r line && exit; kill -9 "$0" 2>/dev/null';
const IN_NODE = `let over = false;
process.stdin.on("data", () => { over = true; });
process.stdin.on("end", () => { if (!over) process.kill(Number(process.argv[1]), "SIGKILL"); });`;

/**
 * Watches over every runtime that is started while the work lasts.
 * @throws whatever the work throws
 */
export async function watchingRuntime<T>(work: () => Promise<T>): Promise<T> {
  const seen = (message: unknown): void => {
    const { process: child } = message as { readonly process: ChildProcess };
    child.once("spawn", () => {
      if (basename(child.spawnfile).startsWith("workerd")) watch(child);
    });
  };
  subscribe("child_process", seen);
  try {
    return await work();
  } finally {
    unsubscribe("child_process", seen);
  }
}

function watch(runtime: ChildProcess): void {
  const pid = String(runtime.pid);
  const [program, args] =
    process.platform === "win32" ? [process.execPath, ["--eval", IN_NODE, pid]] : ["sh", ["-c", IN_SHELL, pid]];
  // Apart from the process and its group: a signal to both would end the watcher as well.
  const watcher = spawn(program, args, { detached: true, stdio: ["pipe", "ignore", "ignore"] });
  watcher.on("error", () => undefined);
  const { stdin } = watcher;
  stdin.on("error", () => undefined);
  watcher.unref();
  if ("unref" in stdin && typeof stdin.unref === "function") stdin.unref();
  runtime.once("exit", () => stdin.end("over\n"));
}
