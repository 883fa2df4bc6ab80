/** Notifications and the secret that signs them. */
import { Accepted, WebhookFound, WebhookList, WebhookQuery, WebhookSecret } from "../../contract/webhook.ts";
import * as examples from "../examples.ts";
import * as webhook from "../handlers/webhooks.ts";
import type { Route } from "../route.ts";

export const webhooks: readonly Route[] = [
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
    answers: {
      202: { description: "The notification is on its way", schema: Accepted, example: examples.accepted },
    },
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
