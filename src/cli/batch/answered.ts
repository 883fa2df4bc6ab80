/** What is taken from the answers of a service, which may be another one than its owner's, or in other hands. */
import { basename, parse } from "node:path";

import type { SetSuccess } from "../../clients/api-types.d.ts";
import { baseName } from "../../files.ts";
import { MAX_NAME_CHARACTERS } from "../../limits.ts";
import { readUpTo } from "../../read-up-to.ts";
import { isImageName } from "./files.ts";

/** More than any result has: an original has an eighth of it at most. */
const MOST_ANSWER_BYTES = 1 << 28;

/**
 * The name of a result, as the service says it.
 * @throws Error where it is no image's: beside originals lie files that programs obey by their names
 */
export function resultName(given: unknown): string {
  const name = typeof given === "string" ? basename(given) : "";
  if (baseName(name) === name && isImageName(name) && !name.startsWith(".")) return name;
  throw new Error("The service has named a result as no image is named");
}

/** Whether a result is named after its original, or the part of a set is: another file is not replaced for it. */
export function isNamedAfter(name: string, path: string, isPart = false): boolean {
  const [stem, own] = [parse(name).name, parse(baseName(basename(path))).name];
  const isCut = name.length >= MAX_NAME_CHARACTERS && own.startsWith(stem.slice(0, MAX_NAME_CHARACTERS / 2));
  return isCut || stem === own || (isPart && stem.startsWith(`${own}-`));
}

/**
 * The element that shows the results of a set.
 * @throws Error where it has anything but pictures: whoever puts it into a page would run it there
 */
export function elementIn({ html = "" }: SetSuccess): string {
  const isPicture = /^(?:\s|<\/?(?:picture|source|img)(?:\s+[a-z-]+(?:="[^"<>]*")?)*\s*\/?>)*$/.test(html);
  if (isPicture && !/\son/.test(html.replaceAll(/"[^"]*"/g, ""))) return html;
  throw new Error("The service has sent an element that shows no pictures");
}

/**
 * The bytes of an answer.
 * @throws Error as soon as there are more than any answer has
 */
export async function bytesOf(answer: Response, most = MOST_ANSWER_BYTES): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  if (await readUpTo(answer, most, (piece) => void pieces.push(piece))) return Buffer.concat(pieces);
  throw new Error(`The service has sent more than ${most} bytes`);
}

/** The text of an answer, as JSON is written. @throws as `bytesOf` does */
export async function textIn(answer: Response): Promise<string> {
  return new TextDecoder().decode(await bytesOf(answer, MOST_TEXT_BYTES));
}

/** A page of a list of objects with names of a kilobyte has less. */
const MOST_TEXT_BYTES = 1 << 24;
