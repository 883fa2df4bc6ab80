/** What an address asks for, whatever dialect it is written in. */
import type { DeliveryFormat, Unsigned } from "../contract/deliveries.ts";
import { ApiError } from "../errors.ts";

/** What unsigned addresses may be allowed; everything else is `other`. */
export type Concern = "width" | "height" | "fit" | "gravity" | "quality" | "format" | "preset" | "blur" | "other";

/** An address taken apart, before anything of it is believed. */
export interface Spelled {
  /** Absent: the address is not signed. */
  readonly signature: string | undefined;
  /** The text that the signature is about. */
  readonly signed: string;
  readonly options: string;
  /** What names the original, in plain text; undefined when it is no valid encoding. */
  readonly source: string | undefined;
}

/** The members of a request that addresses can have, before any schema has seen them. */
export interface DerivationBody {
  readonly output?: Readonly<Record<string, unknown>>;
  readonly optimize?: Readonly<Record<string, unknown>>;
  readonly [operation: string]: unknown;
}

/** What an address asks for. */
export interface Asked {
  readonly source: string | undefined;
  /** Names of presets, later ones over earlier ones, and all of them under `body`. */
  readonly presets: readonly string[];
  readonly body: DerivationBody;
  readonly concerns: ReadonlySet<Concern>;
  /** In pixels of the result, where the address names one. */
  readonly width: number | undefined;
  /** `resize` for a width that the browser's hints decide; absent where the address leaves it to none. */
  readonly sizedTo?: ((width: number) => object) | undefined;
  readonly format: DeliveryFormat | "auto";
  /** The moment at which the address ends, seconds since 1970. */
  readonly expires: number | undefined;
  /** Facts of the result are wanted, not the result. */
  readonly wantsFacts: boolean;
  /** Who cannot be served gets the original's address. */
  readonly redirects: boolean;
  /** Tells apart results that are the same in everything else. */
  readonly variant: string;
  /** How the answer calls the file, without an extension. */
  readonly fileName: string | undefined;
  readonly isAttachment: boolean;
}

/** A way of writing addresses. One file in `dialects/` and one line in `dialects.ts` add one. */
export interface Dialect {
  /** What stands behind the delivery's name, taken apart; undefined when it is no address. */
  readonly split: (path: string) => Spelled | undefined;
  /** @throws ApiError 422 naming an option that is unknown, breaks a rule or is not offered */
  readonly read: (spelled: Spelled) => Asked;
  /** The status of an address that has ended. */
  readonly expiredStatus: 403 | 404;
  /** Absent: answers are as all of ours. */
  readonly manners?: Manners;
}

/** What a delivery lets an address be, as a dialect may judge it in its own words. */
export interface Rules {
  /** Undefined: everything. */
  readonly unsigned: Unsigned | undefined;
  /** Whether the original is one that the delivery offers. */
  readonly hasSource: () => boolean;
}

/** An answer that is about to leave. */
export interface Answering {
  readonly cache: "hit" | "stored" | "miss";
  readonly isFinal: boolean;
  readonly asked: Asked;
}

/** How a dialect answers whose clients expect the answers of another server. */
export interface Manners {
  /** @throws ApiError in the words of that server, before anything else is judged */
  readonly check: (spelled: Spelled, rules: Rules) => void;
  /** Of the header `Accept`, what counts. */
  readonly accept: (header: string | undefined, rules: Pick<Rules, "unsigned">) => string | undefined;
  /** A failure as that server would tell it. */
  readonly refusal: (error: ApiError) => ApiError;
  /** Changes the headers of a success. */
  readonly dress: (headers: Headers, answering: Answering) => void;
}

/** An option that both dialects know and that the engine cannot do yet. */
export function notOffered(option: string): ApiError {
  return new ApiError(422, `${option} is not offered`);
}

/** @throws ApiError 422 when the value is no number between the two, both included */
export function number(option: string, value: string, min: number, max: number): number {
  const found = /^-?(?:\d{1,15}(?:\.\d{0,15})?|\.\d{1,15})$/.test(value) ? Number(value) : Number.NaN;
  if (!(found >= min && found <= max)) throw new ApiError(422, `${option} must be a number between ${min} and ${max}`);
  return found;
}

/** @throws ApiError 422 when the value is no whole number between the two, both included */
export function whole(option: string, value: string, min: number, max: number): number {
  const found = /^-?\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
  if (!(found >= min && found <= max)) {
    throw new ApiError(422, `${option} must be an integer between ${min} and ${max}`);
  }
  return found;
}
