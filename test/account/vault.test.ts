/** Sealing of secrets, and opening them after a change of key. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { generateKey } from "../../src/account/keys.ts";
import { mayBeUploadToken, openUploadToken, sealUploadToken } from "../../src/account/upload-tokens.ts";
import { vaultOf } from "../../src/account/vault.ts";
import { NEW_KEY, OLD_KEY, sealedAtFirst } from "../support/sealed.ts";

const OLD = Uint8Array.fromBase64(OLD_KEY);
const NEW = Uint8Array.fromBase64(NEW_KEY);
/** "old" for "a", as the service wrote it under OLD when there was one key alone. */
const FIRST_LAYOUT = Uint8Array.fromBase64("AUuOIplJivoCw1tfp2aMJjudEVvLLPbG+uc2axShDVXh");

/** Two keys whose SHA-256 begin with the same byte. */
async function twins(): Promise<[Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>]> {
  const seen = new Map<number, Uint8Array<ArrayBuffer>>();
  for (let count = 0; ; count += 1) {
    const key = new Uint8Array(32).fill(count);
    const [first = 0] = new Uint8Array(await crypto.subtle.digest("SHA-256", key));
    const other = seen.get(first);
    if (other) return [other, key];
    seen.set(first, key);
  }
}

const encode = (text: string) => new TextEncoder().encode(text);

describe("the vault", () => {
  const vault = vaultOf([OLD]);

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
    for (const sealed of [await vault.seal(new Uint8Array([1, 2, 3]), "a"), FIRST_LAYOUT]) {
      for (let at = 0; at < sealed.length; at++) {
        const changed = sealed.slice();
        changed[at] = (changed[at] ?? 0) ^ 1;
        await expect(vault.open(changed, "a")).rejects.toMatchObject({ status: 500, message: "Internal error" });
        await expect(vault.open(sealed.slice(0, at), "a")).rejects.toMatchObject({ status: 500 });
      }
    }
  });

  it("tells a secret of another key", async () => {
    for (const sealed of [await vault.seal(new Uint8Array(1), "a"), FIRST_LAYOUT]) {
      await expect(vaultOf([NEW]).open(sealed, "a")).rejects.toMatchObject({
        message: "Internal error",
        cause: { message: "Sealed under a key that VAULT_KEY does not hold" },
      });
    }
  });

  it("blames the operator when there is no key", async () => {
    await expect(vaultOf([]).seal({}, "a")).rejects.toMatchObject({
      status: 500,
      message: "Internal error",
      cause: { message: "The secret VAULT_KEY is not set" },
    });
  });
});

describe("a vault of several keys", () => {
  it("seals with the first and opens with all", async () => {
    const old = await vaultOf([OLD]).seal(encode("x"), "a");
    const both = vaultOf([NEW, OLD]);
    expect(await both.open(old, "a")).toEqual(encode("x"));
    expect(await vaultOf([NEW]).open(await both.seal(encode("y"), "a"), "a")).toEqual(encode("y"));
  });

  it("opens what was sealed before there could be several, and knows it as outdated", async () => {
    for (const vault of [vaultOf([OLD]), vaultOf([NEW, OLD])]) {
      expect(await vault.open(FIRST_LAYOUT, "a")).toEqual(encode("old"));
      await expect(vault.open(FIRST_LAYOUT, "b")).rejects.toMatchObject({ status: 500 });
      expect(await isOutdated(vault, FIRST_LAYOUT)).toBe(true);
    }
  });

  it("finds the right key of two that the first layout cannot tell apart", async () => {
    const [one, other] = await twins();
    const sealed = await sealedAtFirst(other, "x", "a");
    expect(await vaultOf([one, other]).open(sealed, "a")).toEqual(encode("x"));
    await expect(vaultOf([one]).open(sealed, "a")).rejects.toMatchObject({
      cause: { message: "A sealed secret does not open" },
    });
    expect((await vaultOf([one, other]).heads()).outdated).toHaveLength(2);
  });

  it("tells by the head what another key sealed, or none that is there", async () => {
    const sealed = await vaultOf([OLD]).seal(encode("x"), "a");
    expect(await isOutdated(vaultOf([OLD]), sealed)).toBe(false);
    expect(await isOutdated(vaultOf([OLD, NEW]), sealed)).toBe(false);
    expect(await isOutdated(vaultOf([NEW, OLD]), sealed)).toBe(true);
    expect(await isOutdated(vaultOf([NEW]), sealed)).toBe(false);
  });

  it("may hold the same key twice", async () => {
    expect((await vaultOf([NEW, OLD, NEW, OLD]).heads()).outdated).toHaveLength(3);
  });
});

async function isOutdated(vault: ReturnType<typeof vaultOf>, sealed: Uint8Array): Promise<boolean> {
  const head = sealed.slice(0, 5).toHex();
  const { outdated } = await vault.heads();
  return outdated.some(({ from, to }) => from.toHex() <= head && head <= to.toHex());
}

it("seals upload tokens, which open for whoever has the key, and are told from mistyped ones before", async () => {
  const vault = vaultOf([new Uint8Array(32)]);
  const grant = { id: "i", account: "a", key: "k", expiresAt: 1, uses: 1, data: { flip: {} } };
  const token = await sealUploadToken(vault, grant);
  expect(await openUploadToken(vault, token)).toEqual(grant);
  expect(await openUploadToken(vaultOf([new Uint8Array(32).fill(1)]), token)).toBeUndefined();
  for (const at of [3, 20, token.length - 1]) {
    const other = token.slice(0, at) + (token[at] === "A" ? "B" : "A") + token.slice(at + 1);
    expect(mayBeUploadToken(other)).toBe(false);
  }
  expect(mayBeUploadToken(generateKey())).toBe(false);
});
