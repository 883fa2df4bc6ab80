/** Every store receives the object, the headers and the access list that were asked for. */
import * as v from "valibot";
import { expect, it } from "vitest";

import page from "../../src/docs/stores.md?raw";
import { PROVIDERS, Store } from "../../src/storage/providers.ts";
import { BLOB_ACCOUNT, IAM_KEY, S3_KEYS, SWIFT_ACCOUNT } from "../support/stores/accounts.ts";
import { type Expectations, testProvider } from "./provider-suite.ts";

const lower = (name: string) => name.toLowerCase();
const camel = (name: string) => `${name[0]?.toLowerCase()}${name.slice(1).replace("-", "")}`;
const FIVE = ["Cache-Control", "Content-Type", "Content-Encoding", "Content-Language", "Content-Disposition"];

const s3Like = {
  bucket: "bucket",
  metadataPrefix: "x-amz-meta-",
  servedAs: lower,
  refusedHeader: "X-Amz-Acl",
  wrong: {
    member: "secret",
    value: "another/SECRET+0123456789",
    answer: /^store: [\w-]+ answered 403 SignatureDoesNotMatch$/,
  },
  denied: /^store: [\w-]+ answered 403 AccessDenied$/,
} as const satisfies Partial<Expectations>;

const cannedAcls = {
  acl: {
    sent: ({ headers }) => headers["x-amz-acl"],
    byDefault: "public-read",
    named: ["private", "private"],
    refusal: /^store: [\w-]+ answered 400 AccessControlListNotSupported$/,
  },
} as const satisfies Partial<Expectations>;

const EXPECTATIONS: readonly Expectations[] = [
  {
    ...s3Like,
    ...cannedAcls,
    title: "provider-a",
    endpoint: "provider-a",
    store: { provider: "aws", ...S3_KEYS, bucket: "pictures", region: "eu-central-1" },
    allowedHeaders: ["Expires", ...FIVE],
  },
  {
    ...s3Like,
    ...cannedAcls,
    title: "provider-b with a developer key",
    endpoint: "provider-b",
    store: { provider: "google", ...S3_KEYS, bucket: "pictures" },
    allowedHeaders: FIVE,
    refusedHeader: "Expires",
    acl: {
      ...cannedAcls.acl,
      named: ["bucketOwnerRead", "bucket-owner-read"],
      refusal: /answered 400 InvalidArgument$/,
    },
  },
  {
    ...s3Like,
    ...cannedAcls,
    title: "provider-b with a keyfile",
    endpoint: "provider-b",
    store: { provider: "provider-b", keyfile: "abcDEF1234", bucket: "pictures" },
    wrong: { member: "bucket", value: "denied", answer: /^store: provider-b answered 403 AccessDenied$/ },
    allowedHeaders: FIVE,
    refusedHeader: "Expires",
    metadataPrefix: null,
    servedAs: camel,
    acl: {
      sent: ({ resource }) => (resource as { acl?: string }).acl,
      byDefault: "publicRead",
      named: ["projectPrivate", "projectPrivate"],
      refusal: /^store: provider-b answered 400 invalid$/,
    },
    tokens: true,
  },
  {
    ...s3Like,
    title: "provider-c",
    endpoint: "provider-c",
    store: { provider: "alibaba", ...S3_KEYS, bucket: "pictures", region: "oss-eu-central-1" },
    allowedHeaders: ["Expires", ...FIVE],
    metadataPrefix: "x-oss-meta-",
    refusedHeader: "x-oss-object-acl",
  },
  {
    title: "provider-d",
    endpoint: "provider-d",
    store: { provider: "rackspace", ...SWIFT_ACCOUNT, container: "pictures", region: "iad" },
    bucket: "container",
    wrong: { member: "key", value: "another-api-key", answer: /^store: rackspace answered 401 unauthorized$/ },
    denied: /^store: rackspace answered 403$/,
    allowedHeaders: ["Content-Type", "Content-Encoding", "Content-Disposition"],
    refusedHeader: "Cache-Control",
    metadataPrefix: "x-object-meta-",
    servedAs: lower,
    tokens: true,
  },
  {
    title: "provider-e",
    endpoint: "provider-e",
    store: { provider: "azure", ...BLOB_ACCOUNT, container: "pictures" },
    bucket: "container",
    wrong: {
      member: "key",
      value: "b3RoZXIga2V5IG9mIHRoZSBzYW1lIGZvcm0h",
      answer: /^store: azure answered 403 AuthorizationFailure$/,
    },
    denied: /^store: azure answered 403 AccessDenied$/,
    allowedHeaders: FIVE,
    refusedHeader: "Expires",
    metadataPrefix: "x-ms-meta-",
    metadataNames: /^[a-z_][a-z\d_]{0,8}$/,
    servedAs: (name) => `x-ms-blob-${lower(name)}`,
  },
  {
    ...s3Like,
    ...cannedAcls,
    title: "provider-f",
    endpoint: "provider-f",
    store: { provider: "ibm", ...IAM_KEY, bucket: "pictures", region: "eu-de" },
    wrong: { member: "key", value: "another-api-key", answer: /^store: ibm answered 400 BXNIM0415E$/ },
    allowedHeaders: ["Expires", ...FIVE],
    tokens: true,
  },
  {
    ...s3Like,
    ...cannedAcls,
    title: "provider-g",
    endpoint: "provider-g",
    store: { provider: "digitalocean", ...S3_KEYS, bucket: "pictures", region: "fra1" },
    allowedHeaders: ["Cache-Control", "Content-Type", "Content-Encoding", "Content-Disposition"],
    refusedHeader: "Content-Language",
  },
  {
    ...s3Like,
    ...cannedAcls,
    title: "s3",
    endpoint: "s3",
    store: { provider: "s3", ...S3_KEYS, endpoint: "https://objects.example.com", bucket: "pictures" },
    allowedHeaders: ["Expires", ...FIVE],
    acl: { ...cannedAcls.acl, byDefault: undefined },
  },
];

it("has expectations for every provider", () => {
  const covered = new Set(EXPECTATIONS.map(({ endpoint }) => endpoint));
  expect([...covered]).toEqual(PROVIDERS.map((row) => row.code));
});

for (const expected of EXPECTATIONS) testProvider(expected);

/** The page shows secrets as dots. */
const shown = [...page.matchAll(/^```json\n([^]*?)\n```$/gm)].map(([, text = ""]) =>
  JSON.parse(text.replaceAll("…", "x")),
);

it.each(shown)("is asked as the page shows it: $provider", (store) => {
  expect(v.safeParse(Store, store).issues).toBeUndefined();
});

it("has a request on the page for each of them", () => {
  for (const { code, aliases } of PROVIDERS) {
    expect(
      shown.some(({ provider }) => [code, ...aliases].includes(provider)),
      code,
    ).toBe(true);
  }
});
