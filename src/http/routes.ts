/** Every route, one row each. */
import * as admin from "../contract/admin.ts";
import { FetchBody, UploadBody } from "../contract/request.ts";
import { Account, Health, Success } from "../contract/response.ts";
import { Accepted, WebhookFound, WebhookList, WebhookQuery, WebhookSecret } from "../contract/webhook.ts";
import * as examples from "./examples.ts";
import { showAccount } from "./handlers/account.ts";
import * as operator from "./handlers/admin.ts";
import { fetchImage } from "./handlers/fetch.ts";
import { showDocument, showHealth } from "./handlers/service.ts";
import { showTemporary } from "./handlers/temporary.ts";
import { uploadImage } from "./handlers/upload.ts";
import * as webhook from "./handlers/webhooks.ts";
import type { Route } from "./route.ts";

const processed = { description: "The image was processed", schema: Success, example: examples.success } as const;

const accepted = {
  description: "The job was accepted; the answer goes to `webhook.url`",
  schema: Accepted,
  example: examples.accepted,
} as const;

const images: readonly Route[] = [
  {
    method: "post",
    path: "/1.0/fetch",
    operationId: "fetchImage",
    summary: "Fetches an image from a URL, processes and optimizes it.",
    tag: "Images",
    access: "key",
    costsCredit: true,
    body: { mime: "application/json", schema: FetchBody, example: examples.fetchBody, required: true },
    answers: { 200: processed, 202: accepted },
    refusals: [400, 402, 413, 415, 422],
    handler: fetchImage,
  },
  {
    method: "post",
    path: "/1.0/upload",
    operationId: "uploadImage",
    summary: "Takes an image in the part `file`, processes and optimizes it as the part `data` says.",
    tag: "Images",
    access: "key",
    costsCredit: true,
    body: { mime: "multipart/form-data", schema: UploadBody, example: examples.uploadBody, required: true },
    answers: { 200: processed, 202: accepted },
    refusals: [400, 402, 413, 415, 422],
    handler: uploadImage,
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

const account: readonly Route[] = [
  {
    method: "get",
    path: "/1.0/account",
    operationId: "showAccount",
    summary: "Shows the subscription and the credits of the calendar month; tests a key.",
    tag: "Account",
    access: "key",
    answers: { 200: { description: "The account", schema: Account, example: examples.account } },
    refusals: [],
    handler: showAccount,
  },
];

const webhooks: readonly Route[] = [
  {
    method: "get",
    path: "/1.0/webhooks",
    operationId: "listWebhooks",
    summary: "Lists notifications of the last 60 days, newest first.",
    tag: "Webhooks",
    access: "key",
    query: WebhookQuery,
    answers: { 200: { description: "Records", schema: WebhookList, example: examples.webhookList } },
    refusals: [422],
    handler: webhook.listWebhooks,
  },
  {
    method: "get",
    path: "/1.0/webhooks/:id",
    operationId: "showWebhook",
    summary: "Shows one notification: its state, what it carries, every attempt.",
    tag: "Webhooks",
    access: "key",
    answers: { 200: { description: "The record", schema: WebhookFound, example: examples.webhookFound } },
    refusals: [404],
    handler: webhook.showWebhook,
  },
  {
    method: "post",
    path: "/1.0/webhooks/:id/redeliver",
    operationId: "redeliverWebhook",
    summary: "Delivers a notification once more, which has been delivered or has failed.",
    tag: "Webhooks",
    access: "key",
    answers: { 202: { ...accepted, description: "The notification is on its way" } },
    refusals: [404, 422],
    handler: webhook.redeliverWebhook,
  },
  {
    method: "get",
    path: "/1.0/account/webhook-secret",
    operationId: "showWebhookSecret",
    summary: "Shows the secret that signs the account's notifications (Standard Webhooks).",
    tag: "Webhooks",
    access: "key",
    answers: { 200: { description: "The secret", schema: WebhookSecret, example: examples.webhookSecret } },
    refusals: [],
    handler: webhook.showSecret,
  },
  {
    method: "post",
    path: "/1.0/account/webhook-secret",
    operationId: "rotateWebhookSecret",
    summary: "Makes a new secret; for 24 hours notifications carry the signatures of both.",
    tag: "Webhooks",
    access: "key",
    answers: { 200: { description: "The new secret", schema: WebhookSecret, example: examples.webhookSecret } },
    refusals: [],
    handler: webhook.rotateAccountSecret,
  },
];

const administration: readonly Route[] = [
  {
    method: "post",
    path: "/admin/accounts",
    operationId: "addAccount",
    summary: "Opens an account and makes its first key, which is shown this once.",
    tag: "Administration",
    access: "operator",
    body: { mime: "application/json", schema: admin.NewAccount, example: examples.newAccount, required: true },
    answers: {
      201: { description: "Account and key", schema: admin.AccountCreated, example: examples.accountCreated },
    },
    refusals: [400, 413, 415, 422],
    handler: operator.addAccount,
  },
  {
    method: "get",
    path: "/admin/accounts",
    operationId: "listAccounts",
    summary: "Lists accounts, newest first.",
    tag: "Administration",
    access: "operator",
    query: admin.PageQuery,
    answers: { 200: { description: "Accounts", schema: admin.AccountList, example: examples.accountList } },
    refusals: [422],
    handler: operator.showAccounts,
  },
  {
    method: "get",
    path: "/admin/accounts/:id",
    operationId: "findAccount",
    summary: "Shows one account.",
    tag: "Administration",
    access: "operator",
    answers: { 200: { description: "The account", schema: admin.AccountFound, example: examples.accountFound } },
    refusals: [],
    handler: operator.showOneAccount,
  },
  {
    method: "patch",
    path: "/admin/accounts/:id",
    operationId: "changeAccount",
    summary: "Changes the status, plan or credits of an account; holds everywhere within a minute.",
    tag: "Administration",
    access: "operator",
    body: { mime: "application/json", schema: admin.AccountChange, example: examples.accountChange, required: true },
    answers: { 200: { description: "The account", schema: admin.AccountFound, example: examples.accountFound } },
    refusals: [400, 413, 415, 422],
    handler: operator.editAccount,
  },
  {
    method: "post",
    path: "/admin/accounts/:id/keys",
    operationId: "addKey",
    summary: "Makes another key, which is shown this once.",
    tag: "Administration",
    access: "operator",
    body: { mime: "application/json", schema: admin.NewKey, example: examples.newKey, required: false },
    answers: { 201: { description: "The key", schema: admin.KeyCreated, example: examples.keyCreated } },
    refusals: [400, 413, 415, 422],
    handler: operator.addKey,
  },
  {
    method: "get",
    path: "/admin/accounts/:id/keys",
    operationId: "listKeys",
    summary: "Lists the keys of an account by their last characters, newest first.",
    tag: "Administration",
    access: "operator",
    answers: { 200: { description: "Keys", schema: admin.KeyList, example: examples.keyList } },
    refusals: [],
    handler: operator.showKeys,
  },
  {
    method: "delete",
    path: "/admin/accounts/:id/keys/:key",
    operationId: "revokeKey",
    summary: "Revokes a key; holds everywhere within a minute.",
    tag: "Administration",
    access: "operator",
    answers: { 200: { description: "Revoked", schema: admin.KeyDeleted, example: examples.keyDeleted } },
    refusals: [],
    handler: operator.revokeKey,
  },
];

const service: readonly Route[] = [
  {
    method: "get",
    path: "/health",
    operationId: "showHealth",
    summary: "Answers while the Worker runs; asks nothing else.",
    tag: "Service",
    access: "open",
    answers: { 200: { description: "Running", schema: Health, example: examples.health } },
    refusals: [],
    handler: showHealth,
  },
  {
    method: "get",
    path: "/openapi.json",
    operationId: "showDocument",
    summary: "This document.",
    tag: "Service",
    access: "open",
    answers: { 200: { description: "OpenAPI 3.1", mime: "application/json" } },
    refusals: [],
    handler: showDocument,
  },
];

export const ROUTES: readonly Route[] = [...images, ...account, ...webhooks, ...administration, ...service];
