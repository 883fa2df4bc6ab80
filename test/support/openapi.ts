/** The API document, made from the route table and the schemas it names. */
import { type ConversionConfig, type JsonSchema, toJsonSchema, toJsonSchemaDefs } from "@valibot/to-json-schema";
import type * as v from "valibot";

import * as admin from "../../src/contract/admin.ts";
import * as agents from "../../src/contract/agents.ts";
import * as assets from "../../src/contract/assets.ts";
import { BatchRecord } from "../../src/contract/batch-record.ts";
import * as batches from "../../src/contract/batches.ts";
import * as deliveries from "../../src/contract/deliveries.ts";
import { AddressExplained } from "../../src/contract/explanation.ts";
import { OutputEntry, Outputs, Srcset } from "../../src/contract/outputs.ts";
import { FetchBody, UploadBody } from "../../src/contract/request.ts";
import * as response from "../../src/contract/response.ts";
import * as signers from "../../src/contract/signers.ts";
import { Similar, SimilarList } from "../../src/contract/similar.ts";
import { NewUploadToken, UploadTokenCreated } from "../../src/contract/upload-tokens.ts";
import { DeliveryUsage, UsageList, UsageRecord } from "../../src/contract/usage.ts";
import * as webhook from "../../src/contract/webhook.ts";
import { saidOf } from "../../src/error-words.ts";
import * as examples from "../../src/http/examples.ts";
import { type Answer, type Route, refusalsOf } from "../../src/http/route.ts";
import { ROUTES } from "../../src/http/routes.ts";
import { OPERATIONS } from "../../src/image/operations.ts";
import { Optimize, Output } from "../../src/image/plan/output.ts";
import type { OperationRow } from "../../src/image/steps/operation.ts";
import { MAX_IDEMPOTENCY_KEY_CHARACTERS } from "../../src/limits/accounts.ts";
import { Store } from "../../src/storage/providers.ts";
import { POSTED, webhooksOf } from "./openapi-webhooks.ts";

type Json = Readonly<Record<string, unknown>>;

const REFUSALS: Readonly<Record<number, string>> = {
  400: "The body is not JSON, not an object, or broken multipart",
  401: "The key is missing or unknown",
  402: "No credits are left in this calendar month",
  403: "Plain HTTP, or a suspended account",
  404: "There is nothing here",
  408: "The body arrived too slowly",
  409: "A request with the same Idempotency-Key is being processed",
  412: "`If-Match` or `If-Unmodified-Since` is about another version",
  413: "More bytes than the limit",
  415: "Another Content-Type than expected, or no supported image",
  416: "The picture does not have the bytes that `Range` names",
  422: "A member breaks a rule, or the image or its origin stands in the way; the message names it",
  429: "Too many requests in this window",
  500: "Our fault",
  502: "The origin refused or failed",
  503: "No capacity right now",
  504: "The origin took too long",
};

const operations = Object.entries<OperationRow>(OPERATIONS);

