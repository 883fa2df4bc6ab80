/**
 * An authority that stamps times (RFC 3161), made for tests alone: a key of P-256 and its certificate by OpenSSL 3, for a hundred
 * years. The key is no secret.
 */
import { readPem } from "../../src/image/provenance/certificate.ts";
import { type Element, readDer } from "../../src/image/provenance/der.ts";
import { joined } from "../../src/joined.ts";

const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIB7jCCAZSgAwIBAgIUALIM5VTxUuyeY27ZG56SsXtQqfwwCgYIKoZIzj0EAwIw
OTEoMCYGA1UECgwfRGFya3Jvb20gdGVzdCBhdXRob3JpdHkgb2YgdGltZTENMAsG
A1UEAwwEdGltZTAgFw0yNjExMjkwMjA0MTNaGA8yMTI2MTEwNTAyMDQxM1owOTEo
MCYGA1UECgwfRGFya3Jvb20gdGVzdCBhdXRob3JpdHkgb2YgdGltZTENMAsGA1UE
AwwEdGltZTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABDZK1ELa6biQi4XzaIv8
5YJXKbZqx8uklcvxFxnRuqPuKreo+SIDYyaD0TW6zGn2nyGissm4Lo58XPECqx3r
3QOjeDB2MB0GA1UdDgQWBBQM25baigrgIEUSMIwva9IweHHikDAfBgNVHSMEGDAW
gBQM25baigrgIEUSMIwva9IweHHikDAWBgNVHSUBAf8EDDAKBggrBgEFBQcDCDAM
BgNVHRMBAf8EAjAAMA4GA1UdDwEB/wQEAwIHgDAKBggqhkjOPQQDAgNIADBFAiAa
NvDBr/wuZpFX0Ek/QW81fyjhVG/LC4X/JCCpjJA6wAIhANdIVIALsE2iW1lhwWaO
V7ICJDdFcOBP8Rs4FzwYQspc
-----END CERTIFICATE-----`;

const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgMHCsZmm4A4V6HACh
G4jGn2u8TUgZss2+PSakI2DtGyShRANCAAQ2StRC2um4kIuF82iL/OWCVym2asfL
pJXL8RcZ0bqj7iq3qPkiA2Mmg9E1usxp9p8horLJuC6OfFzxAqsd690D
-----END PRIVATE KEY-----`;

/** Object identifiers, as their elements. */
const OID = {
  signedData: "06092a864886f70d010702",
  timeStamp: "060b2a864886f70d0109100104",
  sha256: "0609608648016503040201",
  ecdsa: "06082a8648ce3d040302",
  policy: "06032a0304",
} as const;
const VERSION = Uint8Array.of(0x02, 1, 1);

function der(tag: number, ...parts: readonly (Uint8Array | string)[]): Uint8Array {
  const content = joined(parts.map((part) => (typeof part === "string" ? Uint8Array.fromHex(part) : part)));
  const { length } = content;
  return joined([Uint8Array.of(tag, ...(length < 128 ? [length] : [0x82, length >> 8, length & 255])), content]);
}

/** A number of a signature: without zeros before it, and positive. */
function number(bytes: Uint8Array): Uint8Array {
  const first = bytes.findIndex((byte) => byte !== 0);
  const plain = bytes.subarray(first);
  return der(0x02, (plain[0] ?? 0) & 0x80 ? joined([Uint8Array.of(0), plain]) : plain);
}

async function signed(content: Uint8Array): Promise<Uint8Array> {
  const pkcs8 = Uint8Array.fromBase64(KEY.replaceAll(/-----[A-Z ]+-----|\s/g, ""));
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("pkcs8", pkcs8, algorithm, false, ["sign"]);
  const raw = new Uint8Array(await crypto.subtle.sign(algorithm, key, content as Uint8Array<ArrayBuffer>));
  return der(0x30, number(raw.subarray(0, 32)), number(raw.subarray(32)));
}

/** The hash in a request to an authority. */
function hashIn(request: Uint8Array): Uint8Array {
  const imprint = readDer(request).children[1] as Element;
  return (imprint.children[1] as Element).content;
}

/** An authority's answer to a request: that the hash in it was there on 1 December 2026. */
export async function stampFor(request: Uint8Array): Promise<Uint8Array> {
  const [certificate] = readPem(CERTIFICATE);
  if (!certificate) throw new Error("no certificate");
  const imprint = der(0x30, der(0x30, OID.sha256), der(0x04, hashIn(request)));
  const time = der(0x18, new TextEncoder().encode("20261201000000Z"));
  const content = der(0x30, VERSION, OID.policy, imprint, der(0x02, "01"), time);
  const signer = der(
    0x30,
    VERSION,
    der(0x30, certificate.issuer.whole, der(0x02, certificate.serial)),
    der(0x30, OID.sha256),
    der(0x30, OID.ecdsa),
    der(0x04, await signed(content)),
  );
  const signedData = der(
    0x30,
    VERSION,
    der(0x31, der(0x30, OID.sha256)),
    der(0x30, OID.timeStamp, der(0xa0, der(0x04, content))),
    der(0xa0, certificate.der),
    der(0x31, signer),
  );
  return der(0x30, der(0x30, "020100"), der(0x30, OID.signedData, der(0xa0, signedData)));
}
