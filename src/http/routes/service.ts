/** What is open to everyone. */
import { Health } from "../../contract/response.ts";
import * as examples from "../examples.ts";
import { showDocument, showHealth } from "../handlers/service.ts";
import type { Route } from "../route.ts";

export const service: readonly Route[] = [
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
