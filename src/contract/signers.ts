/** What the paths of signers take and give: who signs what results say of where they are from. */
import * as v from "valibot";

import { httpUrl, oneOf, record, text } from "../fields.ts";
import { SIGNING_ALGORITHMS } from "../image/provenance/signer.ts";
import { MAX_ASSET_NAME_CHARACTERS, MAX_SIGNER_CHARACTERS } from "../limits/assets.ts";

/** A text of PEM (RFC 7468), whatever is in it. */
function pem(min: number) {
  const rule = `must be a text in PEM of at most ${MAX_SIGNER_CHARACTERS} characters`;
  return v.pipe(v.string(rule), v.minLength(min, rule), v.maxLength(MAX_SIGNER_CHARACTERS, rule));
}

/** Texts of a signer, however they came. */
export const SignerSecret = record({
  certificates: pem(1),
  key: pem(1),
  algorithm: v.optional(oneOf(SIGNING_ALGORITHMS)),
  /** An authority that stamps times (RFC 3161). */
  tsa: v.optional(httpUrl()),
});
export type SignerSecret = v.InferOutput<typeof SignerSecret>;

export const NewSigner = record({ name: text(0, MAX_ASSET_NAME_CHARACTERS), ...SignerSecret.entries });

/** Whom the operator trusts. */
export const Trust = record({ anchors: pem(0) });

const moment = v.pipe(v.string(), v.isoTimestamp());

export const SignerRecord = v.strictObject({
  id: v.pipe(v.string(), v.regex(/^[A-Za-z0-9]{10}$/)),
  name: v.string(),
  algorithm: v.picklist(SIGNING_ALGORITHMS),
  /** Whom the first certificate is about. */
  holder: v.optional(v.string()),
  /** When that certificate ends. */
  expires_at: moment,
  tsa: v.optional(v.string()),
  created_at: moment,
});
export type SignerRecord = v.InferOutput<typeof SignerRecord>;

const done = { success: v.literal(true), code: v.literal(200) };

export const SignerCreated = v.strictObject({ success: v.literal(true), code: v.literal(201), signer: SignerRecord });
export const SignerFound = v.strictObject({ ...done, signer: SignerRecord });
export const SignerList = v.strictObject({ ...done, signers: v.array(SignerRecord) });
export const TrustFound = v.strictObject({
  ...done,
  /** Certificates in PEM. */
  anchors: v.string(),
  /** How many there are. */
  count: v.pipe(v.number(), v.integer(), v.minValue(0)),
});
