/** Lists of formats for requests, addresses and clients, as the roles of the formats say. */
import type { FormatDefinition } from "../image/codec/format.ts";
import { FORMATS, type FormatName } from "../image/formats.ts";

type RoleOf<Name extends FormatName> = (typeof FORMATS)[Name] extends { role: infer Role } ? Role : never;

/** Formats that addresses may name. */
export type ListedFormat = { [Name in FormatName]: RoleOf<Name> extends never ? never : Name }[FormatName];

/** Names of formats as addresses spell them. */
export type AddressFormat =
  | ListedFormat
  | {
      [Name in ListedFormat]: RoleOf<Name> extends { oneScan: infer Spelled } ? Spelled : never;
    }[ListedFormat];

/** Formats that a set of sources for a page may have. */
export type SourceFormat = {
  [Name in ListedFormat]: RoleOf<Name> extends { tried: number }
    ? RoleOf<Name> extends { largerThan: unknown }
      ? never
      : Name
    : never;
}[ListedFormat];

type Row = FormatDefinition & Required<Pick<FormatDefinition, "role">>;

/** Formats with a role, in the order of lists. Those that a deployment leaves out have none. */
const LISTED = Object.entries<FormatDefinition>(FORMATS)
  .filter((entry): entry is [ListedFormat, Row] => entry[1].role !== undefined)
  .toSorted(([, { role: one }], [, { role: other }]) => one.listed - other.listed);

const namesOf = (entries: typeof LISTED) => entries.map(([name]) => name);
const isTried = ([, { role }]: (typeof LISTED)[number]) => role.tried !== undefined;

export const LISTED_FORMATS: readonly ListedFormat[] = namesOf(LISTED);

/**
 * What addresses mean by the names of formats, in the order of lists. A format that is written in one scan or in several
 * has a name for the former, too.
 */
export const ADDRESS_FORMATS: ReadonlyMap<string, { readonly format: ListedFormat; readonly encoding?: "baseline" }> =
  new Map(
    LISTED.flatMap(([format, { role }]) => [
      [format, { format }],
      ...(role.oneScan === undefined ? [] : [[role.oneScan, { format, encoding: "baseline" }] as const]),
    ]),
  );

/** The media types of the listed formats. */
export const MIME_OF_FORMAT: ReadonlyMap<string, string> = new Map(LISTED.map(([name, { mime }]) => [name, mime]));

/** Listed formats whose files are written with gain maps. */
export const GAIN_MAP_FORMATS: readonly ListedFormat[] = namesOf(LISTED.filter(([, { gainMap }]) => gainMap?.write));

const SOURCES = LISTED.filter((entry) => isTried(entry) && entry[1].role.largerThan === undefined);

/** Formats of which a page offers one picture to a browser, those that take the fewest bytes first. */
export const SOURCE_FORMATS = namesOf(SOURCES) as readonly SourceFormat[];

/** Those of them that every current browser shows, but older clients do not. */
export const CURRENT_SOURCE_FORMATS = namesOf(
  SOURCES.filter(([, { can, role }]) => can.web && !role.everywhere),
) as readonly SourceFormat[];

/** What a client that names media types is taken to show. */
export interface AcceptClass {
  readonly name: string;
  /** Media types that it names. */
  readonly mimes: readonly string[];
  /** All that it takes. */
  readonly accept: readonly string[];
}

const mimesOf = (entries: typeof LISTED) => entries.map(([, { mime }]) => mime);
/** Those first that only some browsers show. */
const NEGOTIATED = LISTED.filter((entry) => isTried(entry) && !entry[1].role.everywhere).toSorted(
  ([, one], [, other]) => Number(one.can.web) - Number(other.can.web),
);

/** Media types that every client takes. */
export const EVERYWHERE = mimesOf(LISTED.filter((entry) => isTried(entry) && entry[1].role.everywhere));

/**
 * Clients in classes, the best first: each shows the formats of those after it as well. A format that only some browsers
 * show proves nothing of others: such a client names the next one that all current browsers show, too.
 */
export const ACCEPT_CLASSES: readonly AcceptClass[] = NEGOTIATED.map(([name], at) => {
  const shown = NEGOTIATED.slice(at);
  const current = shown.findIndex(([, { can }]) => can.web);
  const named = current < 0 ? shown : shown.slice(0, current + 1);
  return { name, mimes: mimesOf(named), accept: [...mimesOf(shown), ...EVERYWHERE] };
});
