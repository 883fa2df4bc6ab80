/** Which objects a batch is about, and what their results are called. */
import type { FormatDefinition } from "../image/codec/format.ts";
import { FORMATS } from "../image/formats.ts";
import { anyFits } from "./patterns.ts";
import type { BatchRules, BatchTarget } from "./rules.ts";

type Extensions = readonly [string, ...string[]];

/** The extensions of a format, by its media type. */
const BY_TYPE: ReadonlyMap<string, Extensions> = new Map(
  Object.values<Pick<FormatDefinition, "mime" | "extensions">>(FORMATS).map(({ mime, extensions }) => [
    mime,
    extensions,
  ]),
);

const EXTENSIONS: ReadonlySet<string> = new Set([...BY_TYPE.values()].flat());

function extensionOf(key: string): string {
  return /\.([^./]+)$/.exec(key)?.[1]?.toLowerCase() ?? "";
}

/** Whether a name, or where it has no extension of an image the type that an object is served with, is of this format. */
export function isOfType(key: string, served: string | null, mime: string): boolean {
  const extension = extensionOf(key);
  return EXTENSIONS.has(extension)
    ? (BY_TYPE.get(mime)?.includes(extension) ?? false)
    : served === null || served === mime;
}

/** Whether a batch is about an object, of which it may have heard in any way. */
export function isAbout(rules: BatchRules, key: string): boolean {
  const { prefix, after } = rules.source;
  return key.startsWith(prefix) && (after === undefined || key > after) && isMeant(rules, key);
}

/** Folders that consoles make, and results of the batch itself where they lie below its prefix, are never meant. */
function isMeant(rules: BatchRules, key: string): boolean {
  const { include, exclude = [], prefix, connector } = rules.source;
  if (key.endsWith("/") || anyFits(exclude, key)) return false;
  if (typeof rules.target !== "string" && rules.target.connector === connector) {
    const { prefix: results } = rules.target;
    if (results.length > prefix.length && results.startsWith(prefix) && key.startsWith(results)) return false;
  }
  return include ? anyFits(include, key) : EXTENSIONS.has(extensionOf(key));
}

/**
 * The name of a result: that of the original below another prefix. A result of another format has its extension besides, so
 * that `a.png` and `a.jpg` do not become one object.
 * @param mime the media type of the result
 */
export function resultKey({ source }: BatchRules, target: BatchTarget, key: string, mime: string): string {
  const extensions = BY_TYPE.get(mime) ?? [""];
  const name = target.prefix + key.slice(source.prefix.length);
  return extensions.includes(extensionOf(name)) ? name : `${name}.${extensions[0]}`;
}
