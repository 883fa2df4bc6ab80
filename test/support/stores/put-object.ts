/** Puts an object into the stand-in of S3 as its owner does, without any code of the service. */
import { createHash } from "node:crypto";

import aws4 from "aws4";

import { S3_KEYS } from "./accounts.ts";

export interface PutObject {
  /** Of the stand-in, without a slash at the end. */
  readonly url: string;
  readonly region: string;
  readonly bucket: string;
  readonly key: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly type: string;
}

/** @throws Error when the store refuses it */
export async function putObject({ url, region, bucket, key, bytes, type }: PutObject): Promise<void> {
  const path = `/${bucket}/${key.split("/").map(encodeURIComponent).join("/")}`;
  const now = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, "");
  const signed = {
    host: new URL(url).host,
    "x-amz-content-sha256": createHash("sha256").update(bytes).digest("hex"),
    "x-amz-date": now,
    "cache-control": "max-age=60",
  };
  const request = { service: "s3", region, method: "PUT", path, headers: signed };
  const { headers = {} } = aws4.sign(request, { accessKeyId: S3_KEYS.key, secretAccessKey: S3_KEYS.secret });
  const { host: _host, Host: _Host, ...sent } = headers;
  const answer = await fetch(`${url}${path}`, {
    method: "PUT",
    headers: { ...sent, "content-type": type },
    body: bytes,
  });
  if (!answer.ok) throw new Error(`The store answered ${answer.status}: ${await answer.text()}`);
}
