/** The pipeline with its real edges, walked from a file to the bytes that its URL serves. */
import { env } from "cloudflare:workers";
import { inject } from "vitest";

import { parseBody, UploadBody } from "../../src/contract/request.ts";
import type { InputMetadata, OutputMetadata } from "../../src/contract/response.ts";
import { settingsOf } from "../../src/env.ts";
import { onlyOf } from "../../src/pipeline/answer.ts";
import { pipeline } from "../../src/pipeline/edges.ts";
import type { JobLimits } from "../../src/scheduler/job-limits.ts";
import { serveTemporary } from "../../src/storage/volatile.ts";
import { uncounted } from "./memory.ts";
import type { Reading } from "./reader.ts";
import type { Pixels } from "./rows.ts";

const BASE = "https://darkroom.test";

/** What came of an upload. */
export interface Walked {
  readonly input: InputMetadata;
  readonly output: OutputMetadata;
  /** Read back from the URL of the answer. */
  readonly stored: Uint8Array;
  readonly mime: string;
}

/** Carries a copy of a file through the pipeline; `body` is what the request says besides. */
export async function walk(
  file: Uint8Array,
  body: object = {},
  accept?: string,
  jobLimits?: JobLimits,
): Promise<Walked> {
  const { webhook: _webhook, cdn: _cdn, ...processing } = parseBody(UploadBody, body);
  const source = { kind: "upload", original: { bytes: file.slice(), name: "", memory: uncounted } } as const;
  const job = { id: crypto.randomUUID(), accountId: "account", source, processing, accept };
  const ports = pipeline.portsOf(env, settingsOf(env), BASE);
  const result = await pipeline.process(job, { ...ports, ...(jobLimits && { jobLimits }) });
  const { output } = onlyOf(result);
  const served = await serveTemporary(new Request(output.url), env.BUCKET, Date.now());
  const mime = served.headers.get("content-type") ?? "";
  return { input: result.input, output, stored: new Uint8Array(await served.arrayBuffer()), mime };
}

/** What decoders that are not ours say of a file; null where they cannot decode all of it. */
export async function read(file: Uint8Array): Promise<Reading | null> {
  const response = await fetch(`${inject("reader")}/reading`, { method: "POST", body: file.slice() });
  if (response.ok) return response.json();
  await response.body?.cancel();
  return null;
}

/** The upright pixels of a file as decoders that are not ours show them. */
export async function pixelsOf(file: Uint8Array, { width, height }: Pick<Pixels, "width" | "height">): Promise<Pixels> {
  const response = await fetch(`${inject("reader")}/pixels`, { method: "POST", body: file.slice() });
  if (!response.ok) throw new Error(`the file cannot be read: ${await response.text()}`);
  const data = new Uint8Array(await response.arrayBuffer());
  if (data.length !== width * height * 4) throw new Error("the picture has another size");
  return { width, height, data };
}

/** The hexadecimal SHA-1 of bytes. */
export async function sha1Of(bytes: Uint8Array): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-1", bytes.slice())).toHex();
}
