/** One image in several widths and formats: the files, and a page's element that shows them. */
import { readFile, rm } from "node:fs/promises";
import { basename, join, parse } from "node:path";

import type { SetSuccess, UploadBody } from "../../clients/api-types.d.ts";
import { candidateUrl, escapedHtml } from "../../html.ts";
import { elementIn, isNamedAfter, resultName } from "./answered.ts";
import { type Client, looksOf } from "./client.ts";
import { alreadyThere, exists, type Original, place, targetOf } from "./files.ts";
import type { Options } from "./options.ts";
import { type Claims, type Outcome, ownerOf } from "./outcome.ts";

/** Images without those that an earlier run has made of others among them: they lie beside their originals. */
export function withoutResults(originals: readonly Original[], { srcset }: UploadBody): readonly Original[] {
  if (!srcset) return originals;
  const stemOf = (path: string) => join(parse(path).dir, parse(path).name);
  const stems = new Set(originals.map(({ path }) => stemOf(path)));
  return originals.filter(({ path }) => {
    const [, stem] = /^(.*)-\d+$/.exec(stemOf(path)) ?? [];
    return stem === undefined || !stems.has(stem);
  });
}

/** Writes the files of a srcset, and at last the element: where it is there, all is there. */
export async function writeSet(
  original: Original,
  options: Options,
  client: Client,
  signal: AbortSignal,
  claims: Claims,
): Promise<Outcome> {
  const { path } = original;
  const { byTarget, byPath } = claims;
  const { body, out, resume } = options;
  const target = targetOf(original, `${parse(path).name}.html`, out);
  const mayReplace = options.overwrite || byTarget.get(target) === path;
  const isThere = !mayReplace && (await exists(target));
  // Nothing is waited for between this look and the claim.
  const owner = ownerOf(claims, target, path);
  if (isThere && !resume) throw alreadyThere(target);
  byTarget.set(target, path);
  if (isThere) {
    byPath.set(path, target);
    return { kind: "skipped", path, target };
  }
  try {
    const startedAt = performance.now();
    const bytes = await readFile(path);
    const answer = await client.processSet(basename(path), bytes, body, signal);
    const files = await writeFiles(original, answer, { target, out, mayReplace, resume }, (url) =>
      client.download(url, signal),
    );
    byPath.set(path, target);
    const after = files.reduce((sum, file) => sum + file.bytes, 0);
    const ms = Math.round(performance.now() - startedAt);
    return { kind: "written", path, target, before: bytes.length, after, ms, files };
  } catch (error) {
    if (owner === undefined) byTarget.delete(target);
    throw error;
  }
}

/** Where files go, and what they may replace. */
interface Places extends Pick<Options, "out" | "resume"> {
  /** That of the element. */
  readonly target: string;
  readonly mayReplace: boolean;
}

/** Writes the files and the element; where nothing may be replaced, all of them or none. */
async function writeFiles(
  original: Original,
  answer: SetSuccess,
  { target, out, mayReplace, resume }: Places,
  download: (url: string) => Promise<Uint8Array>,
): Promise<NonNullable<Extract<Outcome, { kind: "written" }>["files"]>> {
  const placed: string[] = [];
  try {
    const files = [];
    for (const result of Object.values(answer.outputs)) {
      const file = await download(result.url);
      const name = resultName(result.name);
      const output = targetOf(original, name, out);
      // Of an earlier run that was interrupted there may be some.
      await place(output, file, (mayReplace || resume) && isNamedAfter(name, original.path, true));
      placed.push(output);
      files.push({ output, bytes: file.length, ...looksOf(result) });
    }
    await place(target, new TextEncoder().encode(`${elementOf(answer)}\n`), mayReplace);
    return files;
  } catch (error) {
    if (!mayReplace && !resume) await Promise.all(placed.map((one) => rm(one, { force: true })));
    throw error;
  }
}

/** The element with the names of files in the place of addresses. */
function elementOf(answer: SetSuccess): string {
  return Object.values(answer.outputs).reduce((element, { url, name }) => {
    const file = escapedHtml(candidateUrl(encodeURIComponent(name)));
    return element.replaceAll(escapedHtml(candidateUrl(url)), file).replaceAll(escapedHtml(url), file);
  }, elementIn(answer));
}
