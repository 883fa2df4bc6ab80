/** The API document, against the route table and the schemas that it is made from. */
import * as v from "valibot";
import { describe, expect, it } from "vitest";

// oxlint-disable-next-line import/default -- the text of the file
import imageUrl from "../../src/clients/image-url.js?raw";
import { DELIVERY_FORMATS } from "../../src/contract/deliveries.ts";
import { Failure } from "../../src/contract/response.ts";
import * as examples from "../../src/http/examples.ts";
import { ROUTES } from "../../src/http/routes.ts";
import { FORMATS } from "../../src/image/formats.ts";
import { apiOperations, apiTypes, extensions } from "../support/api-types.ts";
import { api } from "../support/api.ts";
import { openApi } from "../support/openapi.ts";

/** `npm run openapi` writes the file anew. */
it("is what the route table and the schemas say", async () => {
  await expect(`${JSON.stringify(openApi(), null, 2)}\n`).toMatchFileSnapshot("../../src/http/openapi.json");
});

it("is what the route table and the schemas say, as types for clients", async () => {
  await expect(apiTypes(openApi())).toMatchFileSnapshot("../../src/clients/api-types.d.ts");
  await expect(apiOperations(openApi())).toMatchFileSnapshot("../../src/clients/operations.js");
  await expect(extensions(FORMATS)).toMatchFileSnapshot("../../src/cli/extensions.ts");
});

it("is what the route table and the schemas say, as formats of addresses for clients", async () => {
  const names = ["auto", ...DELIVERY_FORMATS, "json"].map((name) => `"${name}"`).join(" | ");
  const line = ` * @property {${names} | undefined} [format]`;
  const text = imageUrl.replace(/^ \* @property \{.*\} \[format\]$/m, line);
  await expect(text).toMatchFileSnapshot("../../src/clients/image-url.js");
});

it("is served as it is, to any page", async () => {
  const { body, headers } = await api("GET", "/openapi.json");
  expect(body).toEqual(openApi());
  expect(headers.get("access-control-allow-origin")).toBe("*");
});

it("names every operation once", () => {
  expect(new Set(ROUTES.map((route) => route.operationId)).size).toBe(ROUTES.length);
});

describe.each(ROUTES)("the examples of $operationId", ({ body, answers }) => {
  it("fit their schemas", () => {
    const pairs = [body, ...Object.values(answers)].flatMap((one) => (one?.schema ? [one] : []));
    for (const { schema, example } of pairs) expect(v.is(schema as v.GenericSchema, example)).toBe(true);
  });
});

it("has an example of a failure that fits its schema", () => {
  expect(v.is(Failure, examples.failure)).toBe(true);
});

it("describes what is posted to webhooks", () => {
  const { webhooks } = openApi() as unknown as {
    webhooks: {
      notification: {
        post: {
          parameters: readonly { name: string }[];
          requestBody: { content: { "application/json": { schema: { oneOf: readonly { $ref: string }[] } } } };
        };
      };
    };
  };
  const { parameters, requestBody } = webhooks.notification.post;
  expect(parameters.map(({ name }) => name)).toEqual(["webhook-id", "webhook-timestamp", "webhook-signature"]);
  const schemas = requestBody.content["application/json"].schema.oneOf.map(({ $ref }) => $ref.split("/").at(-1));
  expect(schemas).toEqual(["Success", "SetSuccess", "Failure"]);
});
