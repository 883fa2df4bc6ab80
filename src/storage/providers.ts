/** Every storage provider, one line each. The request schema, the connectors and the documentation follow. */
import * as v from "valibot";

import { oneOf, record } from "../fields.ts";
import { pattern } from "./attributes.ts";
import { edge } from "./edge.ts";
import { providerA } from "./provider-a.ts";
import { providerB } from "./provider-b.ts";
import { providerC } from "./provider-c.ts";
import { providerD } from "./provider-d.ts";
import { providerE } from "./provider-e.ts";
import { providerF } from "./provider-f.ts";
import { providerG } from "./provider-g.ts";
import type { ProviderRow, Violation } from "./provider.ts";

export const PROVIDERS = [
  providerA,
  providerB,
  providerC,
  providerD,
  providerE,
  providerF,
  providerG,
  edge,
] as const satisfies readonly ProviderRow[];

const ROWS: readonly ProviderRow[] = PROVIDERS;

const SPELLINGS = new Map(ROWS.flatMap((row) => [row.code, ...row.aliases].map((word) => [word, row] as const)));

/** The registry row that a code or an alias names. */
export function providerNamed(word: string): ProviderRow | undefined {
  return SPELLINGS.get(word);
}

/** A store spelled out in a request or joined with a connector, valid as a whole. */
export interface SpelledStore {
  readonly provider: string;
  readonly id?: undefined;
  readonly path?: string | undefined;
  readonly [member: string]: unknown;
}

/** A saved connector, and what a request says besides. */
export interface ConnectedStore {
  readonly id: string;
  readonly provider?: undefined;
  readonly [member: string]: unknown;
}

/** All members of a provider, spelled out. */
function spelled(row: ProviderRow) {
  const entries: v.ObjectEntries = {
    provider: oneOf([row.code, ...row.aliases]),
    ...row.credentials,
    ...row.params,
  };
  return v.pipe(record(entries), ruleOf(row));
}

function ruleOf(row: ProviderRow) {
  return v.rawCheck<Record<string, unknown>>(({ dataset, addIssue }) => {
    const violation: Violation | null | undefined = dataset.typed ? row.rule?.(dataset.value as never) : null;
    if (!violation) return;
    const key = { key: violation.member, input: dataset.value as Record<string, unknown>, value: undefined };
    addIssue({ message: violation.sentence, path: [{ type: "object", origin: "value", ...key }] });
  });
}

const schemas = new Map(ROWS.map((row) => [row, spelled(row)]));

/** The schema of one provider's members, credentials included. */
export function storeSchema(row: ProviderRow): v.GenericSchema<unknown, SpelledStore> {
  return schemas.get(row) as unknown as v.GenericSchema<unknown, SpelledStore>;
}

/** Every member that some provider knows and that is no credential; judged when the connector's provider is known. */
const connectedMembers: v.ObjectEntries = Object.fromEntries(
  ROWS.flatMap((row) => Object.keys(row.params)).map((name) => [name, v.optional(v.unknown())]),
);

const byConnector = v.strictObject(
  {
    provider: v.exactOptional(v.never()),
    id: pattern(/^[A-Za-z\d]{10}$/, "must be the id of a saved connector"),
    ...connectedMembers,
  },
  (issue) => (issue.expected === "never" ? "is not a known parameter" : "is required, or provider"),
);

/** The names by which people know the providers; their codes and other names are in the reference. */
const everyday = ROWS.flatMap(({ code, aliases: [usual = code] }) =>
  code === edge.code ? [usual, code] : [usual],
).join(", ");

/** The member `store` of a request. */
export const Store = v.variant("provider", [...schemas.values(), byConnector] as never, (issue) =>
  issue.path ? `must be one of ${everyday}` : "must be an object",
) as unknown as v.GenericSchema<unknown, Store>;
export type Store = SpelledStore | ConnectedStore;

export function isConnected(store: Store): store is ConnectedStore {
  return store.id !== undefined;
}
