/**
 * What a delivery lets addresses ask for. One message for all that it does not, so that it tells visitors nothing; the
 * owner, whose request has a key, is told why.
 */
import { isGranted } from "../account/accounts.ts";
import type { DeliveryFormat } from "../contract/deliveries.ts";
import { ApiError } from "../errors.ts";
import type { Asked, Concern, Dialect, Rules, Spelled } from "./asked.ts";
import type { OpenedDelivery } from "./records.ts";
import { signedUntil } from "./signature.ts";
import { locate, type Located } from "./sources.ts";

/** What loaders of frameworks always write may be said without a signature, besides presets. */
const UNSIGNED_CONCERNS: readonly Concern[] = ["width", "fit", "gravity", "quality", "format", "preset", "blur"];
/** The qualities that unsigned addresses get where the delivery lists none, so that anonymous clients cannot multiply results. */
const UNSIGNED_QUALITIES = [40, 55, 65, 75, 85] as const;
/** Standard deviations of the blurs that unsigned addresses get, in pixels: the edge network's radii 3, 10 and 30. */
const UNSIGNED_BLURS = [1.2, 4, 12] as const;

/** Steps of a side that the middle of what unsigned addresses keep may be at: enough to keep a face. */
const UNSIGNED_STEPS = 10;

/** An address that its delivery does not allow. */
export class AddressRefused extends ApiError {
  /** What the owner is told: the member of the delivery that stands in the way, never what the address says. */
  readonly why: string;

  constructor(why: string) {
    super(403, "This address is not allowed");
    this.why = why;
  }
}

export interface Admitted {
  readonly asked: Asked;
  readonly located: Located;
  /** No signature, and none needed: what anonymous clients may ask for bounds it. */
  readonly isUnsigned: boolean;
  /** When the address stops being good, milliseconds since 1970. */
  readonly goodUntil: number;
}

/**
 * What an address asks for, if it may.
 * @param now milliseconds since 1970
 * @throws ApiError 403, 404 where the dialect says so of an address that has ended, 422 naming an option
 */
export async function admit(
  delivery: OpenedDelivery,
  dialect: Dialect,
  spelled: Spelled,
  now: number,
): Promise<Admitted> {
  dialect.manners?.check(spelled, rulesOf(delivery, spelled));
  const trustedUntil = delivery.isOpen ? Infinity : await trustedUntilBy(delivery, spelled, now);
  const asked = dialect.read(spelled);
  if (asked.expires !== undefined && asked.expires * 1_000 <= now) {
    throw dialect.expiredStatus === 404
      ? new ApiError(404, "This address has ended")
      : new AddressRefused("its time has ended");
  }
  const allowed = trustedUntil === undefined ? restricted(delivery, asked) : asked;
  const located = asked.source === undefined ? undefined : locate(delivery, asked.source);
  if (!located) throw new AddressRefused("sources of the delivery have no place for its original");
  if (!mayRead(delivery, located))
    throw new AddressRefused("its original is outside of the folder that the account is granted");
  const isUnsigned = trustedUntil === undefined;
  if (isUnsigned && !hasFreeQuery(delivery, located)) {
    throw new AddressRefused("its original has a query that unsigned.query does not list");
  }
  const expiresAt = asked.expires === undefined ? Infinity : asked.expires * 1_000;
  return { asked: allowed, located, isUnsigned, goodUntil: Math.min(expiresAt, trustedUntil ?? Infinity) };
}

/** What a dialect with manners of its own is told, to judge an address in its own words. */
function rulesOf(delivery: OpenedDelivery, { source }: Spelled): Rules {
  const { isOpen } = delivery;
  const hasSource = () => {
    const located = source === undefined ? undefined : locate(delivery, source);
    return located !== undefined && mayRead(delivery, located) && (isOpen || hasFreeQuery(delivery, located));
  };
  return { unsigned: unsignedOf(delivery), hasSource };
}

