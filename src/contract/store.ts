/** The member `store` when it names a saved connector. */
import * as v from "valibot";

import { ApiError } from "../errors.ts";
import { type ConnectedStore, providerNamed, type SpelledStore, storeSchema } from "../storage/providers.ts";
import { checked } from "./message.ts";

/** What a connector says: a provider, its credentials and defaults of other members. */
export interface SavedStore {
  readonly provider: string;
  readonly [member: string]: unknown;
}

/**
 * The store that a request means: the connector's members, replaced where the request says otherwise.
 * @throws ApiError 422 naming the first member that breaks a rule of the connector's provider
 */
export function joinConnector(store: ConnectedStore, saved: SavedStore): SpelledStore {
  const row = providerNamed(saved.provider);
  if (!row) throw new ApiError(422, "store.id must be a connector of a known provider");
  const { id: _, ...own } = store;
  const whole = { store: { ...saved, ...own } };
  return checked(v.object({ store: storeSchema(row) }), whole).store;
}
