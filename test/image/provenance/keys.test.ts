/** Which public keys are taken: those whose use takes no longer than others\'. */
import { expect, it } from "vitest";

import { readDer } from "../../../src/image/provenance/der.ts";
import { keyOf } from "../../../src/image/provenance/signatures.ts";

const element = (tag: number, ...parts: readonly (readonly number[])[]) => {
  const content = parts.flat();
  return [tag, 0x82, content.length >> 8, content.length & 255, ...content];
};

/** A key of RSA (RFC 8017) with a modulus of so many bytes. */
function rsa(bytes: number) {
  const modulus = element(0x02, [0, ...Array<number>(bytes).fill(0xff)]);
  const key = element(0x30, modulus, element(0x02, [1, 0, 1]));
  const algorithm = [...Uint8Array.fromHex("300d06092a864886f70d0101010500")];
  return readDer(Uint8Array.from(element(0x30, algorithm, element(0x03, [0], key))));
}

it.each([
  [128, undefined],
  [255, undefined],
  [256, "rsa"],
  [512, "rsa"],
  [1_024, "rsa"],
  [1_025, undefined],
  [2_048, undefined],
])("a key of RSA of %d bytes is %s", (bytes, kind) => {
  expect(keyOf(rsa(bytes))?.kind).toBe(kind);
});
