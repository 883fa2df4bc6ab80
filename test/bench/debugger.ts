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
  /** What of the heap is what. */
  readonly kinds: () => Promise<HeapKinds>;
}

/** Bytes of a heap, without what lies outside of it. */
export interface HeapKinds {
  /** What the engine has compiled of programs, with what it has learned of them. */
  readonly code: number;
  /** Objects, functions, lists, maps and texts: what programs keep. */
  readonly values: number;
}

/** What of a snapshot is read here. */
interface Snapshot {
  readonly snapshot: {
    readonly meta: { readonly node_fields: readonly string[]; readonly node_types: readonly [readonly string[]] };
  };
  /** The fields of one node after those of the other. */
  readonly nodes: readonly number[];
  readonly strings: readonly string[];
}

/** Types of nodes that are code, and those that are none of the heap. */
const CODE: ReadonlySet<string> = new Set(["code", "object shape"]);
const OUTSIDE: ReadonlySet<string> = new Set(["native", "synthetic", "hidden"]);

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
  const taken = async (): Promise<Snapshot> => {
    const chunks: string[] = [];
    takeChunk = (chunk) => void chunks.push(chunk);
    await call("HeapProfiler.takeHeapSnapshot");
    return JSON.parse(chunks.join("")) as Snapshot;
  };
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
    compiledBytes: async () => compiledIn(await taken()),
    kinds: async () => kindsIn(await taken()),
  };
}

interface HeapNode {
  readonly type: string;
  readonly name: string;
  readonly bytes: number;
}

function* nodesOf({ snapshot, nodes, strings }: Snapshot): Generator<HeapNode> {
  const { node_fields: fields, node_types: types } = snapshot.meta;
  const [type, name, size] = ["type", "name", "self_size"].map((field) => fields.indexOf(field)) as [
    number,
    number,
    number,
  ];
  for (let at = 0; at < nodes.length; at += fields.length) {
    const named = { type: types[0][nodes[at + type] ?? -1] ?? "", name: strings[nodes[at + name] ?? -1] ?? "" };
    yield { ...named, bytes: nodes[at + size] ?? 0 };
  }
}

function compiledIn(snapshot: Snapshot): number {
  let sum = 0;
  for (const { name, bytes } of nodesOf(snapshot)) if (name === COMPILED) sum += bytes;
  return sum;
}

function kindsIn(snapshot: Snapshot): HeapKinds {
  let [code, values] = [0, 0];
  for (const { type, bytes } of nodesOf(snapshot)) {
    if (CODE.has(type)) code += bytes;
    else if (!OUTSIDE.has(type)) values += bytes;
  }
  return { code, values };
}
