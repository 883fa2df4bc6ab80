/**
 * Schemas of the API document in few bytes: whoever reads a list of tools reads all of it, in every conversation. Members
 * that most requests need are schemas; the others are one line of notation, which models read as well. The service checks
 * what comes against the whole schema and names the member and its rule, so nothing is lost but bytes.
 */
import type { ApiDocument } from "../document.ts";
import type { Json } from "./protocol.ts";

const REFERENCE = "#/components/schemas/";
/** What a schema says besides its members that a model can make use of. */
const KEPT = ["type", "enum", "const", "minimum", "maximum", "required"] as const;

interface Node {
  readonly $ref?: string;
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly required?: readonly string[];
  readonly items?: Node;
  readonly anyOf?: readonly Node[];
  readonly not?: Node;
}

/** A schema that names no other. */
export type ObjectSchema = Json & { readonly properties: Json };

/** Which members stay schemas, which are left out, and of which notations two sentences are said in place of one. */
interface Choice {
  readonly whole: readonly string[];
  readonly without: readonly string[];
  readonly explained?: readonly string[];
}

/**
 * An object of the API document as the arguments of a tool.
 * @param name of the schema
 */
export function shortSchema(
  document: ApiDocument,
  name: string,
  { whole, without, explained = [] }: Choice,
): ObjectSchema {
  const resolve = resolverOf(document);
  const { properties = {}, required = [] } = resolve({ $ref: REFERENCE + name });
  const members = Object.entries(properties).filter(([member]) => !without.includes(member));
  const short = members.map(([member, node]) => {
    const schema = resolve(node);
    if (whole.includes(member)) return [member, wholeOf(schema, resolve)];
    const said = sentences(schema.description, explained.includes(member) ? 2 : 1);
    // Of a plain value the type says it all.
    const values = schema.properties || schema.items ? notation(schema, resolve) : "";
    const description = [said, values].join(" ").trim();
    return [member, { type: schema.type, ...(description !== "" && { description }) }];
  });
  return { type: "object", properties: Object.fromEntries(short), required, additionalProperties: false };
}

/**
 * An object of an answer by the types of some of its members, in the notation of arguments; there may be others.
 * @param name of the schema
 */
export function resultSchema(document: ApiDocument, name: string, members: readonly string[]): Json {
  const resolve = resolverOf(document);
  const { properties = {} } = resolve({ $ref: REFERENCE + name });
  const types = members.map((member) => [member, resolve(properties[member] ?? {}).type ?? "any"] as const);
  return shortResult(Object.fromEntries(types));
}

/**
 * An object of an answer in the notation of arguments.
 * @param types by the names of members
 */
export function shortResult(types: Readonly<Record<string, string>>): Json {
  const named = Object.entries(types).map(([name, type]) => ({ name, values: SHORT_TYPES[type] ?? type }));
  return { type: "object", description: joined(named) };
}

type Resolve = (node: Node) => Node;

/** Follows a reference, if a schema is one. */
function resolverOf(document: ApiDocument): Resolve {
  const schemas = document.components.schemas as Readonly<Record<string, Node | undefined>>;
  const resolve: Resolve = (node) =>
    node.$ref === undefined ? node : resolve(schemas[node.$ref.slice(REFERENCE.length)] ?? {});
  return resolve;
}

function wholeOf(schema: Node, resolve: Resolve): Json {
  const { properties, items, anyOf } = schema;
  // A number that may come as text is a number for whoever can choose.
  const of = (node: Node): Json => wholeOf(resolve(node), resolve);
  const members = Object.entries(properties ?? {}).filter(([, node]) => node.not === undefined);
  return {
    ...Object.fromEntries(
      KEPT.flatMap((key) => {
        const value = schema[key as keyof Node];
        return isEmpty(value) || Number(value) > NO_BOUND ? [] : [[key, value]];
      }),
    ),
    ...(schema.type === undefined && { type: anyOf?.[0]?.type }),
    ...(properties && { properties: Object.fromEntries(members.map(([name, node]) => [name, of(node)])) }),
    ...(items && { items: of(items) }),
  };
}

function isEmpty(value: unknown): boolean {
  return value === undefined || (Array.isArray(value) && value.length === 0);
}

/** What places a thing in a picture, and takes fifteen words to list. */
const DIRECTIONS = "center|top-left|top|top-right|right|bottom-right|bottom|bottom-left|left";
/** Names of types that models know as well. */
const SHORT_TYPES: Readonly<Record<string, string>> = { integer: "int", boolean: "bool" };
/** From here on a bound only keeps nonsense out. */
const NO_BOUND = 1_000;

/** `{value: 0..100, mode?: gaussian|box, x?, y?: number}`: a question mark stands at what may be left out. */
function notation(schema: Node, resolve: Resolve): string {
  if (schema.enum) return schema.enum.map(String).join("|").replace(DIRECTIONS, "direction");
  if (schema.properties) {
    const members = Object.entries(schema.properties).filter(([, node]) => node.not === undefined);
    const named = members.map(([name, node]) => ({
      name: schema.required?.includes(name) === true ? name : `${name}?`,
      values: notation(resolve(node), resolve),
    }));
    return joined(named);
  }
  if (schema.items) return `[${notation(resolve(schema.items), resolve)}]`;
  if (schema.pattern?.startsWith("^#?") === true) return "color";
  const { minimum, maximum } = schema;
  if (minimum !== undefined && maximum !== undefined && maximum < NO_BOUND) return `${minimum}..${maximum}`;
  const type = schema.type ?? schema.anyOf?.[0]?.type ?? "any";
  return SHORT_TYPES[type] ?? type;
}

/** Members in braces; neighbors that take the same share its words. */
function joined(named: readonly { readonly name: string; readonly values: string }[]): string {
  const parts = named.map(({ name, values }, index) =>
    values === named[index + 1]?.values ? name : `${name}: ${values}`,
  );
  return `{${parts.join(", ")}}`;
}

function sentences(text = "", count: number): string {
  return (text.match(/.+?(?:[.:;](?=\s|$)|$)/gs) ?? []).slice(0, count).join("").trim();
}
