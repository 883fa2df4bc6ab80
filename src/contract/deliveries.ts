/** What the paths of deliveries take and give. */
import * as v from "valibot";

import { ApiError } from "../errors.ts";
import { dictionary, flag, httpUrl, integer, judgedAs, oneOf, record, text } from "../fields.ts";
import { PROVENANCE_OPTIONS } from "../image/metadata/metadata-option.ts";
import { MAX_URL_CHARACTERS } from "../limits.ts";
import { MAX_ASSET_NAME_CHARACTERS } from "../limits/assets.ts";
import {
  DEFAULT_DELIVERY_TTL_SECONDS,
  MAX_DELIVERY_PRESETS,
  MAX_DELIVERY_QUALITIES,
  MAX_DELIVERY_SOURCES,
  MAX_DELIVERY_TTL_SECONDS,
  MAX_DELIVERY_WIDTHS,
  MAX_FINALS_PER_HOUR,
  MAX_PRESETS_CHARACTERS,
  MAX_QUERY_NAME_CHARACTERS,
  MAX_QUERY_NAMES,
  MIN_DELIVERY_TTL_SECONDS,
} from "../limits/delivery.ts";
import { MAX_SIDE_PIXELS } from "../limits/pictures.ts";
import { MAX_OBJECT_KEY_BYTES } from "../limits/stores.ts";
import { ADDRESS_FORMATS, type AddressFormat } from "./format-lists.ts";
import { FRAMEWORKS, type Framework, type FrameworkRules } from "./frameworks.ts";
import { checked } from "./message.ts";
import { Derivation, plainBody } from "./request.ts";

export type DeliveryFormat = AddressFormat;

/** The formats that an address may name besides `auto`. */
export const DELIVERY_FORMATS = [...ADDRESS_FORMATS.keys()] as [DeliveryFormat, ...DeliveryFormat[]];

const prefixRule = "must have neither a user, a query nor a fragment";
const pathRule = "must be a folder without control characters, backslashes, empty, . and .. segments";
const sourceNameRule = "must be a name of at most 32 letters, digits, hyphens and underscores, but not http or https";

const Prefix = v.pipe(
  httpUrl(),
  v.check((value) => {
    const url = URL.parse(value);
    return url !== null && url.username === "" && url.password === "" && !/[?#]/.test(value);
  }, prefixRule),
);

/** Where a path of an address begins: `folder/`, without a slash at its start. */
const Folder = v.pipe(
  v.string(pathRule),
  v.maxBytes(MAX_OBJECT_KEY_BYTES, `must be at most ${MAX_OBJECT_KEY_BYTES} bytes`),
  // oxlint-disable-next-line no-control-regex -- refusing control characters is the point
  v.regex(/^(?!(?:.*\/)?\.{1,2}(?:\/|$))(?!\/|.*\/\/)[^\\\u0000-\u001f\u007f]*$/, pathRule),
);

const SourceName = v.pipe(
  v.string(sourceNameRule),
  v.regex(/^(?!https?$)[A-Za-z0-9][A-Za-z0-9_-]{0,31}$/i, sourceNameRule),
);

const connectorRule = "must be the id of a saved connector";

const Source = v.variant(
  "kind",
  [
    record({ kind: v.literal("web"), prefix: Prefix }),
    record({
      kind: v.literal("store"),
      name: SourceName,
      connector: v.pipe(v.string(connectorRule), v.regex(/^[A-Za-z0-9]{10}$/, connectorRule)),
      path: v.optional(Folder),
    }),
    record({ kind: v.literal("bucket"), name: SourceName, path: v.optional(Folder) }),
  ],
  (issue) => (issue.path ? "must be one of web, store, bucket" : "must be an object"),
);
type Source = v.InferOutput<typeof Source>;

const sourcesRule = `must be a list of 1 to ${MAX_DELIVERY_SOURCES} sources`;
const Sources = v.pipe(
  v.array(Source, sourcesRule),
  v.minLength(1, sourcesRule),
  v.maxLength(MAX_DELIVERY_SOURCES, sourcesRule),
  v.check((sources) => {
    const names = sources.flatMap((source) => (source.kind === "web" ? [] : [source.name]));
    return new Set(names).size === names.length;
  }, "must not have two sources of one name"),
);

const presetRule = "must be named by at most 32 letters, digits, hyphens and underscores";
const Presets = v.pipe(
  dictionary(
    v.pipe(v.string(), v.regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$/, presetRule)),
    Derivation,
    "must be an object of names and what they stand for",
  ),
  v.check(
    (presets) => Object.keys(presets).length <= MAX_DELIVERY_PRESETS,
    `must have at most ${MAX_DELIVERY_PRESETS} members`,
  ),
);