/** Every schema that the document names; the others are written where they are used. */
const SCHEMAS: Readonly<Record<string, v.GenericSchema>> = {
  FetchBody,
  UploadBody,
  NewUploadToken,
  UploadTokenCreated,
  ...Object.fromEntries(operations.map(([name, row]) => [pascalCase(name), row.params])),
  Output,
  Optimize,
  Store,
  OutputEntry,
  Outputs,
  Srcset,
  Processed: response.Processed,
  Success: response.Success,
  SetSuccess: response.SetSuccess,
  SetOutput: response.SetOutput,
  Input: response.InputMetadata,
  Result: response.OutputMetadata,
  Analysis: response.AnalysisAnswers,
  Failure: response.Failure,
  Account: response.Account,
  UsageRecord,
  DeliveryUsage,
  UsageList,
  Similar,
  SimilarList,
  Health: response.Health,
  Webhook: webhook.Webhook,
  Accepted: webhook.Accepted,
  WebhookRecord: webhook.WebhookRecord,
  WebhookFound: webhook.WebhookFound,
  WebhookList: webhook.WebhookList,
  WebhookSecret: webhook.WebhookSecret,
  NewAsset: assets.NewAsset,
  NewConnector: assets.NewConnector,
  NewSigner: signers.NewSigner,
  Trust: signers.Trust,
  ConnectorChange: assets.ConnectorChange,
  WatermarkRecord: assets.WatermarkRecord,
  WatermarkCreated: assets.WatermarkCreated,
  WatermarkFound: assets.WatermarkFound,
  WatermarkList: assets.WatermarkList,
  KeyfileRecord: assets.KeyfileRecord,
  KeyfileCreated: assets.KeyfileCreated,
  KeyfileFound: assets.KeyfileFound,
  KeyfileList: assets.KeyfileList,
  ConnectorRecord: assets.ConnectorRecord,
  SignerRecord: signers.SignerRecord,
  ConnectorCreated: assets.ConnectorCreated,
  ConnectorFound: assets.ConnectorFound,
  ConnectorList: assets.ConnectorList,
  SignerCreated: signers.SignerCreated,
  SignerFound: signers.SignerFound,
  SignerList: signers.SignerList,
  TrustFound: signers.TrustFound,
  AssetDeleted: assets.AssetDeleted,
  NewBatch: batches.NewBatch,
  BatchRecord,
  BatchAccepted: batches.BatchAccepted,
  BatchFound: batches.BatchFound,
  BatchChanged: batches.BatchChanged,
  BatchList: batches.BatchList,
  FailureList: batches.FailureList,
  DuplicateList: batches.DuplicateList,
  ...POSTED,
  NewDelivery: deliveries.NewDelivery,
  DeliveryChange: deliveries.DeliveryChange,
  DeliveryRecord: deliveries.DeliveryRecord,
  DeliveryCreated: deliveries.DeliveryCreated,
  DeliveryFound: deliveries.DeliveryFound,
  DeliveryList: deliveries.DeliveryList,
  DeliveryDeleted: deliveries.DeliveryDeleted,
  DeliverySigning: deliveries.DeliverySigning,
  DeliveryPurged: deliveries.DeliveryPurged,
  AddressExplained,
  Purge: deliveries.Purge,
  RpcMessage: agents.RpcMessage,
  RpcAnswer: agents.RpcAnswer,
  NewAccount: admin.NewAccount,
  AccountChange: admin.AccountChange,
  NewKey: admin.NewKey,
  SelfTest: admin.SelfTest,
  AccountRecord: admin.AccountRecord,
  AccountCreated: admin.AccountCreated,
  AccountFound: admin.AccountFound,
  AccountList: admin.AccountList,
  KeyRecord: admin.KeyRecord,
  KeyCreated: admin.KeyCreated,
  KeyList: admin.KeyList,
  KeyDeleted: admin.KeyDeleted,
  VaultResealed: admin.VaultResealed,
};

const NAMES = new Map(Object.entries(SCHEMAS).map(([name, schema]) => [schema, name]));

/** OpenAPI 3.1. */
export function openApi(): Json {
  return {
    openapi: "3.1.0",
    info: {
      title: "Darkroom",
      version: "1.0",
      summary: "Image optimization and transformation",
      description:
        "Send an image or its URL with the wanted operations; get metadata and the URL of the optimized result. " +
        "Trailing slashes are accepted everywhere. In binary mode (`response.mode` is `binary`, or the request " +
        "header `X-Service-Binary` is `1`) the body is the image, the JSON is in the header `X-Service-Metadata`, " +
        "and a failure has no body. `Service` stands for the operator's `SERVICE_NAME`.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/", description: "This service" }],
    tags: [
      { name: "Images", description: "Processing, and the results" },
      { name: "Deliveries", description: "Pictures by address: what addresses may ask for" },
      { name: "Batches", description: "Whole buckets: every picture, in place or beside it" },
      { name: "Saved assets", description: "Watermarks, keyfiles and connectors, named by id in requests" },
      { name: "Account", description: "What a key belongs to" },
      { name: "Agents", description: "Tools for programs that are led by a language model" },
      { name: "Administration", description: "For the operator, with the token `ADMIN_TOKEN`" },
      { name: "Webhooks", description: "Notifications: what was sent, how it was received, and how they are signed" },
      { name: "Service", description: "About the service itself" },
    ],
    security: [{ basic: [] }, { bearer: [] }],
    paths: pathsOf(ROUTES),
    webhooks: webhooksOf(WEBHOOK_ANSWERS, schemaOf),
    components: {
      securitySchemes: {
        basic: { type: "http", scheme: "basic", description: "The API key as user name, an empty password" },
        bearer: { type: "http", scheme: "bearer", description: "The API key" },
        uploadToken: {
          type: "http",
          scheme: "bearer",
          description: "A token of `POST /1.0/upload-tokens`, here or as the part `token` before the part `file`",
        },
        operator: { type: "http", scheme: "bearer", description: "The operator's token" },
      },
      headers: HEADERS,
      responses: Object.fromEntries(Object.entries(REFUSALS).map(([status, text]) => [status, refusal(status, text)])),
      schemas: schemas(),
    },
  };
}

