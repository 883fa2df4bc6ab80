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

/** How an object is asked for, by somebody who may. */
export interface ReadRequest {
  readonly url: string;
  readonly headers: Headers;
  /** Other headers may be added: a signature that there is holds with them. */
  readonly isOpen: boolean;
  /** Forgets the token that the request carries, should the store refuse it. */
  readonly forget?: () => void;
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
  /**
   * The request for the bytes of an object.
   * @throws ApiError 422 when a token is refused
   */
  readonly read: (members: never, key: string, session: Session) => Promise<ReadRequest>;
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
  readonly read: (members: Members<Credentials, Params>, key: string, session: Session) => Promise<ReadRequest>;
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
