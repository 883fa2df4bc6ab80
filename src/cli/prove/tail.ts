/** The platform's own log of each invocation, as `wrangler tail` prints it: it alone says what processor time one took. */
import { type ChildProcess, spawn } from "node:child_process";
import { delimiter, join } from "node:path";

import { PROJECT, wranglerProgram } from "../wrangler.ts";

/** The header that names a request of `npm run prove`. */
export const NAME_HEADER = "x-prove";

/** What the log says of one invocation. */
export interface Logged {
  readonly cpuMs: number;
  readonly isInObject: boolean;
  /** `ok`, or how the platform ended it. */
  readonly outcome: string;
}

interface Trace {
  readonly cpuTime?: number;
  readonly outcome?: string;
  readonly entrypoint?: string;
  readonly executionModel?: string;
  readonly event?: { readonly request?: { readonly headers?: Readonly<Record<string, string>> } } | null;
}

/** Whole objects of JSON in a text of several, and what is left of it. */
export function objectsIn(text: string): { readonly objects: readonly unknown[]; readonly rest: string } {
  const objects: unknown[] = [];
  let depth = 0;
  let from = 0;
  let isInText = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (isInText) {
      if (character === "\\") at += 1;
      else if (character === '"') isInText = false;
    } else if (character === '"') isInText = depth > 0;
    else if (character === "{") {
      if (depth === 0) from = at;
      depth += 1;
    } else if (character === "}" && depth > 0) {
      depth -= 1;
      if (depth > 0) continue;
      objects.push(JSON.parse(text.slice(from, at + 1)));
      from = at + 1;
    }
  }
  return { objects, rest: text.slice(from) };
}

/** A log that is read while requests are made. */
export class Tail {
  private readonly child: ChildProcess;
  private readonly logged = new Map<string, Logged[]>();
  private rest = "";

  constructor(worker: string) {
    const env = { ...process.env, PATH: [process.env["PATH"], join(PROJECT, "node_modules", ".bin")].join(delimiter) };
    const args = ["tail", worker, "--format", "json"];
    const [program, ...first] = wranglerProgram();
    this.child = spawn(program, [...first, ...args], { cwd: PROJECT, env, stdio: ["ignore", "pipe", "ignore"] });
    this.child.stdout?.setEncoding("utf8").on("data", (text: string) => this.read(text));
    // Without a log there is less to say, and nothing else is amiss.
    this.child.on("error", () => undefined);
  }

  /** What the log says of a request by its name: its own invocation, and those of objects that it has called. */
  of(name: string): readonly Logged[] {
    return this.logged.get(name) ?? [];
  }

  stop(): void {
    this.child.kill();
  }

  private read(text: string): void {
    const { objects, rest } = objectsIn(this.rest + text);
    this.rest = rest;
    for (const { cpuTime, outcome = "", entrypoint, executionModel, event } of objects as Trace[]) {
      const name = event?.request?.headers?.[NAME_HEADER];
      if (name === undefined || cpuTime === undefined) continue;
      const isInObject = executionModel === "durableObject" || entrypoint === "Maker";
      this.logged.set(name, [...this.of(name), { cpuMs: cpuTime, isInObject, outcome }]);
    }
  }
}
