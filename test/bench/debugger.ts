/** The debugger of the isolate that a service runs in: what it says of the isolate's memory. */
import { once } from "node:events";
import { createWriteStream } from "node:fs";

interface HeapUsage {
  readonly usedSize: number;
  readonly totalSize: number;
  readonly backingStorageSize: number;
  readonly embedderHeapUsedSize: number;
}

export interface HeapDebugger {
  /** What is left once the garbage is collected. */
  readonly usage: () => Promise<HeapUsage>;
  /** Writes a snapshot of the heap, as browsers' developer tools open it. */
  readonly snapshot: (path: string) => Promise<void>;
  /** Bytes of what the engine has compiled of native modules, which is in no other figure. */
  readonly compiledBytes: () => Promise<number>;
}

/** What of a snapshot is read here. */
interface Snapshot {
  readonly snapshot: { readonly meta: { readonly node_fields: readonly string[] } };
  /** The fields of one node after those of the other. */
  readonly nodes: readonly number[];
  readonly strings: readonly string[];
}

/** What the engine calls the code of a native module in a snapshot, with the size that it has at that moment. */
const COMPILED = "system / CppGCManaged (WasmNativeModule)";

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly chunk?: string };
  readonly result?: unknown;
}

/** Attaches to the service that listens for debuggers at this port. */
export async function debuggerAt(port: number): Promise<HeapDebugger> {
  const targets = (await (await fetch(`http://127.0.0.1:${port}/json`)).json()) as {
    readonly title: string;
    readonly webSocketDebuggerUrl: string;
  }[];
  const target = targets.find(({ title }) => title.includes("darkroom")) ?? targets[0];
  if (!target) throw new Error("the debugger names no isolate");
  const socket = new WebSocket(target.webSocketDebuggerUrl);
  await once(socket, "open");
  let calls = 0;
  const waiting = new Map<number, (result: unknown) => void>();
  let takeChunk = (_chunk: string): void => undefined;
  socket.addEventListener("message", ({ data }) => {
    const { id, method, params, result } = JSON.parse(String(data)) as Message;
    if (method === "HeapProfiler.addHeapSnapshotChunk") takeChunk(params?.chunk ?? "");
    if (id === undefined) return;
    waiting.get(id)?.(result);
    waiting.delete(id);
  });
  // Answered in turn.
  const call = (method: string): Promise<unknown> =>
    new Promise((resolve) => {
      const id = ++calls;
      waiting.set(id, resolve);
      socket.send(JSON.stringify({ id, method }));
    });
  return {
    async usage() {
      // The runtime never carries out what is made for this, `HeapProfiler.collectGarbage`. To track objects it has to know
      // which there are, and collects the others at once; the second time it lets go of the pages that the first made free.
      for (let times = 0; times < 2; times++) void call("HeapProfiler.startTrackingHeapObjects");
      return (await call("Runtime.getHeapUsage")) as HeapUsage;
    },
    async snapshot(path) {
      const file = createWriteStream(path);
      takeChunk = (chunk) => void file.write(chunk);
      await call("HeapProfiler.takeHeapSnapshot");
      file.end();
      await once(file, "finish");
    },
    async compiledBytes() {
      const chunks: string[] = [];
      takeChunk = (chunk) => void chunks.push(chunk);
      await call("HeapProfiler.takeHeapSnapshot");
      return compiledIn(JSON.parse(chunks.join("")) as Snapshot);
    },
  };
}

function compiledIn({ snapshot, nodes, strings }: Snapshot): number {
  const fields = snapshot.meta.node_fields;
  const [name, size] = [fields.indexOf("name"), fields.indexOf("self_size")];
  let sum = 0;
  for (let at = 0; at < nodes.length; at += fields.length) {
    if (strings[nodes[at + name] ?? -1] === COMPILED) sum += nodes[at + size] ?? 0;
  }
  return sum;
}
