/**
 * What an address means and why it is refused, for the owner of its delivery. The code that answers visitors judges it, so
 * that both say the same.
 */
import { ApiError } from "../errors.ts";
import type { Asked, Dialect, Spelled } from "./asked.ts";
import { type Canonical, canonicalOf } from "./canonical.ts";
import type { DialectName } from "./dialect-names.ts";
import { DIALECTS } from "./dialects.ts";
import { withHintedWidth } from "./hints.ts";
import { acceptOf, AddressRefused, admit } from "./policy.ts";
import type { OpenedDelivery } from "./records.ts";
import { signedUntil } from "./signature.ts";
import { identityOf, locate } from "./sources.ts";

export interface Explanation {
  readonly signature: "none" | "valid" | "wrong";
  /** With its reason; undefined where visitors are answered. */
  readonly refusal: ApiError | undefined;
  /** Undefined where options cannot be read. */
  readonly asked: Asked | undefined;
  readonly original: string | undefined;
  /** Where the address is refused: what it would be if it were not. */
  readonly canonical: Canonical | undefined;
}

/** An address of a delivery, taken apart. */
export interface Place {
  readonly dialect: DialectName;
  readonly path: string;
}

/** The dialect and the path of an address, whatever its host; undefined where it is not one of the delivery. */
export function placeOf(address: string, id: string): Place | undefined {
  const [plain = ""] = address.split("#", 1);
  const [, name = "", found, path = ""] = /^(?:https?:\/\/[^/]+)?\/([^/]+)\/([^/?]+)(\/[^]*)?$/i.exec(plain) ?? [];
  return found === id && Object.hasOwn(DIALECTS, name) ? { dialect: name as DialectName, path } : undefined;
}

/** @param now milliseconds since 1970 */
export async function explain(
  delivery: OpenedDelivery,
  { dialect: name, path }: Place,
  accept: string | undefined,
  now: number,
): Promise<Explanation> {
  const dialect: Dialect = DIALECTS[name];
  const spelled = dialect.split(path);
  if (!spelled) {
    const refusal = new ApiError(404, "Resource not found");
    return { signature: "none", refusal, asked: undefined, original: undefined, canonical: undefined };
  }
  const read = attempt(() => dialect.read(spelled));
  const admitted = await attemptLater(admit(delivery, dialect, spelled, now));
  // What it gets, where that is less than what it asks for.
  const got = admitted.value?.asked ?? read.value;
  const asked = got && withHintedWidth(delivery, got, () => undefined);
  const canonical = asked && attempt(() => canonicalOf(delivery, asked, acceptOf(delivery, dialect, accept)));
  const located = asked?.source === undefined ? undefined : locate(delivery, asked.source);
  const refusal = admitted.refusal ?? canonical?.refusal;
  return {
    signature: await signatureState(delivery, spelled, now),
    refusal: refusal && withReason(refusal),
    asked: read.value,
    original: located && identityOf(located),
    canonical: canonical?.value,
  };
}

async function signatureState(
  { signing }: OpenedDelivery,
  { signature, signed }: Spelled,
  now: number,
): Promise<Explanation["signature"]> {
  if (signature === undefined) return "none";
  const until = signing && (await signedUntil(signing, signed, signature, now));
  return until === undefined ? "wrong" : "valid";
}

function withReason(error: ApiError): ApiError {
  return error instanceof AddressRefused ? new ApiError(error.status, `${error.message}: ${error.why}`) : error;
}

interface Attempt<Value> {
  readonly value?: Value;
  readonly refusal?: ApiError;
}

function attempt<Value>(work: () => Value): Attempt<Value> {
  try {
    return { value: work() };
  } catch (error) {
    return { refusal: refusalOf(error) };
  }
}

async function attemptLater<Value>(work: Promise<Value>): Promise<Attempt<Value>> {
  return work.then(
    (value) => ({ value }),
    (error: unknown) => ({ refusal: refusalOf(error) }),
  );
}

function refusalOf(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  throw error;
}
