/** A delivery as it is known once it was looked up, for tests of what addresses may ask of it. */
import type { SigningPair } from "../../src/contract/deliveries.ts";
import type { OpenedDelivery } from "../../src/delivery/records.ts";

/** @param what it allows, which is what tests are about */
export function openedDelivery(
  pair: SigningPair,
  what: Pick<OpenedDelivery, "sources" | "presets" | "unsigned"> & Partial<OpenedDelivery>,
): OpenedDelivery {
  return {
    id: "dl_0123456789abcdef",
    accountId: "account",
    name: "",
    refine: true,
    ttl: 60,
    provenance: "auto",
    isOpen: false,
    purgedAt: 0,
    edition: 0,
    createdAt: "",
    signing: { current: pair },
    creditsTotal: 10,
    limits: {},
    database: "DB",
    originals: null,
    ...what,
  };
}