const whole = { type: "integer", minimum: 0 };
const HEADERS = {
  "X-Request-Id": { description: "The id of the request", schema: { type: "string", format: "uuid" } },
  "X-RateLimit-Limit": { description: "Requests allowed in the current window", schema: whole },
  "X-RateLimit-Remaining": { description: "Requests left in the current window", schema: whole },
  "X-RateLimit-Reset": { description: "Seconds until the window ends", schema: whole },
  "Retry-After": { description: "Seconds to wait", schema: whole },
  "WWW-Authenticate": { description: "The accepted schemes", schema: { type: "string" } },
  "Server-Timing": {
    description:
      "Of a processed image: `fetch`, `decode`, `operations`, `encode`, `store` and `total`, in milliseconds",
    schema: { type: "string" },
  },
  "Idempotent-Replayed": {
    description: "`true`: the answer to an earlier request with the same `Idempotency-Key`",
    schema: { type: "string" },
  },
  "X-Service-Metadata": { description: "In binary mode: the JSON, compact and ASCII", schema: { type: "string" } },
};

function headers(...names: (keyof typeof HEADERS)[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** What is posted to the address of `webhook.url`. */
const WEBHOOK_ANSWERS = [response.Success, response.SetSuccess, response.Failure];

const RATE = ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"] as const;

function pathsOf(routes: readonly Route[]): Json {
  const paths = Map.groupBy(routes, (route) => route.path.replace(/:(\w+)/g, "{$1}"));
  return Object.fromEntries(
    [...paths].map(([path, rows]) => [path, Object.fromEntries(rows.map((row) => [row.method, operationOf(row)]))]),
  );
}

function operationOf(route: Route): Json {
  const parameters = [
    ...pathParameters(route.path),
    ...queryParameters(route.query),
    ...(route.isRepeatable ? [IDEMPOTENCY_KEY] : []),
  ];
  return {
    operationId: route.operationId,
    summary: route.summary,
    tags: [route.tag],
    ...(route.access === "open" && { security: [] }),
    ...(route.access === "operator" && { security: [{ operator: [] }] }),
    ...(route.takesUploadTokens && { security: [{ basic: [] }, { bearer: [] }, { uploadToken: [] }] }),
    ...(parameters.length > 0 && { parameters }),
    ...(route.body && { requestBody: requestBody(route.body, route.takesUploadTokens) }),
    responses: {
      ...Object.fromEntries(Object.entries(route.answers).map(([status, answer]) => [status, answerOf(route, answer)])),
      ...Object.fromEntries(refusalsOf(route).map((status) => [status, { $ref: `#/components/responses/${status}` }])),
    },
  };
}

const IDEMPOTENCY_KEY = {
  name: "Idempotency-Key",
  in: "header",
  description: "A request that is sent again with the same key within 24 hours is answered as before, at no cost",
  schema: { type: "string", pattern: "^[!-~]+$", minLength: 1, maxLength: MAX_IDEMPOTENCY_KEY_CHARACTERS },
};

function answerOf(route: Route, { description, schema, example, mime }: Answer): Json {
  const names = route.access === "open" ? (["X-Request-Id"] as const) : (["X-Request-Id", ...RATE] as const);
  const content = {
    ...(schema && { "application/json": { schema: schemaOf(schema), example } }),
    ...(mime && { [mime]: { schema: mime.startsWith("image/") ? bytesOf(mime) : { type: "object" } } }),
  };
  return {
    description,
    headers: headers(
      ...names,
      ...(route.costsCredit ? (["Server-Timing", "X-Service-Metadata"] as const) : []),
      ...(route.isRepeatable ? (["Idempotent-Replayed"] as const) : []),
    ),
    ...(Object.keys(content).length > 0 && { content }),
  };
}

function bytesOf(mime: string): Json {
  return { type: "string", format: "binary", contentMediaType: mime };
}

function refusal(status: string, description: string): Json {
  const further: (keyof typeof HEADERS)[] =
    status === "401" ? ["WWW-Authenticate"] : status === "429" || status === "503" ? ["Retry-After"] : [];
  return {
    description,
    headers: headers("X-Request-Id", ...RATE, "X-Service-Metadata", ...further),
    content: {
      "application/json": {
        schema: schemaOf(response.Failure),
        example: {
          success: false,
          id: examples.failure.id,
          code: Number(status),
          message: description,
          ...saidOf(Number(status), description),
        },
      },
    },
  };
}

const UPLOAD_TOKEN = {
  type: "string",
  description: "An upload token, before the part `file`, in place of the Authorization header; then without `data`",
};

function requestBody({ mime, schema, example, required }: NonNullable<Route["body"]>, takesTokens = false): Json {
  if (mime === "application/json") return { required, content: { [mime]: { schema: schemaOf(schema), example } } };
  const form = {
    type: "object",
    required: ["file"],
    properties: {
      ...(takesTokens && { token: UPLOAD_TOKEN }),
      file: bytesOf("application/octet-stream"),
      data: schemaOf(schema),
    },
  };
  const encoding = { data: { contentType: "application/json" } };
  return {
    required,
    content: { [mime]: { schema: form, encoding, example: { file: "the bytes of harbor.jpg", data: example } } },
  };
}

function pathParameters(path: string): Json[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: PARAMETERS[name ?? ""] ?? { type: "string", format: "uuid" },
  }));
}

