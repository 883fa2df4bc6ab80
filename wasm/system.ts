/** What the system is to native modules: nothing. */
import { NativeError } from "./failures.ts";

/** Answers for what libc asks of the system on behalf of file functions that nobody calls: there are no files. */
export function systemOf(module: WebAssembly.Module): Record<string, () => number> {
  const notSupported = () => 52; // ENOSYS
  const answers: Record<string, () => number> = {
    fd_prestat_get: () => 8, // EBADF: no folder was opened beforehand
    proc_exit: () => {
      throw new NativeError("the native code ended itself");
    },
  };
  const names = WebAssembly.Module.imports(module).filter((entry) => entry.module === "wasi_snapshot_preview1");
  return Object.fromEntries(names.map(({ name }) => [name, answers[name] ?? notSupported]));
}
