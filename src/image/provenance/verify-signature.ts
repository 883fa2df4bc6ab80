/** Verifies who signed manifests (C2PA 2.2, sections 14 and 15.7), in the standard's words. */
import { type Count, TooMuch, Unreadable } from "./cbor.ts";
import { type Anchors, type Certificate, holderOf, isTrusted, isValidAt, maySignManifests } from "./certificate.ts";
import { type CoseSignature, readCose, signedBytes, stampedBytes } from "./cose.ts";
import type { Hasher } from "./hashing.ts";
import { dataIn, KIND } from "./jumbf.ts";
import { MAX_SIGNATURES } from "./limits.ts";
import { type Manifest, placeOf, shortText } from "./manifest.ts";
import { COSE_ALGORITHMS, isSignedByCose } from "./signatures.ts";
import { verifyTimeStamp } from "./time-stamp.ts";

/** The signer leads to no anchor; a manifest is valid all the same. */
export const UNTRUSTED = "signingCredential.untrusted";

/** What is known of who signed a manifest. */
export interface Signed {
  readonly signer: string | undefined;
  /** Milliseconds since 1970, by a time stamp whose signature is right. */
  readonly signedAt: number | undefined;
  readonly trusted: boolean;
}

/** What signatures of a file are verified by. */
interface Terms {
  readonly anchors: Anchors;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly hasher: Hasher;
  /** Values that all parts of the file may have. */
  readonly values: Count;
}

export class SignatureVerifier {
  private readonly terms: Terms;
  private count = 0;

  constructor(terms: Terms) {
    this.terms = terms;
  }

  /**
   * Who signed a manifest, and when; what is wrong with that is added to `failures`.
   * @param isBound the manifest is the one that is bound to the file
   * @throws TooMuch
   */
  async verify(manifest: Manifest, isBound: boolean, failures: string[]): Promise<Signed> {
    const { now, hasher, values } = this.terms;
    const none = { signer: undefined, signedAt: undefined, trusted: false };
    const named = shortText(manifest.claim, "signature") ?? "";
    const { manifest: where, path } = placeOf(named);
    const bytes = manifest.signature && dataIn(manifest.signature, KIND.cbor);
    if ((where !== undefined && where !== manifest.label) || path.at(-1) !== manifest.signature?.label || !bytes) {
      failures.push("claimSignature.missing");
      if (!bytes) return none;
    }
    const cose = quietly(() => readCose(bytes, values, hasher.elements));
    const [certificate] = cose?.certificates ?? [];
    if (!cose || !certificate) {
      failures.push("claimSignature.mismatch");
      return none;
    }
    // No hash is of it: what is put there in place of padding nobody has signed.
    if (isBound && !cose.isPadded) failures.push("assertion.dataHash.mismatch");
    if (++this.count > MAX_SIGNATURES) throw new TooMuch("too many signatures");
    const stamp = await this.stamp(manifest, cose);
    // The first version of the standard takes time stamps of any authority.
    const moment = stamp && (stamp.trusted || manifest.version === 1) ? stamp.moment : now;
    const trusted = await this.credential(certificate, cose.certificates, moment, failures);
    if (cose.algorithm === undefined || !COSE_ALGORITHMS.has(cose.algorithm)) failures.push("algorithm.unsupported");
    else {
      const data = signedBytes(cose.protectedBytes, manifest.claimBytes);
      hasher.countSignature(data.length);
      if (!(await isSignedByCose(cose.algorithm, certificate.key, data, cose.signature)))
        failures.push("claimSignature.mismatch");
    }
    return { signer: holderOf(certificate), signedAt: stamp?.moment, trusted };
  }

  private async stamp(manifest: Manifest, cose: CoseSignature) {
    if (!cose.timeStamp) return undefined;
    const { token, of } = cose.timeStamp;
    const { anchors, hasher } = this.terms;
    return verifyTimeStamp(token, stampedBytes(cose, manifest.claimBytes, of), anchors, hasher);
  }

  /** Whether a signer's certificate leads to an anchor. */
  private async credential(
    certificate: Certificate,
    chain: readonly Certificate[],
    moment: number,
    failures: string[],
  ): Promise<boolean> {
    const isUsable = quietly(() => maySignManifests(certificate)) === true;
    if (!isUsable) failures.push("signingCredential.invalid");
    if (!isValidAt(certificate, moment)) failures.push("signingCredential.expired");
    const { anchors, hasher } = this.terms;
    const trusted =
      isUsable && anchors.length > 0 && (await isTrusted(certificate, chain.slice(1), { anchors, moment, hasher }));
    if (!trusted) failures.push(UNTRUSTED);
    return trusted;
  }
}

/** What is read; undefined where it is not well-formed. @throws TooMuch */
function quietly<Read>(read: () => Read): Read | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof TooMuch || !(error instanceof Unreadable)) throw error;
    return undefined;
  }
}
