/** What requests may say: gathered from the registries, never repeated here. */
import * as v from "valibot";

import { ApiError } from "../errors.ts";
import { dictionary, flag, httpUrl, oneOf, record } from "../fields.ts";
import { OPERATIONS } from "../image/operations.ts";
import { Optimize, Output } from "../image/plan/output.ts";
import type { OperationRow } from "../image/steps/operation.ts";
import { isObject } from "../json.ts";
import { MAX_FETCH_HEADERS, MAX_HEADER_VALUE_CHARACTERS, MAX_JSON_DEPTH, MAX_URL_CHARACTERS } from "../limits.ts";
import { operationEntries, resultEntries } from "./members.ts";
import { checked, dotted } from "./message.ts";
import { Outputs, Srcset, withDefaults } from "./outputs.ts";
import { Webhook } from "./webhook.ts";

const Response = record({
  mode: v.optional(oneOf(["json", "binary"])),
  /** False: nothing is stored, and the bytes of the answer are all there is. */
  keep: v.optional(flag()),
  /** True: what the search tried is said with each result. */
  explain: v.optional(flag()),
});

/** How the original is read. */
const Input = record({ damaged: v.optional(oneOf(["refuse", "show"])) });

/**
 * Clients of services with a delivery network of their own say here whether it may keep the result. This one has none: a
 * result that was to be kept for good must not turn out to be temporary.
 */
const Delivery = record({
  push: v.optional(v.literal(false, "must be false: results are temporary here, or lie in a store of yours")),
});

const processingEntries = {
  ...resultEntries,
  input: v.optional(Input),
  outputs: v.optional(Outputs),
  srcset: v.optional(Srcset),
  response: v.optional(Response),
  webhook: v.optional(Webhook),
  reuse: v.optional(flag()),
  cdn: v.optional(Delivery),
};

/** What an address may make of a picture: no answer, no store, no notification. */
export const Derivation = record({ ...operationEntries, output: v.optional(Output), optimize: v.optional(Optimize) });
export type Derivation = v.InferOutput<typeof Derivation>;

/** The members of an upload's `data`. */
export const UploadBody = record(processingEntries);
export type UploadBody = v.InferOutput<typeof UploadBody>;

/** Whether a request may have a member of this name, or of one that an alias stands for. */
export function isRequestMember(name: string): boolean {
  return Object.hasOwn(processingEntries, name) || ALIASES.has(name);
}

const PROFILE = /^[a-z]{1,16}:(?!\/\/)[^\s/]{1,254}$/i;
const urlRule = "must be a valid http or https URL, or <platform>:<user>";

/** Names and values as RFC 9110 allows them in a request. */
const FetchHeaders = v.pipe(
  dictionary(
    v.pipe(
      v.string(),
      v.regex(
        /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/,
        "must be named like a header: letters, digits and !#$%&'*+.^_`|~-",
      ),
    ),
    v.pipe(
      v.string("must be a text"),
      v.maxLength(MAX_HEADER_VALUE_CHARACTERS, `must be at most ${MAX_HEADER_VALUE_CHARACTERS} characters`),
      v.regex(/^[\t\u0020-\u007e\u0080-\u00ff]*$/, "must be a header value"),
    ),
    "must be an object of texts",
  ),
  v.check(
    (headers) => Object.keys(headers).length <= MAX_FETCH_HEADERS,
    `must have at most ${MAX_FETCH_HEADERS} members`,
  ),
);

/** The body of a fetch. */
export const FetchBody = record({
  url: v.union(
    [httpUrl(), v.pipe(v.string(urlRule), v.maxLength(MAX_URL_CHARACTERS, urlRule), v.regex(PROFILE, urlRule))],
    urlRule,
  ),
  headers: v.optional(FetchHeaders),
  ...processingEntries,
});
export type FetchBody = v.InferOutput<typeof FetchBody>;

/** Everything that says what to do with an image, however it arrived and wherever the answer goes. */
export type Processing = Omit<UploadBody, "webhook" | "cdn">;

/** Whether a request is for several results. */
export function isSet({ outputs, srcset }: Pick<Processing, "outputs" | "srcset">): boolean {
  return outputs !== undefined || srcset !== undefined;
}

/**
 * A request body as its schema describes it.
 * @throws ApiError 422 naming the first member that breaks a rule
 */
export function parseBody<Schema extends v.GenericSchema>(schema: Schema, body: object): v.InferOutput<Schema> {
  return checked(schema, plainBody(body));
}

/**
 * A request body with every alias replaced by the name it stands for, not checked against its schema yet.
 * @throws ApiError 422 for lists, for members that lie too deep, and for a name that is given with its alias
 */
export function plainBody(body: object): Record<string, unknown> {
  checkShape(body, []);
  return withDefaults(canonical(body), canonical);
}

/** The members of a request that are lists. */
const LISTS = /^(?:(?:outputs\.[\w-]+\.)?(?:analyze|output\.sizes|redact\.regions)|srcset\.(?:widths|formats))$/;

/** No other member of a request is a list, and none lies deep; both are refused before any schema runs. */
function checkShape(value: unknown, path: readonly string[]): void {
  if (typeof value !== "object" || value === null) return;
  if (path.length > MAX_JSON_DEPTH) throw new ApiError(422, "The request is nested too deeply");
  if (Array.isArray(value) && LISTS.test(path.join("."))) return;
  if (Array.isArray(value)) throw new ApiError(422, `${dotted(path)} must not be a list`);
  for (const [key, member] of Object.entries(value)) checkShape(member, [...path, key]);
}

/** Operations by their aliases. */
const ALIASES: ReadonlyMap<string, string> = new Map(
  Object.entries<OperationRow>(OPERATIONS).flatMap(([name, row]) =>
    (row.aliases ?? []).map((alias) => [alias, name] as const),
  ),
);

/** The body with every alias replaced by the name it stands for. */
function canonical(body: object): Record<string, unknown> {
  const renamed = rename(body, ALIASES);
  for (const [name, row] of Object.entries<OperationRow>(OPERATIONS)) {
    const params = renamed[name];
    if (row.memberAliases && isObject(params))
      renamed[name] = rename(params, new Map(Object.entries(row.memberAliases)));
  }
  return renamed;
}

/** @throws ApiError 422 when a name and its alias are both given */
function rename(value: object, aliases: ReadonlyMap<string, string>): Record<string, unknown> {
  const renamed: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) {
    const name = aliases.get(key) ?? key;
    if (Object.hasOwn(renamed, name))
      throw new ApiError(422, `${name} must not be given twice, by its name and an alias`);
    Object.defineProperty(renamed, name, { value: member, enumerable: true, configurable: true, writable: true });
  }
  return renamed;
}
