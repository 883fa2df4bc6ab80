/**
 * What every provider must do, whatever it speaks: one suite, run against servers that verify what they receive with
 * other people's signers. A provider's own expectations are data.
 */
import * as fc from "fast-check";
import * as v from "valibot";
import { describe, expect, inject, it } from "vitest";

import { parseKeyfile } from "../../src/storage/keyfile.ts";
import { type SpelledStore, Store } from "../../src/storage/providers.ts";
import { putInStore, readFromStore } from "../../src/storage/store.ts";
import type { Recorded } from "../support/stores/server.ts";

export interface Expectations {
  /** The provider's code, and the way of proving who asks where it has several. */
  readonly title: string;
  readonly endpoint: string;
  /** A store as a request spells it, without path; its bucket or container is `pictures`. */
  readonly store: Readonly<Record<string, unknown>>;
  /** The member that names the bucket. */
  readonly bucket: "bucket" | "container";
  /** A credential to be falsified, with the refusal that follows. */
  readonly wrong: { readonly member: string; readonly value: string; readonly answer: RegExp };
  /** What a 403 of the store reads like. */
  readonly denied: RegExp;
  readonly allowedHeaders: readonly string[];
  readonly refusedHeader: string;
  /** The prefix of metadata headers; null where metadata is a member of the resource. */
  readonly metadataPrefix: string | null;
  /** Names that metadata may have, where they are not the usual ones. */
  readonly metadataNames?: RegExp;
  /** How a served header travels. */
  readonly servedAs: (name: string) => string;
  /** The access list a request has, by default and by name; absent where the provider has none. */
  readonly acl?: {
    readonly sent: (recorded: Recorded) => string | undefined;
    readonly byDefault: string | undefined;
    readonly named: readonly [string, string];
    readonly refusal: RegExp;
  };
  /** Requests for tokens, where the provider has them. */
  readonly tokens?: true;
}

const bytes = new Uint8Array(3_000).map((_, at) => (at * 7) % 251);
const encoded = { bytes, mime: "image/webp", name: "photo.webp" };

function policy() {
  return { providerEndpoints: inject("storeEndpoints"), storeHosts: [], allowPrivateOrigins: true };
}

async function put(store: object, timeoutMs?: number, image = encoded): Promise<string> {
  const spelled = v.parse(Store, store) as SpelledStore;
  const keyfile = "keyfile" in store ? await parseKeyfile(JSON.parse(inject("keyfile"))) : undefined;
  const options = { policy: policy(), keyfile, ...(timeoutMs !== undefined && { timeoutMs }) };
  return (await putInStore(spelled, image, options)).url;
}

async function read(url: string) {
  const response = await fetch(url);
  const recorded = JSON.parse(atob(response.headers.get("x-recorded") ?? "bnVsbA==")) as Recorded;
  return {
    status: response.status,
    type: response.headers.get("content-type"),
    bytes: new Uint8Array(await response.arrayBuffer()),
    recorded,
  };
}

let counter = 0;
const unique = () => `${++counter}-${crypto.randomUUID().slice(0, 8)}.webp`;

