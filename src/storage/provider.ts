/** What a storage provider is. One file named after its code and one line in `providers.ts` add one. */
import type * as v from "valibot";

import type { Session } from "./session.ts";

/** A result on its way into a caller's store. */
export interface StoredObject {
  /** The whole name in the bucket or container, folders included, without a leading slash. */
  readonly key: string;
  readonly bytes: Uint8Array;
  /** What the bytes are, unless the request's `headers` say otherwise. */
  readonly contentType: string;
}

/** A row of the registry, whatever its parameters are. */
export interface ProviderRow {
  /** One sentence for the documentation. */
  readonly summary: string;
  /** The code that requests name, and the other names for it. */
  readonly code: string;
  readonly aliases: readonly string[];
  /** The members that prove who asks and whose store it is: what a connector saves and a request cannot replace. */
  readonly credentials: v.ObjectEntries;
  /** All other members. */
  readonly params: v.ObjectEntries;
  /** A rule over several members: what is wrong, as member and sentence, or null. */
  readonly rule?: (members: never) => Violation | null;
  /**
   * Puts the object and gives its permanent URL.
   * @throws ApiError 422 when the store refuses or does not answer
   */
  readonly put: (members: never, object: StoredObject, session: Session) => Promise<string>;
}

export interface Violation {
  readonly member: string;
  readonly sentence: string;
}

type Members<Credentials extends v.ObjectEntries, Params extends v.ObjectEntries> = v.InferOutput<
  v.StrictObjectSchema<Credentials & Params, undefined>
>;

export interface Provider<
  Code extends string,
  Alias extends string,
  Credentials extends v.ObjectEntries,
  Params extends v.ObjectEntries,
> extends ProviderRow {
  readonly code: Code;
  readonly aliases: readonly Alias[];
  readonly credentials: Credentials;
  readonly params: Params;
  readonly rule?: (members: Members<Credentials, Params>) => Violation | null;
  readonly put: (members: Members<Credentials, Params>, object: StoredObject, session: Session) => Promise<string>;
}

/** Types the literal of a registry row: `put` receives what `credentials` and `params` describe. */
export function provider<
  const Code extends string,
  const Alias extends string,
  Credentials extends v.ObjectEntries,
  Params extends v.ObjectEntries,
>(row: Provider<Code, Alias, Credentials, Params>): Provider<Code, Alias, Credentials, Params> {
  return row;
}
