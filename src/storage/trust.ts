/** Whom the operator trusts to sign manifests: certificates as PEM, one object of the bucket for all accounts. */
import { type Anchors, readPem } from "../image/provenance/certificate.ts";

const KEY = "trust/anchors.pem";

/** The text as it was saved; undefined where none was. */
export async function readTrust(bucket: R2Bucket): Promise<string | undefined> {
  const stored = await bucket.get(KEY);
  return stored?.text();
}

export async function readAnchors(bucket: R2Bucket): Promise<Anchors> {
  const text = await readTrust(bucket);
  return text === undefined ? [] : readPem(text);
}

export async function putTrust(bucket: R2Bucket, text: string): Promise<void> {
  await bucket.put(KEY, text);
}
