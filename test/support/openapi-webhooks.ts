/** What the API document says of notifications: the request that the service sends. */
import * as examples from "../../src/http/examples.ts";

/** @param answers schemas of what can be posted */
export function notification(answers: readonly object[]): object {
  const header = (name: string, description: string, type = "string") => ({
    name,
    in: "header",
    required: true,
    description,
    schema: { type },
  });
  return {
    operationId: "notify",
    summary: "The answer that the request would have had, posted to `webhook.url` when the work is done.",
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
          schema: { oneOf: answers },
          example: examples.failure,
        },
      },
    },
    responses: { 200: { description: "Any 2xx: it was received. Everything else is tried again." } },
  };
}
