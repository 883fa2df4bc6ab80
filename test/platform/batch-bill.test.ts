/** What one object of a batch takes, counted where the platform bills it: the estimate of a dry run rests on these figures. */
import { expect, it } from "vitest";

import { workOfObject } from "../../src/batch/estimate.ts";
import photo from "../fixtures/jpeg/s420.jpg";
import type { Usage } from "./bill.ts";
import { onPlatform } from "./platform.ts";
import { site, type Site } from "./site.ts";

const HOST = "objects.example.com";
const BUCKET = "pictures";
const VERSION = '"1"';
const CHANGED = { resize: { width: 24 } };
/** Looks of a batch at itself until all is told of it. */
const LOOKS = 6;
/** Objects of a small batch and of a larger one: what their bills differ by is the work on objects alone. */
const [FEW, MORE] = [2, 6];

/** A bucket of copies of one picture, without access lists and tags, that counts its answers as R2 bills them. */
class Bucket {
  reads = 0;
  writes = 0;
  readonly #objects = new Map<string, { readonly bytes: Uint8Array; readonly headers: Record<string, string> }>();
  readonly #prefix: string;

  constructor(prefix: string, pictures: number) {
    this.#prefix = prefix;
    for (let n = 0; n < pictures; n += 1) this.#put(`${prefix}${n}.jpg`, new Uint8Array(photo), {});
  }

  readonly answer = async (request: Request): Promise<Response> => {
    const { pathname, searchParams } = new URL(request.url);
    const key = decodeURIComponent(pathname.slice(`/${BUCKET}/`.length));
    if (searchParams.has("list-type")) return this.#list();
    if (request.method === "PUT") {
      const mark = request.headers.get("x-amz-meta-darkroom");
      if ((request.headers.get("if-match") ?? VERSION) !== VERSION) return new Response(null, { status: 412 });
      this.writes += 1;
      this.#put(key, await request.bytes(), mark === null ? {} : { "x-amz-meta-darkroom": mark });
      return new Response(null, { headers: { etag: VERSION } });
    }
    this.reads += 1;
    if (searchParams.has("acl") || searchParams.has("tagging")) return new Response(null, { status: 501 });
    const found = this.#objects.get(key);
    if (!found) return new Response(null, { status: 404 });
    return new Response(found.bytes, { headers: found.headers });
  };

  #put(key: string, bytes: Uint8Array, marked: Record<string, string>): void {
    this.#objects.set(key, { bytes, headers: { etag: VERSION, "content-type": "image/jpeg", ...marked } });
  }

  #list(): Response {
    this.writes += 1;
    const names = [...this.#objects.keys()].filter((key) => key.startsWith(this.#prefix));
    const contents = names.map((key) => `<Contents><Key>${key}</Key><Size>2567</Size></Contents>`).join("");
    const body = `<ListBucketResult><IsTruncated>false</IsTruncated>${contents}</ListBucketResult>`;
    return new Response(body, { headers: { "content-type": "application/xml" } });
  }
}

async function connectorOf({ post }: Site): Promise<string> {
  const members = {
    provider: "s3",
    key: "k",
    secret: "s",
    region: "auto",
    endpoint: `https://${HOST}`,
    bucket: BUCKET,
  };
  const { body } = await post("/1.0/connectors", { name: "c", ...members });
  return (body as { readonly connector: { readonly id: string } }).connector.id;
}

type Target = (connector: string) => object | "in-place";

/** What a batch over so many objects takes, from the request for it to its last look. */
async function usedBy(objects: number, target: Target): Promise<Usage> {
  const bucket = new Bucket("in/", objects);
  const variables = { DB_1: undefined, DB_2: undefined, STORE_HOSTS: HOST };
  return onPlatform({ web: bucket.answer, variables }, async (platform) => {
    const one = await site(platform);
    const connector = await connectorOf(one);
    // The account's meter is no new one.
    await one.upload(CHANGED);
    await platform.settle();
    platform.used();
    const source = { connector, prefix: "in/" };
    const begun = await one.post("/1.0/batches", { source, target: target(connector), ...CHANGED });
    const { id } = (begun.body as { readonly batch: { readonly id: string } }).batch;
    for (let looks = 0; looks < LOOKS; looks += 1) {
      await platform.objects.ring(1, "BATCH");
      await platform.settle();
      await platform.drain();
    }
    const used = platform.used();
    const { body } = await one.get(`/1.0/batches/${id}`);
    expect(body).toMatchObject({ batch: { state: "done", counts: { done: objects, failed: 0 } } });
    return { ...used, reads: bucket.reads, writes: bucket.writes };
  });
}

it.each<[where: string, target: Target]>([
  ["in another place", (connector) => ({ connector, prefix: "out/" })],
  ["in place", () => "in-place"],
])("an object %s takes what the estimate says", async (_, target) => {
  const [few, more] = [await usedBy(FEW, target), await usedBy(MORE, target)];
  const pieces = Object.keys(few) as (keyof Usage)[];
  const each = Object.fromEntries(pieces.map((piece) => [piece, (more[piece] - few[piece]) / (MORE - FEW)]));
  const { objectRows, ...work } = workOfObject({ target: target("c") as "in-place" });
  expect(each).toMatchObject({ ...work, rows: 0, events: 0 });
  // A busy meter writes ends of work when its second is over: now and then one row more, or less.
  expect(Math.round(each["objectRows"] ?? 0)).toBe(objectRows);
});
