/** What a tool for agents is. One file in `tools/` and one line in `tools.ts` add one. */
import type { ApiDocument } from "../document.ts";
import type { Json } from "./protocol.ts";
import type { ObjectSchema } from "./short-schema.ts";

/** The routes of this service, on behalf of the caller. */
export interface Routes {
  /**
   * The answer of a route.
   * @param body sent as JSON; absent: GET
   * @throws ToolFailure in the route's own words
   */
  readonly call: (path: string, body?: object) => Promise<Json>;
  /**
   * The bytes of a result that the service has stored.
   * @param url as an answer named it
   * @returns undefined when it is not there, or has more than `most` bytes
   */
  readonly read: (url: string, most: number) => Promise<Picture | undefined>;
}

/** An image that a model looks at. */
export interface Picture {
  readonly bytes: Uint8Array;
  readonly mimeType: string;
}

/** What a tool gives. */
interface Given {
  readonly data: Json;
  readonly picture?: Picture | undefined;
}

/** What an agent is told of a call that came to nothing. */
export class ToolFailure extends Error {}

/** What an agent reads of a tool before it calls it. */
export interface Told {
  readonly description: string;
  /** JSON Schema of the arguments; arguments that it does not name are refused. */
  readonly inputSchema: ObjectSchema;
  /** JSON Schema of what it gives; there may be more. */
  readonly outputSchema: ObjectSchema;
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
  readonly call: (args: Json, routes: Routes) => Promise<Given>;
}

/** Schema of the member `show` of arguments. */
export function showSchema(description: string): Json {
  return { type: "boolean", description };
}
