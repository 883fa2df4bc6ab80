/** Lists of stores that answer nonsense: nothing that nobody meant is taken from them, and nothing left out. */
import { afterEach, describe, expect, it, vi } from "vitest";

import { openStore } from "../../src/storage/store.ts";
import { elementsOf } from "../../src/storage/xml.ts";
import { S3_KEYS } from "../support/stores/accounts.ts";

const members = { provider: "s3", ...S3_KEYS, endpoint: "https://s3.example.com", bucket: "pictures", region: "auto" };
const policy = { providerEndpoints: {}, storeHosts: ["s3.example.com"], allowPrivateOrigins: false };
const store = openStore(members, { policy, keyfile: undefined });

afterEach(() => vi.restoreAllMocks());

function listing(body: string, cursor?: string) {
  vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response(body));
  return store.list({ prefix: "in/", limit: 2, ...(cursor !== undefined && { cursor }) });
}

const contents = (key: string, size = "10") => `<Contents><Key>${key}</Key><Size>${size}</Size></Contents>`;
const list = (inside: string, isMore = false) =>
  `<ListBucketResult><EncodingType>url</EncodingType><IsTruncated>${isMore}</IsTruncated>${inside}</ListBucketResult>`;

describe("a list of objects", () => {
  it("that is whole is taken", async () => {
    const { objects, cursor } = await listing(list(contents("in/a.jpg") + contents("in/b.jpg"), true), "in/");
    expect(objects).toEqual([
      { key: "in/a.jpg", bytes: 10 },
      { key: "in/b.jpg", bytes: 10 },
    ]);
    expect(cursor).toBe("in/b.jpg");
  });

  it.each([
    ["of another prefix", list(contents("other/a.jpg"))],
    ["without names", list(contents(""))],
    ["of names that are no texts", list(contents("in/%FF.jpg"))],
    ["of sizes that are no numbers", list(contents("in/a.jpg", "many"))],
    ["of sizes below zero", list(contents("in/a.jpg", "-1"))],
    ["that is longer than asked for", list(["a", "b", "c", "d"].map((name) => contents(`in/${name}.jpg`)).join(""))],
    ["that is cut short", list(contents("in/a.jpg") + contents("in/bcdef.jpg")).slice(0, -60)],
    ["that goes on behind no name", list("", true)],
    ["of names that are too long", list(contents(`in/${"k".repeat(1_100)}.jpg`))],
    ["that begins where it did before", list(contents("in/a.jpg") + contents("in/b.jpg"), true)],
  ])("%s is refused", async (_, body) => {
    await expect(listing(body, "in/b.jpg")).rejects.toThrow("store: s3 gave an answer that cannot be read");
  });

  it("has no half of a character: no address could name it", async () => {
    const plain = list(contents("in/a&#55296;.jpg")).replace("url", "none");
    expect((await listing(plain)).objects.map(({ key }) => key)).toEqual(["in/a\ufffd.jpg"]);
  });

  it("of Azure goes on at no mark that is longer than any name", async () => {
    const members = { provider: "azure", account: "a", key: "a2V5", container: "c" };
    const azure = openStore(members, { policy, keyfile: undefined });
    const body = `<EnumerationResults><Blobs></Blobs><NextMarker>${"m".repeat(9_000)}</NextMarker></EnumerationResults>`;
    vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response(body));
    await expect(azure.list({ prefix: "", limit: 2 })).rejects.toThrow("gave an answer that cannot be read");
  });

  it("has no tag that goes on behind the beginning of the next: each would be sought to the end of the answer", () => {
    expect(elementsOf('<Contents a="1"<Key>in/a.jpg</Key></Contents><Contents a="1">b</Contents>', "Contents")).toEqual(
      ["b"],
    );
    expect(elementsOf("<Contents ".repeat(200_000), "Contents")).toEqual([]);
  });
});
