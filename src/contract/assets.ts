/** What the paths of saved assets take and give. */
import * as v from "valibot";

import { ApiError } from "../errors.ts";
import { oneOf, record, text } from "../fields.ts";
import { MAX_ASSET_NAME_CHARACTERS } from "../limits/assets.ts";
import type { ProviderRow } from "../storage/provider.ts";
import { PROVIDERS, providerNamed } from "../storage/providers.ts";
import { checked } from "./message.ts";
import type { SavedStore } from "./store.ts";

const AssetId = v.pipe(v.string(), v.regex(/^[A-Za-z0-9]{10}$/));
const moment = v.pipe(v.string(), v.isoTimestamp());
const count = v.pipe(v.number(), v.integer(), v.minValue(0));

const name = text(0, MAX_ASSET_NAME_CHARACTERS);

/** The part `data` that may come with the file of a watermark or a keyfile. */
export const NewAsset = record({ name: v.optional(name) });

const providerWords = PROVIDERS.flatMap((row) => [row.code, ...row.aliases]);
const rows: readonly ProviderRow[] = PROVIDERS;

/** Every member of every provider, judged when the provider is known. */
const members: v.ObjectEntries = Object.fromEntries(
  rows
    .flatMap((row) => Object.keys({ ...row.credentials, ...row.params }))
    .map((key) => [key, v.optional(v.unknown())]),
);

export const NewConnector = record({
  name,
  provider: oneOf(providerWords as [string, ...string[]]),
  ...members,
});

export const ConnectorChange = record({ name: v.optional(name), ...members });

/**
 * The members of a connector: all credentials of its provider, the others as defaults where given.
 * @throws ApiError 422 naming the first member that breaks a rule
 */
export function parseConnector(value: object): SavedStore {
  const { provider } = checked(v.looseObject({ provider: NewConnector.entries.provider }), value);
  const row = providerNamed(provider);
  if (!row) throw new ApiError(422, "provider must be a known provider");
  const defaults = Object.entries(row.params).map(([key, schema]) => [key, v.optional(withoutDefault(schema))]);
  const entries: v.ObjectEntries = { ...row.credentials, ...Object.fromEntries(defaults) };
  const saved = checked(record({ provider: v.string(), ...entries }), value);
  const violation = row.rule?.(saved as never);
  if (violation) throw new ApiError(422, `${violation.member} ${violation.sentence}`);
  return saved as SavedStore;
}

/** A default of the request's schema is not the connector's: what it does not say stays open. */
function withoutDefault(schema: v.ObjectEntries[string]): v.GenericSchema {
  return "wrapped" in schema ? (schema.wrapped as v.GenericSchema) : (schema as v.GenericSchema);
}

export const WatermarkRecord = v.strictObject({
  id: AssetId,
  name: v.string(),
  /** Upper case: `PNG`. */
  format: v.string(),
  width: count,
  height: count,
  bytes: count,
  sha1: v.pipe(v.string(), v.regex(/^[\da-f]{40}$/)),
  created_at: moment,
});
export type WatermarkRecord = v.InferOutput<typeof WatermarkRecord>;

export const KeyfileRecord = v.strictObject({
  id: AssetId,
  name: v.string(),
  client_email: v.string(),
  project_id: v.optional(v.string()),
  created_at: moment,
});
export type KeyfileRecord = v.InferOutput<typeof KeyfileRecord>;

export const ConnectorRecord = v.strictObject({
  id: AssetId,
  name: v.string(),
  provider: v.string(),
  /** The last four characters of the key. */
  key_hint: v.string(),
  created_at: moment,
  updated_at: moment,
});
export type ConnectorRecord = v.InferOutput<typeof ConnectorRecord>;

const done = { success: v.literal(true), code: v.literal(200) };
const created = { success: v.literal(true), code: v.literal(201) };

export const WatermarkCreated = v.strictObject({ ...created, watermark: WatermarkRecord });
export const WatermarkFound = v.strictObject({ ...done, watermark: WatermarkRecord });
export const WatermarkList = v.strictObject({ ...done, watermarks: v.array(WatermarkRecord) });
export const KeyfileCreated = v.strictObject({ ...created, keyfile: KeyfileRecord });
export const KeyfileFound = v.strictObject({ ...done, keyfile: KeyfileRecord });
export const KeyfileList = v.strictObject({ ...done, keyfiles: v.array(KeyfileRecord) });
export const ConnectorCreated = v.strictObject({ ...created, connector: ConnectorRecord });
export const ConnectorFound = v.strictObject({ ...done, connector: ConnectorRecord });
export const ConnectorList = v.strictObject({ ...done, connectors: v.array(ConnectorRecord) });
export const AssetDeleted = v.strictObject({ ...done, id: AssetId });
