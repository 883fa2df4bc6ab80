/** Where images come in. */
import * as v from "valibot";

import { FetchBody, UploadBody } from "../../contract/request.ts";
import { Processed } from "../../contract/response.ts";
import { SimilarList, SimilarQuery } from "../../contract/similar.ts";
import { NewUploadToken, UploadTokenCreated } from "../../contract/upload-tokens.ts";
import { Accepted } from "../../contract/webhook.ts";
import * as examples from "../examples.ts";
import { fetchImage } from "../handlers/fetch.ts";
import { listSimilar } from "../handlers/similar.ts";
import { showTemporary } from "../handlers/temporary.ts";
import { addUploadToken } from "../handlers/upload-tokens.ts";
import { uploadImage } from "../handlers/upload.ts";
import type { Route } from "../route.ts";

/** Of an upload whose body is the image alone. */
const RawQuery = v.object({
  /** The request as JSON. */
  data: v.optional(v.string()),
  /** What the file is called. */
  name: v.optional(v.string()),
});

const processed = {
  description:
    "The image was processed. In binary mode the body is the image, and this JSON is in `X-Service-Metadata`",
  schema: Processed,
  example: examples.success,
} as const;
const accepted = {
  description: "The job was accepted; the answer goes to `webhook.url`",
  schema: Accepted,
  example: examples.accepted,
} as const;

export const images: readonly Route[] = [
  {
    method: "post",
    path: "/1.0/fetch",
    operationId: "fetchImage",
    summary: "Fetches an image from a URL, processes and optimizes it.",
    tag: "Images",
    access: "key",
    costsCredit: true,
    isRepeatable: true,
    body: { mime: "application/json", schema: FetchBody, example: examples.fetchBody, required: true },
    answers: { 200: processed, 202: accepted },
    refusals: [400, 402, 413, 415, 422],
    handler: fetchImage,
  },
  {
    method: "get",
    path: "/1.0/similar",
    operationId: "listSimilar",
    summary:
      "Lists pictures of the account that look like one, by its hash: those whose answers told `phash` (`analyze`) in the last year.",
    tag: "Images",
    access: "key",
    query: SimilarQuery,
    answers: {
      200: { description: "Pictures, the nearest first", schema: SimilarList, example: examples.similarList },
    },
    refusals: [422],
    handler: listSimilar,
  },
  {
    method: "post",
    path: "/1.0/upload",
    operationId: "uploadImage",
    summary:
      "Takes an image in the part `file`, processes and optimizes it as the part `data` says. The image may as well be the whole body, of the type `image/…` or `application/octet-stream`: then `data` is in the query.",
    tag: "Images",
    access: "key",
    costsCredit: true,
    isRepeatable: true,
    takesUploadTokens: true,
    query: RawQuery,
    body: { mime: "multipart/form-data", schema: UploadBody, example: examples.uploadBody, required: true },
    answers: { 200: processed, 202: accepted },
    refusals: [400, 402, 413, 415, 422],
    handler: uploadImage,
  },
  {
    method: "post",
    path: "/1.0/upload-tokens",
    operationId: "createUploadToken",
    summary: "Makes a token with which a page may upload images without a key.",
    tag: "Images",
    access: "key",
    body: { mime: "application/json", schema: NewUploadToken, example: examples.newUploadToken, required: true },
    answers: {
      201: {
        description: "The token, shown this once",
        schema: UploadTokenCreated,
        example: examples.uploadTokenCreated,
      },
    },
    refusals: [400, 413, 415, 422],
    handler: addUploadToken,
  },
  {
    method: "get",
    path: "/temp/:uuid/:name",
    operationId: "downloadResult",
    summary: "Downloads a result while it is in volatile storage.",
    tag: "Images",
    access: "open",
    answers: {
      200: { description: "The image", mime: "image/*" },
      206: { description: "The wanted range of it", mime: "image/*" },
      304: { description: "What the caller has is still right" },
      416: { description: "The wanted range lies outside the image" },
    },
    refusals: [404],
    handler: showTemporary,
  },
];
