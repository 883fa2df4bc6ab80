/** OSS with its own Signature Version 4. No access list is sent: the bucket's rules. */
import * as v from "valibot";

import { credential, hostBucket, metadata, OBJECT_HEADERS, objectHeaders, objectPath, region } from "./attributes.ts";
import { compactTime, hmacSha256, sha256 } from "./digest.ts";
import { encodeKey } from "./path.ts";
import { MARK, provider } from "./provider.ts";
import { listedByS3, listQuery } from "./s3-list.ts";
import { servedHeaders } from "./s3.ts";

interface Bucket {
  readonly key: string;
  readonly secret: string;
  readonly bucket: string;
  readonly region: string;
}

export const providerC = provider({
  summary: "Alibaba Cloud OSS.",
  code: "provider-c",
  aliases: ["alibaba"],
  credentials: { key: credential(), secret: credential() },
  params: {
    bucket: hostBucket(),
    region: region(),
    path: v.optional(objectPath()),
    metadata: v.optional(metadata()),
    headers: v.optional(objectHeaders(["Expires", ...OBJECT_HEADERS])),
  },
  put: async (store, object, session) => {
    const bucket = { ...store, region: store.region.replace(/^oss-/, "") };
    const url = addressOf(bucket, object.key, session.base);
    const answer = await session.send(async () => {
      const headers = servedHeaders(object, store);
      for (const [name, value] of Object.entries(store.metadata ?? {})) headers.set(`x-oss-meta-${name}`, value);
      if (object.mark !== undefined) headers.set(`x-oss-meta-${MARK}`, object.mark);
      // The only condition that there is here.
      if (object.condition?.is === "absent") headers.set("x-oss-forbid-overwrite", "true");
      await sign("PUT", headers, object.key, bucket, session.now());
      return { url, method: "PUT", headers, body: object.bytes };
    });
    if (!answer.ok) throw session.refusal(answer);
    return url;
  },
  read: async (store, key, session) => {
    const bucket = { ...store, region: store.region.replace(/^oss-/, "") };
    const headers = new Headers();
    await sign("GET", headers, key, bucket, session.now());
    return { url: addressOf(bucket, key, session.base), headers, isOpen: true };
  },
  list: (store, ask, session) =>
    listedByS3(session, async () => {
      const bucket = { ...store, region: store.region.replace(/^oss-/, "") };
      const headers = new Headers();
      const query = listQuery(ask);
      await sign("GET", headers, "", bucket, session.now(), query);
      return { url: `${addressOf(bucket, "", session.base)}?${query}`, method: "GET", headers };
    }),
  cursorAfter: (key) => key,
  told: (answered) => ({
    mark: answered.get(`x-oss-meta-${MARK}`) ?? undefined,
    version: answered.get("etag") ?? undefined,
  }),
});

function addressOf({ bucket, region: place }: Bucket, key: string, base: string | undefined): string {
  return base === undefined
    ? `https://${bucket}.oss-${place}.aliyuncs.com/${encodeKey(key)}`
    : `${base}/${bucket}/${encodeKey(key)}`;
}

/** https://www.alibabacloud.com/help/en/oss/developer-reference/recommend-to-use-signature-version-4 */
async function sign(
  method: "GET" | "PUT",
  headers: Headers,
  objectKey: string,
  bucket: Bucket,
  now: number,
  query = "",
): Promise<void> {
  const time = compactTime(now);
  const date = time.slice(0, 8);
  headers.set("x-oss-date", time);
  headers.set("x-oss-content-sha256", "UNSIGNED-PAYLOAD");
  const signed = [...headers]
    .filter(([name]) => name === "content-type" || name.startsWith("x-oss-"))
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => `${name}:${value}\n`);
  // The bucket is part of the path that is signed even where it is part of the host that is called.
  const path = `/${bucket.bucket}/${encodeKey(objectKey)}`;
  const request = [method, path, query, signed.join(""), "", "UNSIGNED-PAYLOAD"].join("\n");
  const scope = `${date}/${bucket.region}/oss/aliyun_v4_request`;
  const message = ["OSS4-HMAC-SHA256", time, scope, (await sha256(request)).toHex()].join("\n");
  let key = await hmacSha256(`aliyun_v4${bucket.secret}`, date);
  for (const part of [bucket.region, "oss", "aliyun_v4_request"]) key = await hmacSha256(key, part);
  const signature = (await hmacSha256(key, message)).toHex();
  headers.set("authorization", `OSS4-HMAC-SHA256 Credential=${bucket.key}/${scope},Signature=${signature}`);
}