const widthsRule = `must be a list of at most ${MAX_DELIVERY_WIDTHS} widths`;
const formatsRule = `must be a list of ${DELIVERY_FORMATS.join(", ")}`;
const qualitiesRule = `must be a list of 1 to ${MAX_DELIVERY_QUALITIES} qualities`;
const queryRule = `must be true or false, or a list of at most ${MAX_QUERY_NAMES} names of parameters`;
const queryNameRule = `must be a name of 1 to ${MAX_QUERY_NAME_CHARACTERS} characters`;

/** A format of results, under the name that many tools write for JPEG, too. */
const Format = v.pipe(
  oneOf([...DELIVERY_FORMATS, "jpg"]),
  v.transform((name): DeliveryFormat => (name === "jpg" ? "jpeg" : name)),
);

const QueryNames = v.pipe(
  v.array(
    v.pipe(
      v.string(queryNameRule),
      v.minLength(1, queryNameRule),
      v.maxLength(MAX_QUERY_NAME_CHARACTERS, queryNameRule),
    ),
    queryRule,
  ),
  v.maxLength(MAX_QUERY_NAMES, queryRule),
);

/** What anonymous clients may ask for. */
const UnsignedRules = record({
  widths: v.optional(
    v.pipe(v.array(integer(1, MAX_SIDE_PIXELS), widthsRule), v.maxLength(MAX_DELIVERY_WIDTHS, widthsRule)),
  ),
  formats: v.optional(v.pipe(v.array(Format, formatsRule), v.maxLength(DELIVERY_FORMATS.length, formatsRule))),
  /** Qualities: others are rounded to the nearest, and refused where Next.js refuses them. */
  qualities: v.optional(
    v.pipe(
      v.array(integer(1, 100), qualitiesRule),
      v.minLength(1, qualitiesRule),
      v.maxLength(MAX_DELIVERY_QUALITIES, qualitiesRule),
    ),
  ),
  /** A width that is not listed is made as wide as the next that is. */
  round_up: v.optional(flag()),
  /** A height beside a width: each shape is a result of its own. */
  heights: v.optional(flag()),
  presets_only: v.optional(flag()),
  /** Queries of sources: any, or those that have no other names than these. */
  query: v.optional(judgedAs(v.union([v.boolean(), QueryNames], queryRule), Array.isArray, QueryNames)),
  /** New results within an hour. */
  finals_per_hour: v.optional(integer(0, MAX_FINALS_PER_HOUR)),
});

/** What addresses without a signature may ask for. */
const Unsigned = judgedAs(
  v.union([v.literal(false), UnsignedRules], "must be false, or an object"),
  (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  UnsignedRules,
);
export type Unsigned = v.InferOutput<typeof Unsigned>;

const name = text(0, MAX_ASSET_NAME_CHARACTERS);
const ttl = integer(MIN_DELIVERY_TTL_SECONDS, MAX_DELIVERY_TTL_SECONDS);
/** What `output.provenance` is where neither an address nor a preset says it. */
const provenance = oneOf(PROVENANCE_OPTIONS);

/** The framework whose addresses it is for: writes what `unsigned` does not say. */
const framework = v.optional(oneOf(Object.keys(FRAMEWORKS) as [Framework, ...Framework[]]));

export const NewDelivery = record({
  for: framework,
  name: v.optional(name, ""),
  sources: Sources,
  presets: v.optional(Presets, {}),
  unsigned: v.optional(Unsigned, false),
  refine: v.optional(flag(), true),
  ttl: v.optional(ttl, DEFAULT_DELIVERY_TTL_SECONDS),
  provenance: v.optional(provenance, "auto"),
});

export const DeliveryChange = record({
  for: framework,
  name: v.optional(name),
  sources: v.optional(Sources),
  presets: v.optional(Presets),
  unsigned: v.optional(Unsigned),
  refine: v.optional(flag()),
  ttl: v.optional(ttl),
  provenance: v.optional(provenance),
});

export const Purge = record({ source: v.optional(text(1, MAX_URL_CHARACTERS)) });

/** Presets by name, as they are kept: aliases replaced, defaults not written out. */
type PresetBodies = Readonly<Record<string, object>>;

/** What a delivery is, as its owner says it. */
export interface DeliveryRules {
  readonly name: string;
  readonly sources: readonly Source[];
  readonly presets: PresetBodies;
  readonly unsigned: Unsigned;
  readonly refine: boolean;
  readonly ttl: number;
  readonly provenance: (typeof PROVENANCE_OPTIONS)[number];
}

/**
 * A new delivery as its schema describes it.
 * @throws ApiError 422 naming the first member that breaks a rule
 */
export function parseDelivery(body: object): DeliveryRules {
  const plain = withPlainPresets(body);
  const { for: named, unsigned, ...rules } = checked(NewDelivery, plain);
  checkLength(plain.presets);
  const written = named === undefined ? unsigned : unsignedFor(named, (body as Pick<Asked, "unsigned">).unsigned);
  return { ...rules, unsigned: written, presets: plain.presets ?? {} };
}

interface Asked {
  readonly unsigned?: Unsigned | undefined;
}

/**
 * What a framework needs, under what is said besides.
 * @throws ApiError 422 where nothing may be unsigned
 */
function unsignedFor(name: Framework, unsigned: Unsigned | undefined): Exclude<Unsigned, false> {
  if (unsigned === false) {
    throw new ApiError(422, "for cannot be combined with unsigned false: frameworks do not sign");
  }
  const { widths, formats, qualities, round_up, heights }: FrameworkRules = FRAMEWORKS[name];
  return {
    widths: [...widths],
    formats: [...formats],
    ...(qualities && { qualities: [...qualities] }),
    ...(round_up && { round_up }),
    ...(heights && { heights }),
    ...unsigned,
  };
}

/**
 * The members of a delivery that are to be changed.
 * @throws ApiError 422 naming the first member that breaks a rule
 */
export function parseDeliveryChange(body: object): Partial<DeliveryRules> {
  const plain = withPlainPresets(body);
  const { presets: _, for: named, ...rest } = checked(DeliveryChange, plain);
  checkLength(plain.presets);
  const change = named === undefined ? rest : { ...rest, unsigned: unsignedFor(named, rest.unsigned) };
  const given = Object.entries(change).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(given), ...(plain.presets && { presets: plain.presets }) };
}

