/** A client that holds every answer against what the route table declares for its status. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import * as v from "valibot";
import { assert, inject, TestRunner } from "vitest";

import { Failure } from "../../src/contract/response.ts";
import { createApp } from "../../src/http/app.ts";
import { type Route, refusalsOf } from "../../src/http/route.ts";
import { ROUTES } from "../../src/http/routes.ts";
import { shortPipeline } from "./pipeline.ts";

/** The service in another process that the project `served` asks; elsewhere tests call it themselves. */
export const SERVED = inject("served");

/** What addresses of the service begin with. */
export const BASE = SERVED ?? "https://darkroom.test";

/** Leaves a test out where the service is another process: it looks into the service, or calls it by another name. */
export function needsInside(): void {
  if (SERVED !== undefined) TestRunner.getCurrentTest()?.context.skip("looks into the service");
}

/** An answer that was checked; `body` is its JSON, or in binary mode the JSON of its metadata header. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // oxlint-disable-next-line typescript/no-explicit-any -- checked against the declared schema; tests read members freely
  readonly body: any;
  readonly bytes: Uint8Array;
}

export interface Call {
  readonly key?: string;
  readonly headers?: Record<string, string>;
  readonly json?: unknown;
  readonly body?: BodyInit;
  readonly base?: string;
  readonly env?: Partial<Record<string, unknown>>;
  /** What the platform gives with the request besides. */
  readonly context?: object;
}

/** The service with a pipeline that does not touch pixels, unless another one is given. */
export function apiOf(pipeline = shortPipeline) {
  const app = createApp(pipeline);
  return async (method: string, path: string, call: Call = {}): Promise<Answer> => {
    const headers = new Headers(call.headers);
    if (call.key !== undefined && !headers.has("authorization")) headers.set("authorization", `Bearer ${call.key}`);
    if (call.json !== undefined && !headers.has("content-type")) headers.set("content-type", "application/json");
    const body = call.json === undefined ? call.body : JSON.stringify(call.json);
    const request = new Request((call.base ?? BASE) + path, { method, headers, ...(body !== undefined && { body }) });
    if (SERVED !== undefined) {
      if (pipeline !== shortPipeline || call.base !== undefined || call.env || call.context) needsInside();
      const response = await fetch(new Request(request, { redirect: "manual" }));
      return checkedAnswer(method, path, response, new Uint8Array(await response.arrayBuffer()));
    }
    const context = Object.assign(createExecutionContext(), call.context);
    const response = await app.fetch(request, { ...env, ...call.env }, context);
    const bytes = new Uint8Array(await response.arrayBuffer());
    await waitOnExecutionContext(context);
    return checkedAnswer(method, path, response, bytes);
  };
}

export const api = apiOf();

function routeOf(method: string, path: string): Route | undefined {
  const plain = path.replace(/\?.*$/, "").replace(/\/+$/, "");
  const wanted = method === "HEAD" ? "GET" : method;
  return ROUTES.find((route) => {
    const pattern = new RegExp(`^${route.path.replace(/[.]/g, "\\.").replace(/:\w+/g, "[^/]+")}$`);
    return route.method === wanted.toLowerCase() && pattern.test(plain);
  });
}

function checkedAnswer(method: string, path: string, response: Response, bytes: Uint8Array): Answer {
  const { status, headers } = response;
  const route = routeOf(method, path);
  const where = `${method} ${path} → ${status}`;
  const id = headers.get("x-request-id") ?? "";
  assert.match(id, /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/, `${where}: X-Request-Id`);
  if (route?.access !== "open" && !isOpen(path)) checkRateHeaders(headers, where);
  const metadata = headers.get("x-service-metadata");
  assert.equal(metadata, headers.get("x-service-meta"), `${where}: both names carry the metadata`);
  const isJson = (headers.get("content-type") ?? "").startsWith("application/json");
  const body: unknown =
    metadata !== null ? JSON.parse(metadata) : isJson && bytes.length > 0 ? JSON.parse(decode(bytes)) : undefined;
  if (status >= 400) {
    if (metadata !== null || method === "HEAD") assert.equal(bytes.length, 0, `${where}: a failure has no body`);
    // What is repeated keeps the id that it had.
    const saidId = headers.has("idempotent-replayed") ? (body as { id: string }).id : id;
    if (body !== undefined) checkFailure(body, status, saidId, where);
    else assert.equal(method, "HEAD", `${where}: a failure says why`);
    const declared = route ? refusalsOf(route) : [401, 403, 404, 405, 429, 500, 503];
    assert.include<number>(declared, status, `${where}: the status is declared`);
  } else if (method !== "OPTIONS" && body !== undefined) {
    const answer = route?.answers[status];
    assert.isDefined(answer, `${where}: the status is declared`);
    if (answer?.schema) checkSchema(answer.schema, body, where);
    assert.notProperty(body, "message", `${where}: a success has no message`);
  }
  return { status, headers, body, bytes };
}

function isOpen(path: string): boolean {
  return ROUTES.some((route) => route.access === "open" && path.startsWith(route.path.replace(/:.*$/, "")));
}

function checkRateHeaders(headers: Headers, where: string): void {
  for (const name of ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"]) {
    assert.match(headers.get(name) ?? "", /^\d+$/, `${where}: ${name}`);
  }
}

function checkFailure(body: unknown, status: number, id: string, where: string): void {
  checkSchema(Failure, body, where);
  assert.include(body, { success: false, code: status, id }, where);
}

function checkSchema(schema: v.GenericSchema, body: unknown, where: string): void {
  const { issues } = v.safeParse(schema, body);
  const found = issues?.map((issue) => `${v.getDotPath(issue) ?? ""}: ${issue.message}`).join("; ");
  assert.isUndefined(found, `${where}: the answer fits its schema`);
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