/** The rules of addresses without a signature; undefined where every address is right. */
function unsignedOf({ isOpen, unsigned }: OpenedDelivery): Rules["unsigned"] {
  return isOpen ? undefined : unsigned;
}

/** What a client takes, by its header, as the dialect of an address understands that. */
export function acceptOf(
  delivery: OpenedDelivery,
  { manners }: Dialect,
  header: string | undefined,
): string | undefined {
  return manners ? manners.accept(header, { unsigned: unsignedOf(delivery) }) : header;
}

/** Whether the account may read an original now: of the operator's bucket it is granted a folder, or nothing. */
export function mayRead({ originals }: Pick<OpenedDelivery, "originals">, located: Located): boolean {
  return located.kind !== "bucket" || isGranted(originals, located.key);
}

/**
 * Whether a delivery lets anonymous clients say the query that a source has: every other query would be a result of its
 * own.
 */
function hasFreeQuery({ unsigned }: OpenedDelivery, located: Located): boolean {
  if (located.kind !== "web" || located.url.search === "") return true;
  const { query = false } = unsigned === false ? {} : unsigned;
  if (typeof query === "boolean") return query;
  const names = [...located.url.searchParams.keys()];
  return names.length === new Set(names).size && names.every((name) => query.includes(name));
}

/**
 * Until when an address is trusted; undefined when it is not signed and does not have to be.
 * @throws ApiError 403 when the signature is wrong, or none is there and one has to be
 */
async function trustedUntilBy(delivery: OpenedDelivery, spelled: Spelled, now: number): Promise<number | undefined> {
  const { signature, signed } = spelled;
  if (signature === undefined) {
    if (delivery.unsigned === false) throw new AddressRefused("it has no signature, and unsigned is false");
    return undefined;
  }
  const { signing } = delivery;
  const until = signing && (await signedUntil(signing, signed, signature, now));
  if (until === undefined) {
    throw new AddressRefused("its signature is not that of this very text by the key and salt of the delivery");
  }
  return until;
}

/** What an unsigned address gets of what it asks for. */
function restricted({ unsigned }: OpenedDelivery, asked: Asked): Asked {
  if (unsigned === false) throw new AddressRefused("it has no signature, and unsigned is false");
  const { widths = [], formats = [], qualities = UNSIGNED_QUALITIES, presets_only: presetsOnly = false } = unsigned;
  const { heights = false, round_up: roundsUp = false } = unsigned;
  const free: readonly Concern[] = presetsOnly
    ? ["preset"]
    : [...UNSIGNED_CONCERNS, ...(heights ? (["height"] as const) : [])];
  const concern = asked.concerns.values().find((one) => !free.includes(one));
  if (concern !== undefined) {
    const said = concern === "other" ? "an option" : concern === "height" ? "a height" : concern;
    throw new AddressRefused(`it has ${said} for which it must be signed; without a signature: ${free.join(", ")}`);
  }
  if (presetsOnly && asked.presets.length === 0) throw new AddressRefused("unsigned.presets_only wants a preset");
  // Presets laid over each other are a result for every chain of them.
  if (asked.presets.length > 1) throw new AddressRefused("it names several presets without a signature");
  const sized = roundsUp ? roundedUp(asked, widths) : asked;
  if (sized.width !== undefined && !widths.includes(sized.width)) {
    throw new AddressRefused(`its width is not in unsigned.widths, which has ${widths.join(", ") || "none"}`);
  }
  const height = heightOf(sized);
  if (height !== undefined && !isListedHeight(height, sized, widths)) {
    throw new AddressRefused(
      "its height is not one of unsigned.widths, or beside a width not at most the largest of them",
    );
  }
  if (asked.format !== "auto" && !formats.includes(asked.format satisfies DeliveryFormat)) {
    throw new AddressRefused(`its format is not in unsigned.formats, which has ${formats.join(", ") || "none"}`);
  }
  const placed = sized.concerns.has("gravity") ? coarselyPlaced(sized) : sized;
  const shown = placed.concerns.has("blur") ? asPlaceholder(placed, widths) : placed;
  const quality = asked.body.optimize?.["quality"];
  if (typeof quality !== "number") return shown;
  return { ...shown, body: { ...shown.body, optimize: { quality: nearest(quality, qualities) } } };
}