/** Runs the suite for one provider. */
export function testProvider(expected: Expectations): void {
  const inBucket = (name: string, more: object = {}) => ({
    ...expected.store,
    [expected.bucket]: name,
    path: unique(),
    ...more,
  });
  const secrets = Object.entries(expected.store)
    .filter(([member]) => ["key", "secret", "username", "account"].includes(member))
    .map(([, value]) => String(value));

  /** Refused with a message of this form, and nothing in it that is the caller's or the store's affair. */
  async function expectRefusal(promise: Promise<string>, message: RegExp) {
    const error = await promise.then(
      () => undefined,
      (thrown: unknown) => thrown as Error & { status?: number },
    );
    expect(error?.status).toBe(422);
    expect(error?.message).toMatch(message);
    for (const word of [...secrets, expected.wrong.value, "127.0.0.1", "<", "http"])
      expect(error?.message).not.toContain(word);
  }

  describe.concurrent(expected.title, () => {
    it("stores the bytes once, whole, at the URL it gives", async () => {
      const url = await put(inBucket("pictures"));
      const stored = await read(url);
      expect(stored.status).toBe(200);
      expect(stored.bytes).toEqual(bytes);
      expect(stored.type).toBe("image/webp");
      expect(stored.recorded.attempts).toBe(1);
      expect(stored.recorded.headers["transfer-encoding"]).toBeUndefined();
    });

    it("reads an object with a request that proves who asks, and with no other", async () => {
      const path = `folder/${unique()}`;
      await put(inBucket("pictures", { path }));
      const request = async (store: object) => {
        const spelled = v.parse(Store, store) as SpelledStore;
        const keyfile = "keyfile" in store ? await parseKeyfile(JSON.parse(inject("keyfile"))) : undefined;
        return readFromStore(spelled, path, { policy: policy(), keyfile });
      };
      const { url, headers } = await request(inBucket("pictures"));
      const answer = await fetch(url, { headers });
      expect([answer.status, await answer.bytes()]).toEqual([200, bytes]);
      const { member, value } = expected.wrong;
      const refused = async () => {
        const wrong = await request({ ...inBucket("pictures"), [member]: value });
        return (await fetch(wrong.url, { headers: wrong.headers })).status;
      };
      if (member in expected.store) expect(await refused().catch(({ status }) => status as number)).not.toBe(200);
    });

    it("stores an object of a megabyte", async () => {
      const large = new Uint8Array(1_200_000).map((_, at) => (at * 31) % 253);
      const url = await put(inBucket("pictures"), undefined, { ...encoded, bytes: large });
      expect((await read(url)).bytes).toEqual(large);
    });

    it("takes a path that ends in a slash, or none, for a folder", async () => {
      const folder = `deep/${unique()}/`;
      expect(await put({ ...inBucket("pictures"), path: folder })).toMatch(new RegExp(`/deep/[^/]+/photo\\.webp$`));
      expect(await put({ ...inBucket("pictures"), path: `/${folder}` })).toMatch(/\/deep\/[^/]+\/photo\.webp$/);
      const { path: _, ...root } = inBucket("pictures");
      const name = unique();
      const url = await put(root, undefined, { ...encoded, name });
      expect(url.endsWith(`/${name}`)).toBe(true);
      expect((await read(url)).status).toBe(200);
    });

    it("signs and links spaces, plus signs, Unicode and every other character alike", async () => {
      const character = fc.oneof(
        fc.constantFrom(
          " ",
          "+",
          "%",
          "?",
          "#",
          "&",
          "=",
          "ž",
          "漢",
          "🦊",
          "'",
          "(",
          ")",
          "!",
          "*",
          "~",
          "^",
          "`",
          "|",
          "\\",
          ":",
          "@",
          "$",
          ",",
          ";",
          '"',
          "<",
          "{",
          "[",
          "é",
        ),
        fc.string({ minLength: 1, maxLength: 1, unit: "grapheme" }),
      );
      const segment = fc
        .array(character, { minLength: 1, maxLength: 8 })
        .map((parts) => parts.join("").replace(/[/\p{Cc}]/gu, "_"))
        .filter((text) => text.isWellFormed() && !/^\.{1,2}$/.test(text));
      await fc.assert(
        fc.asyncProperty(fc.array(segment, { minLength: 1, maxLength: 3 }), async (segments) => {
          const path = [...segments, unique()].join("/");
          const url = await put({ ...inBucket("pictures"), path });
          const stored = await read(url);
          expect(stored.status).toBe(200);
          expect(decodeURIComponent(new URL(url).pathname).endsWith(`/${path}`)).toBe(true);
        }),
        { numRuns: 20 },
      );
    });

    it("keeps metadata", async () => {
      const name = fc.stringMatching(expected.metadataNames ?? /^[a-z\d][a-z\d-]{0,8}$/);
      const value = fc.stringMatching(/^[!-~](?:[ -~]{0,20}[!-~])?$/);
      await fc.assert(
        fc.asyncProperty(
          fc.dictionary(name, value, { minKeys: 1, maxKeys: 5, noNullPrototype: true }),
          async (metadata) => {
            fc.pre(!Object.hasOwn(metadata, "constructor"));
            const { recorded } = await read(await put(inBucket("pictures", { metadata })));
            for (const [key, text] of Object.entries(metadata)) expect(metadataOf(recorded, expected, key)).toBe(text);
          },
        ),
        { numRuns: 20 },
      );
    });

    it("serves the allowed headers, in any spelling, and refuses others by name", async () => {
      for (const name of expected.allowedHeaders) {
        const value =
          name === "Content-Type"
            ? "image/x-other"
            : name === "Expires"
              ? "Wed, 21 Oct 2037 07:28:00 GMT"
              : name === "Content-Encoding"
                ? "gzip"
                : "x-1";
        const { recorded } = await read(await put(inBucket("pictures", { headers: { [name.toLowerCase()]: value } })));
        expect(servedHeader(recorded, expected, name)).toBe(value);
      }
      const refused = v.safeParse(Store, inBucket("pictures", { headers: { [expected.refusedHeader]: "x" } }));
      expect(refused.issues?.[0].path?.map((item) => item.key)).toEqual(["headers", expected.refusedHeader]);
    });

    it("refuses unknown members, missing members and unsafe paths before anything is sent", () => {
      expect(issue({ ...inBucket("pictures"), nonsense: 1 })).toBe("nonsense is not a known parameter");
      expect(issue({ ...inBucket("pictures"), [expected.bucket]: undefined })).toMatch(/^(bucket|container) must be/);
      const { [expected.bucket]: _, ...without } = inBucket("pictures") as Record<string, unknown>;
      expect(issue(without)).toBe(`${expected.bucket} is required`);
      for (const path of ["../x", "a/../b", "a/..", "./a", "a/./b", "a\u0000", "a\nb", "\ud800", "x".repeat(1_025)]) {
        expect(issue({ ...inBucket("pictures"), path })).toMatch(/^path must be/);
      }
    });

    it("tells what the store answered to a wrong credential, and nothing else", async () => {
      const { member, value, answer } = expected.wrong;
      await expectRefusal(put(inBucket("pictures", { [member]: value })), answer);
    });

    it("tells what the store refused, and sends it once", async () => {
      await expectRefusal(put(inBucket("denied")), expected.denied);
    });

    it("reads no more of a refusal than it needs", async () => {
      await expectRefusal(put(inBucket("huge-answer")), / answered 403( TooMuch)?$/);
    });

    it("does not follow redirects", async () => {
      await expectRefusal(put(inBucket("redirects")), / answered 307$/);
    });

    it("repeats once after a 5xx, a lost connection or silence", async () => {
      for (const bucket of ["fails-once", "drops-once"]) {
        const stored = await read(await put(inBucket(bucket)));
        expect(stored.bytes).toEqual(bytes);
        expect(stored.recorded.attempts).toBe(2);
      }
      const stored = await read(await put(inBucket("silent-once"), 5_000));
      expect(stored.recorded.attempts).toBe(2);
    });

    it("gives up after the second failure", async () => {
      await expectRefusal(put(inBucket("fails-always")), /^store: [\w-]+ answered 503( SlowDown)?$/);
      await expectRefusal(put(inBucket("drops-always")), /^store: [\w-]+ could not be reached$/);
      await expectRefusal(put(inBucket("silent"), 900), /^store: [\w-]+ did not answer in time$/);
    });

    const { acl } = expected;
    if (acl) {
      it("asks for a public object unless told otherwise", async () => {
        expect(acl.sent((await read(await put(inBucket("pictures")))).recorded)).toBe(acl.byDefault);
        const named = await read(await put(inBucket("pictures", { acl: acl.named[0] })));
        expect(acl.sent(named.recorded)).toBe(acl.named[1]);
      });

      it("drops its own access list where the bucket has none, never the caller's", async () => {
        const { recorded } = await read(await put(inBucket("no-acls")));
        expect(acl.sent(recorded)).toBeUndefined();
        expect(recorded.attempts).toBe(acl.byDefault === undefined ? 1 : 2);
        await expectRefusal(put(inBucket("no-acls", { acl: acl.named[0] })), acl.refusal);
      });
    }

    if (expected.tokens) {
      const office = (path: string) =>
        fetch(`${inject("storeEndpoints")[expected.endpoint]}/-/${path}`).then((response) => response.text());

      it("buys one token for many objects", { concurrent: false }, async () => {
        await put(inBucket("pictures"));
        const before = await office("issued");
        await put(inBucket("pictures"));
        await put(inBucket("pictures"));
        expect(await office("issued")).toBe(before);
      });

      it("buys a new one when the store takes the old one no more, once", { concurrent: false }, async () => {
        await put(inBucket("pictures"));
        await office("revoke");
        const before = Number(await office("issued"));
        expect((await read(await put(inBucket("pictures")))).status).toBe(200);
        expect(Number(await office("issued"))).toBe(before + 1);
      });
    }
  });
}

function issue(store: object): string {
  const [first] = v.safeParse(Store, store, { abortEarly: true }).issues ?? [];
  return `${first?.path?.map((item) => String(item.key)).join(".")} ${first?.message}`;
}

function metadataOf(
  { headers, resource }: Recorded,
  { metadataPrefix }: Expectations,
  name: string,
): string | undefined {
  if (metadataPrefix !== null) return headers[`${metadataPrefix}${name}`];
  return (resource as { metadata?: Record<string, string> }).metadata?.[name];
}

function servedHeader(
  { headers, resource }: Recorded,
  { servedAs, metadataPrefix }: Expectations,
  name: string,
): string | undefined {
  if (metadataPrefix !== null) return headers[servedAs(name)];
  return (resource as Record<string, string>)[servedAs(name)];
}
