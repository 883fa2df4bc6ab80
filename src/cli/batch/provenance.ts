/** What images say of where they are from, as people and programs read it. */
import { readFile } from "node:fs/promises";
import { basename } from "node:path";

import type { Success, UploadBody } from "../../clients/api-types.d.ts";
import type { Client } from "./client.ts";
import type { Original } from "./files.ts";
import { shown } from "./shown.ts";

/** What the service says of all manifests of an image; null where there are none. */
export type Chain = NonNullable<NonNullable<Success["analysis"]>["provenance"]> | null;
type Manifest = NonNullable<Chain>["manifests"][number];

/** The least that can be asked for: the picture that comes with the answer is of no use. */
const BODY: UploadBody = {
  analyze: ["provenance"],
  resize: { width: 16, height: 16, upscale: false },
  output: { format: "webp", animation: false, provenance: "drop" },
  optimize: { quality: 50 },
};

const STATES: Readonly<Record<NonNullable<Chain>["state"], string>> = {
  trusted: "Trusted: signed by somebody whom the operator trusts, and unchanged since",
  valid: "Valid: unchanged since it was signed, by somebody whom the operator does not know",
  invalid: "Invalid: something does not match",
  unreadable: "Unreadable: damaged, or beyond the bounds",
};

/**
 * Tells what every image says, one after the other.
 * @param write given lines for standard output
 * @returns whether all could be read and none is invalid or unreadable
 */
export async function tellProvenance(
  originals: readonly Original[],
  client: Client,
  json: boolean,
  signal: AbortSignal,
  write: (line: string) => void,
): Promise<boolean> {
  let isGood = true;
  for (const { path } of originals) {
    if (signal.aborted) return false;
    try {
      const { analysis } = await client.describe(basename(path), await readFile(path), BODY, signal);
      const chain = analysis?.provenance ?? null;
      if (chain?.state === "invalid" || chain?.state === "unreadable") isGood = false;
      write(json ? JSON.stringify({ path, provenance: chain }) : textOf(path, chain));
    } catch (error) {
      isGood = false;
      const message = error instanceof Error ? error.message : String(error);
      write(json ? JSON.stringify({ path, error: { message } }) : `${shown(path)}\n  ${shown(message)}`);
    }
  }
  return isGood;
}

/** What a chain says, in lines. */
export function textOf(path: string, chain: Chain): string {
  if (!chain) return `${path}\n  No Content Credentials`;
  const failures = chain.failures.filter((code) => code !== "signingCredential.untrusted");
  return [
    path,
    `  ${STATES[chain.state]}`,
    ...failures.map((code) => `  Wrong: ${shown(code)}`),
    ...chain.manifests.flatMap((one, index) => manifestLines(one, index + 1)),
  ].join("\n");
}

function manifestLines(manifest: Manifest, number: number): string[] {
  const { signer, generator, issued_at: at, actions, ingredients, failures, informational = [] } = manifest;
  const who = [signer ?? "somebody unnamed", generator && `with ${generator}`, at && `at ${at}`];
  const done = actions.map(({ action, digital_source_type: type }) => action + (type ? ` (${lastOf(type)})` : ""));
  const parts = ingredients.map(({ title, format, relationship, manifest: own }) => {
    const rest = own === undefined ? "without Content Credentials" : `see ${own + 1}`;
    return `${relationship}: ${title ?? format ?? "a file"}, ${rest}`;
  });
  return [
    `  ${number}. ${shown(who.filter(Boolean).join(" "))}`,
    ...(done.length > 0 ? [`     ${shown(done.join(", "))}`] : []),
    ...parts.map((part) => `     ${shown(part)}`),
    ...[...failures, ...informational].map((code) => `     ${shown(code)}`),
  ];
}

/** The last part of an address of a vocabulary. */
function lastOf(url: string): string {
  return url.split("/").at(-1) ?? url;
}
