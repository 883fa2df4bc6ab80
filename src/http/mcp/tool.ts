/** What a tool for agents is. One file in `tools/` and one line in `tools.ts` add one. */
import type { ApiDocument } from "../document.ts";
import type { Json } from "./protocol.ts";

/** The routes of this service, on behalf of the caller. */
export interface Routes {
  /**
   * The answer of a route.
   * @param body sent as JSON; absent: GET
   * @throws ToolFailure in the route's own words
   */
  readonly call: (path: string, body?: object) => Promise<Json>;
}

/** What an agent is told of a call that came to nothing. */
export class ToolFailure extends Error {}

/** What an agent reads of a tool before it calls it. */
export interface Told {
  readonly description: string;
  /** JSON Schema of the arguments; arguments that it does not name are refused. */
  readonly inputSchema: Json & { readonly properties: Json };
}

export interface Tool {
  readonly title: string;
  /** In the words and schemas of the API document. */
  readonly tell: (document: ApiDocument) => Told;
  /** Nothing that is there is changed by it. */
  readonly isReadOnly: boolean;
  /** It calls addresses that the agent names. */
  readonly isOpenWorld: boolean;
  /** @throws ToolFailure */
  readonly call: (args: Json, routes: Routes) => Promise<Json>;
}

const REFERENCE = "#/components/schemas/";

type Schemas = Readonly<Record<string, Json | undefined>>;

/**
 * A schema of the API document that stands alone.
 * @param name of the schema
 * @param omitted members that are not for agents
 */
export function schemaFromDocument(
  document: ApiDocument,
  name: string,
  omitted: readonly string[],
): Told["inputSchema"] {
  const schemas: Schemas = document.components.schemas;
  const { properties, ...rest } = schemas[name] ?? {};
  const members = Object.entries(properties as Json).filter(([member]) => !omitted.includes(member));
  const definitions = new Map<string, unknown>();
  const inlined = resolved(Object.fromEntries(members), schemas, definitions) as Json;
  return { ...rest, properties: inlined, $defs: Object.fromEntries(definitions) };
}

/** The value with every reference to the document's schemas turned into one to its own definitions, which are gathered. */
function resolved(value: unknown, schemas: Schemas, definitions: Map<string, unknown>): unknown {
  if (Array.isArray(value)) return value.map((item) => resolved(item, schemas, definitions));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]: [string, unknown]) => {
      if (key !== "$ref" || typeof member !== "string") return [key, resolved(member, schemas, definitions)];
      const name = member.slice(REFERENCE.length);
      if (!definitions.has(name)) {
        definitions.set(name, undefined); // a schema may name itself
        definitions.set(name, resolved(schemas[name], schemas, definitions));
      }
      return [key, `#/$defs/${name}`];
    }),
  );
}