/** @throws ApiError 422 */
function checkLength(presets: PresetBodies = {}): void {
  if (JSON.stringify(presets).length <= MAX_PRESETS_CHARACTERS) return;
  throw new ApiError(422, `presets must have at most ${MAX_PRESETS_CHARACTERS} characters together, as JSON`);
}

/** Presets are requests: they know the same other names. */
function withPlainPresets(body: object): { readonly presets?: PresetBodies } {
  const { presets: given } = body as { readonly presets?: unknown };
  if (typeof given !== "object" || given === null || Array.isArray(given)) return body as object;
  const presets = Object.entries(given).map(([key, preset]: [string, unknown]) => {
    // A list has members of its own, such as `filter`, and is refused like what has none.
    if (Array.isArray(preset)) return [key, null] as const;
    return [key, typeof preset === "object" && preset !== null ? plainBody(preset) : preset] as const;
  });
  return { ...body, presets: Object.fromEntries(presets) as PresetBodies };
}

export const DeliveryRecord = v.strictObject({
  id: v.pipe(v.string(), v.regex(/^[A-Za-z0-9_]{1,32}$/)),
  name: v.string(),
  sources: v.array(Source),
  presets: v.record(v.string(), v.looseObject({})),
  unsigned: Unsigned,
  refine: v.boolean(),
  ttl: v.pipe(v.number(), v.integer()),
  provenance: v.picklist(PROVENANCE_OPTIONS),
  /** What addresses begin with. */
  url: v.pipe(v.string(), v.url()),
  created_at: v.pipe(v.string(), v.isoTimestamp()),
});
export type DeliveryRecord = v.InferOutput<typeof DeliveryRecord>;

const hex = v.pipe(v.string(), v.regex(/^[\da-f]{64}$/));
/** What addresses are signed with: 32 bytes each, in hex. */
const SigningPair = v.strictObject({ key: hex, salt: hex });
export type SigningPair = v.InferOutput<typeof SigningPair>;

const done = { success: v.literal(true), code: v.literal(200) };

export const DeliveryCreated = v.strictObject({
  success: v.literal(true),
  code: v.literal(201),
  delivery: DeliveryRecord,
  signing: SigningPair,
});
export const DeliveryFound = v.strictObject({ ...done, delivery: DeliveryRecord });
export const DeliveryList = v.strictObject({ ...done, deliveries: v.array(DeliveryRecord) });
export const DeliveryDeleted = v.strictObject({ ...done, id: DeliveryRecord.entries.id });
export const DeliverySigning = v.strictObject({
  ...done,
  signing: SigningPair,
  /** The pair before, and until when addresses that it signed are valid. */
  previous: v.optional(v.strictObject({ ...SigningPair.entries, valid_until: v.pipe(v.string(), v.isoTimestamp()) })),
});
export type DeliverySigning = v.InferOutput<typeof DeliverySigning>;
export const DeliveryPurged = v.strictObject({
  success: v.literal(true),
  code: v.literal(202),
  id: DeliveryRecord.entries.id,
});
