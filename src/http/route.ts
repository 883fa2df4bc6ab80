/** What a route is. One row in `routes.ts` adds one: the app, the API document and the test client read it. */
import type * as v from "valibot";

import type { ErrorStatus } from "../refusal-reasons.ts";
import type { Handler } from "./context.ts";

/** What an answer with this status carries. */
export interface Answer {
  readonly description: string;
  /** The schema of a JSON body; absent when the body is something else. */
  readonly schema?: v.GenericSchema;
  readonly example?: unknown;
  /** Media type of a body that is not JSON. */
  readonly mime?: string;
}

interface RequestBody {
  readonly mime: "application/json" | "multipart/form-data";
  /** The schema of the JSON body, or of the part `data` of a multipart body. */
  readonly schema: v.GenericSchema;
  readonly example: unknown;
  readonly required: boolean;
}

export interface Route {
  readonly method: "get" | "post" | "put" | "patch" | "delete";
  /** With `:name` for a variable segment. */
  readonly path: string;
  /** What the router looks for, where that is more than the path says. */
  readonly pattern?: string;
  readonly operationId: string;
  /** One sentence. */
  readonly summary: string;
  readonly tag:
    | "Images"
    | "Deliveries"
    | "Batches"
    | "Saved assets"
    | "Account"
    | "Agents"
    | "Webhooks"
    | "Administration"
    | "Service";
  /** An account's key, the operator's token, or nothing; what is open is not counted. */
  readonly access: "key" | "operator" | "open";
  /** A success costs a credit. */
  readonly costsCredit?: true;
  /** Keys of agents open it. */
  readonly isForAgents?: true;
  /** Takes an `Idempotency-Key`: sent again, it is answered as before. */
  readonly isRepeatable?: true;
  /** Takes an upload token in place of a key. */
  readonly takesUploadTokens?: true;
  readonly query?: v.GenericSchema;
  readonly body?: RequestBody;
  readonly answers: Readonly<Record<number, Answer>>;
  /** Failures besides those that every route with this access can have. */
  readonly refusals: readonly ErrorStatus[];
  readonly handler: Handler;
}

const COMMON_REFUSALS = {
  key: [401, 403, 429, 500, 503],
  operator: [401, 403, 404, 429, 500, 503],
  open: [500],
} as const satisfies Record<Route["access"], readonly ErrorStatus[]>;

/** Every status with which a route can refuse, ascending. */
export function refusalsOf(route: Route): ErrorStatus[] {
  const ofBodies = route.body ? ([408] as const) : [];
  const ofKeys = route.isRepeatable ? ([409] as const) : [];
  return [...new Set([...COMMON_REFUSALS[route.access], ...ofBodies, ...ofKeys, ...route.refusals])].sort(
    (a, b) => a - b,
  );
}
