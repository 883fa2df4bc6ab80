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
  /** Under which condition it is stored; absent: under none. A store answers 412, or 409, when it does not hold. */
  readonly condition?: Condition | undefined;
  /** What says that a batch has made it: metadata of the name MARK. */
  readonly mark?: string | undefined;
  /** What `kept` gave: the object replaces another one, of which all but the bytes stays. */
  readonly kept?: Headers | undefined;
}

/** The name of the metadata by which batches know what they have made. */
export const MARK = "darkroom";

/**
 * No object has the name yet, or the one that has it is still this version. `never` names a version that no object has: a
 * store that takes such a write does not look at conditions.
 */
export type Condition =
  | { readonly is: "absent" }
  | { readonly is: "version"; readonly version: string }
  | { readonly is: "never" };

/** A part of a list of objects, in the order of the store. */
export interface ListAsk {
  /** What names begin with. */
  readonly prefix: string;
  /** Where a list of earlier goes on, as its end said; absent: at its beginning. */
  readonly cursor?: string | undefined;
  readonly limit: number;
}

export interface ListedObject {
  readonly key: string;
  readonly bytes: number;
}

export interface Listing {
  readonly objects: readonly ListedObject[];
  /** Where the list goes on; absent: it is at its end. */
  readonly cursor?: string;
}

/**
 * A part of a list that goes on behind its last name, where there is more.
 * @throws ApiError 422 where there is no name behind which it could
 */
export function listingBy(session: Session, objects: readonly ListedObject[], isMore: boolean): Listing {
  const last = objects.at(-1);
  if (!isMore) return { objects };
  if (!last) throw session.nonsense("a list that goes on behind no name");
  return { objects, cursor: last.key };
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
  /**
   * A part of the list of objects.
   * @throws ApiError 422 when the store refuses or does not answer
   */
  readonly list: (members: never, ask: ListAsk, session: Session) => Promise<Listing>;
  /** Where a list begins that leaves out all names up to this one; absent: the store cannot, and its list is read from the start. */
  readonly cursorAfter?: (key: string) => string;
  /** The mark and the version of an object, by the headers of an answer to `read`. */
  readonly told: (answered: Headers) => Told;
  /**
   * What is sent with an object that replaces the one of which `answered` are the headers, so that all but the bytes stays:
   * metadata, headers, tags, access list. Absent: the store cannot compare versions, so nothing is ever replaced in it.
   * @throws ApiError 422 when the store refuses to tell
   */
  readonly kept?: (members: never, key: string, answered: Headers, session: Session) => Promise<Headers>;
  /**
   * Takes an object away. Present wherever `kept` is.
   * @throws ApiError 422 when the store refuses or does not answer
   */
  readonly remove?: (members: never, key: string, session: Session) => Promise<void>;
  /** Why a store with these members cannot compare versions, or null; absent: it can where there is `kept`. */
  readonly keeps?: (members: never) => string | null;
}

export interface Told {
  readonly mark: string | undefined;
  /** What a condition names; undefined where the store told none. */
  readonly version: string | undefined;
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
  readonly list: (members: Members<Credentials, Params>, ask: ListAsk, session: Session) => Promise<Listing>;
  readonly kept?: (
    members: Members<Credentials, Params>,
    key: string,
    answered: Headers,
    session: Session,
  ) => Promise<Headers>;
  readonly remove?: (members: Members<Credentials, Params>, key: string, session: Session) => Promise<void>;
  readonly keeps?: (members: Members<Credentials, Params>) => string | null;
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
