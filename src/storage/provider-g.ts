/** The S3 dialect; the Space is in the host name. */
import * as v from "valibot";

import { oneOf } from "../fields.ts";
import { credential, hostBucket, metadata, objectHeaders, objectPath, region } from "./attributes.ts";
import { encodeKey } from "./path.ts";
import { provider } from "./provider.ts";
import { CANNED_ACLS, pathStyleUrl, putSigned } from "./s3.ts";

export const providerG = provider({
  summary: "The space storage of a droplet cloud.",
  code: "provider-g",
  aliases: ["digitalocean"],
  credentials: { key: credential(), secret: credential() },
  params: {
    bucket: hostBucket(),
    region: region(),
    path: v.optional(objectPath()),
    acl: v.optional(oneOf(CANNED_ACLS)),
    metadata: v.optional(metadata()),
    headers: v.optional(objectHeaders(["Cache-Control", "Content-Type", "Content-Encoding", "Content-Disposition"])),
  },
  put: (store, object, session) => {
    const url =
      session.base === undefined
        ? `https://${store.bucket}.${store.region}.digitaloceanspaces.com/${encodeKey(object.key)}`
        : pathStyleUrl(session.base, store.bucket, object.key);
    const acl = { named: store.acl, fallback: "public-read" };
    return putSigned(session, url, object, { ...store, acl }, store);
  },
});
