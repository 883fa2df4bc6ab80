import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { vaultOf } from "../../src/account/vault.ts";

const KEY = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";
const OTHER_KEY = "ZmVkY2JhOTg3NjU0MzIxMGZlZGNiYTk4NzY1NDMyMTA=";

describe("the vault", () => {
  const vault = vaultOf(KEY);

  it("gives back what it sealed, under the same context only", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), fc.string(), fc.string(), async (plain, context, other) => {
        const sealed = await vault.seal(plain, context);
        expect(await vault.open(sealed, context)).toEqual(plain);
        if (other !== context) await expect(vault.open(sealed, other)).rejects.toMatchObject({ status: 500 });
      }),
      { numRuns: 30 },
    );
  });

  it("seals an object as JSON", async () => {
    const sealed = await vault.seal({ secret: "žluť" }, "connector 1");
    expect(await vault.openJson(sealed, "connector 1")).toEqual({ secret: "žluť" });
  });

  it("never writes the same thing twice alike", async () => {
    const plain = new Uint8Array([1, 2, 3]);
    expect(await vault.seal(plain, "a")).not.toEqual(await vault.seal(plain, "a"));
  });

  it("refuses what was changed in any byte, or cut short", async () => {
    const sealed = await vault.seal(new Uint8Array([1, 2, 3]), "a");
    for (let at = 0; at < sealed.length; at++) {
      const changed = sealed.slice();
      changed[at] = (changed[at] ?? 0) ^ 1;
      await expect(vault.open(changed, "a")).rejects.toMatchObject({ status: 500, message: "Internal error" });
      await expect(vault.open(sealed.slice(0, at), "a")).rejects.toMatchObject({ status: 500 });
    }
  });

  it("tells a secret of another key", async () => {
    const sealed = await vault.seal(new Uint8Array(1), "a");
    await expect(vaultOf(OTHER_KEY).open(sealed, "a")).rejects.toMatchObject({
      message: "Internal error",
      cause: { message: "Sealed under another VAULT_KEY" },
    });
  });

  it.each([undefined, "", "short", "c2hvcnQ=", "!!"])("blames the operator for the key %j", async (key) => {
    await expect(vaultOf(key).seal({}, "a")).rejects.toMatchObject({
      status: 500,
      message: "Internal error",
      cause: { message: "The secret VAULT_KEY must be 32 bytes in base64" },
    });
  });
});
