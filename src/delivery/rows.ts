/** Deliveries as rows of the database. */
import type { Vault } from "../account/vault.ts";
import type { DeliveryRules } from "../contract/deliveries.ts";

export interface Delivery extends DeliveryRules {
  readonly id: string;
  readonly accountId: string;
  /** Any source, everything unsigned: on one's own machine alone. */
  readonly isOpen: boolean;
  /** Results that were made before, milliseconds since 1970, are forgotten. */
  readonly purgedAt: number;
  /** Counts purges. */
  readonly edition: number;
  readonly createdAt: string;
}

/** Where deliveries and what they are signed with lie. */
export interface DeliveryShelf {
  readonly db: D1Database;
  readonly vault: Vault;
}

export interface Row {
  readonly id: string;
  readonly account_id: string;
  readonly name: string;
  readonly sources: string;
  readonly presets: string;
  readonly unsigned: string;
  readonly refine: number;
  readonly ttl: number;
  readonly provenance: string;
  readonly is_open: number;
  readonly signing: ArrayLike<number> | null;
  readonly previous: ArrayLike<number> | null;
  readonly previous_until: number | null;
  readonly purged_at: number;
  readonly edition: number;
  readonly created_at: string;
}

export function deliveryOf(row: Row): Delivery {
  return {
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    sources: JSON.parse(row.sources) as Delivery["sources"],
    presets: JSON.parse(row.presets) as Delivery["presets"],
    unsigned: JSON.parse(row.unsigned) as Delivery["unsigned"],
    refine: row.refine === 1,
    ttl: row.ttl,
    provenance: row.provenance as Delivery["provenance"],
    isOpen: row.is_open === 1,
    purgedAt: row.purged_at,
    edition: row.edition,
    createdAt: row.created_at,
  };
}
