/** Buckets of the S3 stand-in of which batches hear, by the notifications of an account of the platform. */
import * as v from "valibot";
import { inject } from "vitest";

import { type SpelledStore, Store } from "../../../src/storage/providers.ts";
import { type OpenStore, openStore } from "../../../src/storage/store.ts";
import { S3_KEYS } from "./accounts.ts";

/** Whose notifications come. */
export const PLATFORM_ACCOUNT = "3f4b7e3dcab231cbfdaa90a6a28bd548";

/** What a caller says of a bucket. */
export function bucketMembers(bucket: string) {
  return { provider: "s3", ...S3_KEYS, endpoint: inject("storeEndpoints")["s3"] ?? "", bucket };
}

/** The bucket as its owner reads and writes it. */
export function bucketStore(bucket: string): OpenStore {
  const policy = { providerEndpoints: {}, storeHosts: [], allowPrivateOrigins: true };
  return openStore(v.parse(Store, bucketMembers(bucket)) as SpelledStore, { policy, keyfile: undefined });
}