/**
 * What is blurred is shown until the picture itself is there, so the smallest width is enough, in few blurs.
 * @throws AddressRefused where it is wider
 */
function asPlaceholder(asked: Asked, widths: readonly number[]): Asked {
  if (asked.width === undefined || asked.width !== Math.min(...widths)) {
    throw new AddressRefused(`it is blurred and not as wide as the smallest of unsigned.widths (${widths.join(", ")})`);
  }
  const filter = asked.body["filter"] as { readonly blur?: { readonly value: number } } | undefined;
  if (!filter?.blur) return asked;
  const blur = { value: nearest(filter.blur.value, UNSIGNED_BLURS) };
  return { ...asked, body: { ...asked.body, filter: { ...filter, blur } } };
}

/** A point of a picture, as shares of its sides. */
interface Point {
  readonly x: number;
  readonly y: number;
}

/**
 * With one of few points around which a picture is cut: each is a result of its own.
 * @throws AddressRefused where the place is moved by pixels
 */
function coarselyPlaced(asked: Asked): Asked {
  const { focus, position, offset, ...resize } = (asked.body["resize"] ?? {}) as Partial<
    Record<"focus" | "position" | "offset", Point>
  >;
  if (offset) throw new AddressRefused("it moves its gravity, for which it must be signed");
  if (!focus && !position) return asked;
  const places = { ...(focus && { focus: coarse(focus) }), ...(position && { position: coarse(position) }) };
  return { ...asked, body: { ...asked.body, resize: { ...resize, ...places } } };
}

function coarse({ x, y }: Point): Point {
  const near = (share: number) => Math.round(share * UNSIGNED_STEPS) / UNSIGNED_STEPS;
  return { x: near(x), y: near(y) };
}

/** The size that an address asks for. */
function sizeOf({ body }: Asked): { readonly width?: number; readonly height?: number } {
  return (body["resize"] ?? {}) as { readonly width?: number; readonly height?: number };
}

function heightOf(asked: Asked): number | undefined {
  return asked.concerns.has("height") ? sizeOf(asked).height : undefined;
}

/** Beside a width that is listed a height may be any up to the largest; alone it is one of the list. */
function isListedHeight(height: number, { width }: Asked, widths: readonly number[]): boolean {
  return width === undefined ? widths.includes(height) : height <= Math.max(...widths);
}

/**
 * With the next width that is listed, or the largest; a height beside it grows alike, and one alone is a length of the list
 * itself. A width beside a density stays.
 */
function roundedUp(asked: Asked, widths: readonly number[]): Asked {
  const { width, body } = asked;
  const resize = sizeOf(asked);
  const height = heightOf(asked);
  if (widths.length === 0 || resize.width !== width) return asked;
  if (width !== undefined) {
    const next = nextListed(width, widths);
    const high = height === undefined ? {} : { height: Math.max(1, Math.round((height * next) / width)) };
    return { ...asked, width: next, body: { ...body, resize: { ...resize, width: next, ...high } } };
  }
  if (height === undefined) return asked;
  return { ...asked, body: { ...body, resize: { ...resize, height: nextListed(height, widths) } } };
}

/** The next length of a list that is not less, or else its largest. */
export function nextListed(length: number, listed: readonly number[]): number {
  const larger = listed.filter((one) => one >= length);
  return larger.length > 0 ? Math.min(...larger) : Math.max(...listed);
}

function nearest(value: number, listed: readonly number[]): number {
  return listed.reduce((best, one) => (Math.abs(one - value) < Math.abs(best - value) ? one : best));
}
