/** The members `outputs` and `srcset` of a request: several results of one original. */
import * as v from "valibot";

import { ApiError } from "../errors.ts";
import { dictionary, hasReserved, integer, oneOf, record, reservedRule, text } from "../fields.ts";
import { chosenFor } from "../image/plan/output.ts";
import { isObject } from "../json.ts";
import { MAX_OUTPUTS, MAX_SIZES_CHARACTERS, MAX_SRCSET_WIDTHS } from "../limits.ts";
import { MAX_SIDE_PIXELS } from "../limits/pictures.ts";
import type { Store } from "../storage/providers.ts";
import { CURRENT_SOURCE_FORMATS, SOURCE_FORMATS, type SourceFormat } from "./format-lists.ts";
import { inOrder } from "./in-order.ts";
import { resultEntries } from "./members.ts";

const NAME = /^[a-z\d_-]{1,32}$/;
const nameRule = "must be named by 1 to 32 of a-z, 0-9, _ and -";
const numberRule = `must have 1 to ${MAX_OUTPUTS} members`;

/** One of several results: what is done with the picture after the request's own operations. */
export const OutputEntry = record(resultEntries);
export type OutputEntry = v.InferOutput<typeof OutputEntry>;

export const Outputs = v.pipe(
  dictionary(v.pipe(v.string(), v.regex(NAME, nameRule)), OutputEntry, "must be an object"),
  v.check((outputs) => Object.keys(outputs).length > 0 && Object.keys(outputs).length <= MAX_OUTPUTS, numberRule),
);
export type Outputs = v.InferOutput<typeof Outputs>;

/** The formats of a srcset, those that take the fewest bytes first. */
const SRCSET_FORMATS = SOURCE_FORMATS as readonly [SourceFormat, ...SourceFormat[]];
export type SrcsetFormat = SourceFormat;

const widthsRule = `must be a list of 1 to ${MAX_SRCSET_WIDTHS} integers`;
const formatsRule = `must be a list of 1 to ${SRCSET_FORMATS.length} of ${SRCSET_FORMATS.join(", ")}`;

/** Shorthand for outputs of several widths in several formats, with what a page needs to show them. */
export const Srcset = record({
  widths: v.pipe(
    v.array(integer(1, MAX_SIDE_PIXELS), widthsRule),
    v.minLength(1, widthsRule),
    v.maxLength(MAX_SRCSET_WIDTHS, widthsRule),
    v.check((widths) => new Set(widths).size === widths.length, "must name every width once"),
  ),
  formats: v.optional(
    v.pipe(
      v.array(oneOf(SRCSET_FORMATS), formatsRule),
      v.minLength(1, formatsRule),
      v.maxLength(SRCSET_FORMATS.length, formatsRule),
      v.check((formats) => new Set(formats).size === formats.length, "must name every format once"),
    ),
  ),
  sizes: v.optional(text(1, MAX_SIZES_CHARACTERS), "100vw"),
});
export type Srcset = v.InferOutput<typeof Srcset>;

/**
 * The formats that a srcset is made in: where it names none, those that current browsers show, and one that all others
 * show.
 */
export function formatsOf({ formats }: Pick<Srcset, "formats">, opaque: boolean): readonly SrcsetFormat[] {
  if (formats) return SRCSET_FORMATS.filter((format) => formats.includes(format));
  return [...CURRENT_SOURCE_FORMATS, chosenFor("fallback", "stills", { alpha: !opaque }) as SrcsetFormat];
}

/** The credits that a request takes at most: one for each of its results. */
export function mostCredits({
  outputs,
  srcset,
}: {
  outputs?: object | undefined;
  srcset?: Srcset | undefined;
}): number {
  if (outputs) return Object.keys(outputs).length;
  return srcset ? srcset.widths.length * formatsOf(srcset, true).length : 1;
}

/** What is asked for of several results, as far as it says where they go. */
interface Places {
  readonly output?: { readonly name?: string | undefined } | undefined;
  readonly store?: Store | undefined;
  readonly outputs?: Outputs | undefined;
  readonly srcset?: Srcset | undefined;
}

/**
 * Finds out whether results would replace one another in a store.
 * @throws ApiError 422
 */
export function checkPlaces({ output, store, outputs, srcset }: Places): void {
  if (srcset) checkFolder("store", store);
  const seen = new Map<string, string>();
  for (const [name, entry] of Object.entries(outputs ?? {})) {
    if (!entry.store) continue;
    const place = JSON.stringify(inOrder(entry.store));
    const isFirst = ![...seen.keys()].some((key) => key.startsWith(place));
    if (!isFirst) checkFolder(`outputs.${name}.store`, entry.store);
    const own = entry.output?.name === output?.name ? undefined : entry.output?.name;
    const key = own === undefined ? `${place} ${name}` : `${place} /${own}`;
    const other = seen.get(key);
    if (other !== undefined) {
      throw new ApiError(422, `outputs.${name}.output.name must differ from that of outputs.${other}`);
    }
    seen.set(key, name);
  }
}

/** Where several results go to one store they need a folder: a path that names an object would be that of all. */
function checkFolder(member: string, store: Store | undefined): void {
  const path = store?.["path"];
  if (typeof path !== "string" || path === "" || path.endsWith("/")) return;
  throw new ApiError(422, `${member}.path must end in a slash: several outputs cannot be one object`);
}

/** The members of a request that its outputs begin with: their own members replace those of the request. */
const DEFAULTS = ["output", "optimize"] as const;

/**
 * A request whose outputs have what the request says for all of them.
 * @param canonical replaces the aliases of an output by the names they stand for
 * @throws ApiError 422 for members that cannot be given together, and for names that nobody may use
 */
export function withDefaults(
  request: Record<string, unknown>,
  canonical: (entry: object) => Record<string, unknown>,
): Record<string, unknown> {
  const { outputs, srcset } = request;
  if (outputs !== undefined && srcset !== undefined) throw new ApiError(422, "outputs cannot be combined with srcset");
  if (srcset !== undefined && isObject(request["output"]) && Object.hasOwn(request["output"], "format")) {
    throw new ApiError(422, "output.format cannot be combined with srcset, whose formats say it");
  }
  if (!isObject(outputs)) return request;
  const entries = Object.entries(outputs);
  if (entries.length > MAX_OUTPUTS) throw new ApiError(422, `outputs ${numberRule}`);
  // Said here: what is joined below has no such member any more.
  if (hasReserved(outputs)) throw new ApiError(422, `outputs ${reservedRule}`);
  const whole = entries.map(([name, entry]) => [name, isObject(entry) ? joined(request, named(name, entry)) : entry]);
  return { ...request, outputs: Object.fromEntries(whole) };

  function named(name: string, entry: object): Record<string, unknown> {
    try {
      return canonical(entry);
    } catch (error) {
      if (!(error instanceof ApiError) || !NAME.test(name)) throw error;
      throw new ApiError(error.status, `outputs.${name}.${error.message}`, { cause: error });
    }
  }
}

function joined(request: Record<string, unknown>, entry: Record<string, unknown>): Record<string, unknown> {
  const whole = { ...entry };
  for (const name of DEFAULTS) {
    const [own, given] = [entry[name], request[name]];
    if (own === undefined && isObject(given)) whole[name] = given;
    else if (isObject(own) && isObject(given)) whole[name] = { ...given, ...own };
  }
  if (whole["store"] === undefined && request["store"] !== undefined) whole["store"] = request["store"];
  return whole;
}
