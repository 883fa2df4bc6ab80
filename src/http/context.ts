/** What travels with a request, declared once. */
import type { Context } from "hono";

import type { Account } from "../account/accounts.ts";
import type { Budget } from "../account/budgets.ts";
import { databaseNamed } from "../account/databases.ts";
import type { Spent, TakenWithReceipt } from "../account/metered.ts";
import { type Remembering, sealedCacheAt } from "../account/sealed-cache.ts";
import type { UploadGrant } from "../account/upload-tokens.ts";
import { vaultOf } from "../account/vault.ts";
import type { Failure, Processed } from "../contract/response.ts";
import type { Accepted } from "../contract/webhook.ts";
import type { Settings } from "../env.ts";
import type { Pipeline } from "../pipeline/edges.ts";
import type { Caller } from "../scheduler/caller.ts";
import type { JobLimits } from "../scheduler/job-limits.ts";

export interface Admission extends TakenWithReceipt {
  /** The meter that counted the request. */
  readonly meter: string;
  /** The id of the key that was used; undefined without a valid one. */
  readonly key: string | undefined;
  /** Credits that the lease stands for; absent: one. */
  readonly credits?: number;
  /** Credits that the key may reserve on one day; absent: any. */
  readonly dailyLimit?: number | undefined;
  /** The request is one of those that the meter is told of together. */
  readonly isShared?: true;
  /** The name of the request's receipt, when it may be sent again under an `Idempotency-Key`. */
  readonly receipt?: string | undefined;
}

/** The work of a request with an `Idempotency-Key` that began. */
interface Begun {
  /** Which request it is. */
  readonly fingerprint: string;
}

interface Variables {
  /** UUID v4: in the answer, the log and the notification. */
  id: string;
  settings: Settings;
  pipeline: Pipeline;
  /** The way in, for requests that are parts of this one. */
  enter: (request: Request) => Promise<Response>;
  /** The caller wants bytes in the body and everything else in headers, as far as is known by now. */
  binary: boolean;
  /** Who is calling; absent on paths that need no key. */
  account: Account | undefined;
  /** The size of the account's database, as the key's look-up knows it. */
  databaseBytes: number | undefined;
  /** What bounds the account beside its plan. */
  budget: Budget | undefined;
  /** What the meter says, awaited before the body is read; absent on paths that are not counted. */
  admission: Promise<Admission> | undefined;
  /** What the meter was asked before it was sure who is calling, as JSON. */
  countedAhead: string | undefined;
  /**
   * Lets in who sends an upload token in the body; present where nothing else says who calls.
   * @throws ApiError 401 without a token that is good, and what a request of its account is refused with
   */
  door: ((token: string | undefined) => Promise<UploadGrant>) | undefined;
  /** What the upload token of the request allows; absent with a key. */
  grant: UploadGrant | undefined;
  /** The page that may read the answer. */
  reader: string | undefined;
  /** The request was counted as one without a known key. */
  anonymousClient: boolean | undefined;
  /**
   * Bytes of a processed image, before and after, and its results, if they are several: what credits were spent for.
   */
  processed: Omit<Spent, "key"> | undefined;
  /** The answer is an earlier result, which costs nothing. */
  isReused: boolean | undefined;
  /** The claim of a request with `reuse` on the work that it may do. */
  claim: string | undefined;
  /** What the answer says. */
  said: Processed | Failure | Accepted | undefined;
  /** Absent where the work did not begin, or the request has no `Idempotency-Key`. */
  begun: Begun | undefined;
  /** What the job of this request may take, and has taken; absent where none was begun. */
  jobLimits: JobLimits | undefined;
  /** The request as one of those who share the isolate; absent until it asks for memory. */
  caller: Caller | undefined;
  /** Another isolate has answered: headers, counts and the line in the log are its own. */
  isElsewhere: boolean | undefined;
  /** The pattern of the matched path, for the log. */
  route: string;
  /** What went wrong on our side, for the log. */
  failure: unknown;
}

export interface AppEnv {
  Bindings: Env;
  Variables: Variables;
}

export type AppContext = Context<AppEnv>;

/** The account that is calling, on a route whose access is `key`. */
export function accountOf(c: AppContext): Account {
  const { account } = c.var;
  if (!account) throw new Error(`${c.var.route} is mounted without a key`);
  return account;
}

/** The id of the key that is calling, on a route whose access is `key`. */
export async function keyIdOf(c: AppContext): Promise<string> {
  const key = (await c.var.admission)?.key;
  if (key === undefined) throw new Error(`${c.var.route} is mounted without a key`);
  return key;
}

/**
 * The database that holds the records of the account that is calling.
 * @throws ApiError 503 when the deployment has lost it
 */
export function recordsOf(c: AppContext): D1Database {
  return databaseNamed(c.env, accountOf(c).database);
}

/** The address of the service, to which the data center that answers keeps what isolates leave for each other. */
export function baseOf({ req, var: { settings } }: AppContext): string {
  return settings.baseUrl ?? new URL(req.url).origin;
}

/** Where what the database says is remembered for other isolates. */
export function rememberingOf(c: AppContext): Remembering {
  const cache = sealedCacheAt(baseOf(c), vaultOf(c.var.settings.vaultKeys));
  return { cache, defer: (work) => c.executionCtx.waitUntil(work) };
}

export type Handler = (c: AppContext) => Promise<Response> | Response;
