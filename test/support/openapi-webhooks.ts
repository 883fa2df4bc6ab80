/** What the API document says of notifications: the request that the service sends. */
import { batchEnded } from "../../src/http/batch-examples.ts";
import * as examples from "../../src/http/examples.ts";

/** @param answers schemas of what is posted for a request, and `ended` of what is posted for a batch */
export function webhooksOf(answers: readonly object[], ended: object): object {
  const notification = posted({
    operationId: "notify",
    summary: "The answer that the request would have had, posted to `webhook.url` when the work is done.",
    schema: { oneOf: answers },
    example: examples.failure,
  });
  const ofBatch = posted({
    operationId: "notifyOfBatch",
    summary: "A batch that is done, has failed or was canceled, posted to its `webhook.url` once.",
    schema: ended,
    example: batchEnded,
  });
  return { notification: { post: notification }, batchEnded: { post: ofBatch } };
}

interface Posted {
  readonly operationId: string;
  readonly summary: string;
  readonly schema: object;
  readonly example: object;
}

function posted({ operationId, summary, schema, example }: Posted): object {
  const header = (name: string, description: string, type = "string") => ({
    name,
    in: "header",
    required: true,
    description,
    schema: { type },
  });
  return {
    operationId,
    summary,
    tags: ["Webhooks"],
    security: [],
    parameters: [
      header("webhook-id", "The id of the request, the same in every attempt"),
      header("webhook-timestamp", "Seconds since 1970 of this attempt", "integer"),
      header("webhook-signature", "`v1,` and the HMAC-SHA256 in base64 of id, timestamp and body, joined by dots"),
    ],
    requestBody: {
      required: true,
      content: {
        "application/json": {
          schema,
          example,
        },
      },
    },
    responses: { 200: { description: "Any 2xx: it was received. Everything else is tried again." } },
  };
}