/** Path parameters that are no UUID. */
const PARAMETERS: Readonly<Record<string, Json>> = {
  name: { type: "string" },
  asset: { type: "string", pattern: "^[A-Za-z0-9]{10}$" },
};

function queryParameters(query: v.GenericSchema | undefined): Json[] {
  if (!query) return [];
  const { properties = {}, required = [] } = toJsonSchema(query, CONVERSION);
  const isNeeded = (name: string) => required.includes(name) && { required: true };
  return Object.entries(properties).map(([name, schema]) => ({ name, in: "query", ...isNeeded(name), schema }));
}

function schemaOf(schema: v.GenericSchema): Json {
  const name = NAMES.get(schema);
  if (name === undefined) throw new Error("A route uses a schema that the document does not name");
  return { $ref: `#/components/schemas/${name}` };
}

// Rules that JSON Schema cannot say are left out of the document; they are in the messages.
const CONVERSION = {
  typeMode: "input",
  target: "draft-2020-12",
  errorMode: "ignore",
  overrideSchema: ({ jsonSchema }) => withoutDefault(jsonSchema),
} as const satisfies ConversionConfig;

/**
 * The schema with its default as `x-default`, or undefined where it has none. Generators of clients take a member with a
 * `default` for one that is always there, so a request without it would not compile.
 */
function withoutDefault({ default: preset, ...rest }: JsonSchema): JsonSchema | undefined {
  return preset === undefined ? undefined : ({ ...rest, "x-default": preset } as JsonSchema);
}

function schemas(): Json {
  const converted = toJsonSchemaDefs(SCHEMAS, {
    ...CONVERSION,
    overrideRef: ({ referenceId }) => `#/components/schemas/${referenceId}`,
  });
  const described = operations.map(([name, row]) => {
    const aliases = (row.aliases ?? []).map((alias) => ` Also accepted as \`${alias}\`.`).join("");
    return [pascalCase(name), { description: row.summary + aliases, ...converted[pascalCase(name)] }] as const;
  });
  return { ...converted, ...Object.fromEntries(described) };
}

function pascalCase(name: string): string {
  return name.slice(0, 1).toUpperCase() + name.slice(1);
}
