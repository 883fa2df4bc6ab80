/** What the API document says of notifications: the request that the service sends. */
import { BatchEnded } from "../../src/contract/batch-record.ts";
import { BudgetAlert } from "../../src/contract/budget-alert.ts";
import { batchEnded } from "../../src/http/batch-examples.ts";
import * as examples from "../../src/http/examples.ts";

/** Schemas of what is posted for no request. */
export const POSTED = { BatchEnded, BudgetAlert };

/**
 * @param answers schemas of what is posted for a request
 * @param schemaOf how the document says a schema
 */
export function webhooksOf<Schema extends object>(
  answers: readonly Schema[],
  schemaOf: (schema: Schema | typeof BatchEnded | typeof BudgetAlert) => object,
): object {
  const notification = posted({
    operationId: "notify",
    summary: "The answer that the request would have had, posted to `webhook.url` when the work is done.",
    schema: { oneOf: answers.map(schemaOf) },
    example: examples.failure,
  });
  const ofBatch = posted({
    operationId: "notifyOfBatch",
    summary: "A batch that is done, has failed or was canceled, posted to its `webhook.url` once.",
    schema: schemaOf(BatchEnded),
    example: batchEnded,
  });
  const ofBudget = posted({
    operationId: "notifyOfBudget",
    summary: "80 or 100 percent of an account's budget are spent, posted to its `alerts.webhook` once for each.",
    schema: schemaOf(BudgetAlert),
    example: examples.budgetAlert,
  });
  return { notification: { post: notification }, batchEnded: { post: ofBatch }, budgetAlert: { post: ofBudget } };
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
