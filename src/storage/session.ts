/**
 * One upload's talk with a provider: one deadline over all its requests, one repetition of each that failed by no
 * fault of ours, and refusals as public sentences.
 */
import * as v from "valibot";

import { ApiError } from "../errors.ts";
import {
  MAX_STORE_ANSWER_BYTES,
  STORE_FIRST_ATTEMPT_SHARE,
  STORE_RETRY_PAUSE_MS,
  STORE_TIMEOUT_MS,
} from "../limits/stores.ts";
import { readUpTo } from "../read-up-to.ts";
import { withoutEnd } from "../without-end.ts";
import type { Keyfile } from "./keyfile.ts";
import { callProblem, type StorePolicy } from "./policy.ts";

export interface Outgoing {
  readonly url: string;
  readonly method: "GET" | "HEAD" | "POST" | "PUT" | "DELETE";
  readonly headers: Headers;
  readonly body?: BodyInit;
}

export type Prepare = () => Outgoing | Promise<Outgoing>;

/** What a provider said, read to its end. */
export interface Answer {
  readonly status: number;
  readonly ok: boolean;
  readonly headers: Headers;
  /** What was read of the body. Private: never part of a message. */
  readonly text: string;
}

export interface Session {
  /** Where the operator has sent this provider's requests; without a slash at its end. */
  readonly base: string | undefined;
  readonly policy: StorePolicy;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** The saved keyfile that the request names. */
  readonly keyfile: Keyfile | undefined;
  /**
   * Sends what `prepare` makes, afresh for each attempt so that its date and its body are fresh too.
   * @param mostBytes of the answer that are read
   * @throws StoreError when the provider could not be reached, or not in time
   */
  readonly send: (prepare: Prepare, mostBytes?: number) => Promise<Answer>;
  /** The error that tells the caller what the provider answered. */
  readonly refusal: (answer: Answer) => ApiError;
  /** The error for an answer that is no refusal but makes no sense. */
  readonly nonsense: (cause: unknown) => ApiError;
}

export interface SessionOptions {
  /** The provider as the caller spelled it: one of a closed list of words. */
  readonly provider: string;
  readonly base: string | undefined;
  readonly policy: StorePolicy;
  readonly keyfile: Keyfile | undefined;
  /** Texts that must not come back even if the provider repeats them. */
  readonly secrets: readonly string[];
  readonly now?: () => number;
  readonly timeoutMs?: number;
}

/** What a store was refused with, or that it did not answer: whoever has time comes back to one that is overburdened. */
export class StoreError extends ApiError {
  override name = "StoreError";
  /** The status of the store's answer; undefined: there was none. */
  readonly answered: number | undefined;
  /** Seconds that the store asks to be left alone. */
  readonly retrySeconds: number | undefined;

  constructor(message: string, { answer, cause }: { readonly answer?: Answer; readonly cause?: unknown } = {}) {
    super(422, message, { cause });
    this.answered = answer?.status;
    const after = Number(answer?.headers.get("retry-after") ?? "");
    this.retrySeconds = after > 0 ? after : undefined;
  }

  /** The store asks for time, or is not there. */
  get isBusy(): boolean {
    return this.answered === undefined || isOutageStatus(this.answered);
  }

  /** A condition did not hold: S3 and Azure say 412, or 409 while another write is under way. */
  get isConflict(): boolean {
    return this.answered === 412 || this.answered === 409;
  }
}

/** Of those from 500 on, 501 alone says what will be no other later: the store has nothing of the kind. */
function isOutageStatus(status: number): boolean {
  return (status >= 500 && status !== 501) || status === 408 || status === 429;
}

/** Gives `talk` a session that ends when it does. */
export async function withSession<Result>(
  options: SessionOptions,
  talk: (session: Session) => Promise<Result>,
): Promise<Result> {
  const { base, policy, keyfile, now = Date.now, timeoutMs = STORE_TIMEOUT_MS } = options;
  return withTimer(timeoutMs, (deadline) =>
    talk({
      base: base === undefined ? undefined : withoutEnd(base, "/"),
      policy,
      now,
      keyfile,
      send: (prepare, mostBytes = MAX_STORE_ANSWER_BYTES) => {
        const patienceMs = timeoutMs * STORE_FIRST_ATTEMPT_SHARE;
        return sendTwice({ prepare, mostBytes, policy }, options.provider, deadline, patienceMs);
      },
      refusal: (answer) => refusal(answer, options),
      nonsense: (cause) =>
        new ApiError(422, `store: ${options.provider} gave an answer that cannot be read`, { cause }),
    }),
  );
}

/**
 * Aborts work after a time. The timer goes when the work is done: those of AbortSignal.timeout would stay, in
 * thousands.
 */
async function withTimer<Result>(
  milliseconds: number,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), milliseconds);
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
  }
}

interface Ask {
  readonly prepare: Prepare;
  readonly mostBytes: number;
  readonly policy: StorePolicy;
}

async function sendTwice(ask: Ask, provider: string, deadline: AbortSignal, patienceMs: number): Promise<Answer> {
  const first = await withTimer(patienceMs, (patience) => attempt(ask, AbortSignal.any([deadline, patience])));
  if (deadline.aborted || !isOutage(first)) return settled(provider, first);
  await scheduler.wait(STORE_RETRY_PAUSE_MS);
  return settled(provider, await attempt(ask, deadline));
}

function refusal(answer: Answer, { provider, secrets }: SessionOptions): ApiError {
  const code = errorCode(answer);
  const shown = code === undefined || secrets.includes(code) ? "" : ` ${code}`;
  return new StoreError(`store: ${provider} answered ${answer.status}${shown}`, { answer });
}

/**
 * The JSON of a good answer.
 * @throws ApiError 422 when the provider refused, or answered something else
 */
export function readJson<Schema extends v.GenericSchema>(
  session: Session,
  answer: Answer,
  schema: Schema,
): v.InferOutput<Schema> {
  if (!answer.ok) throw session.refusal(answer);
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), schema), answer.text);
  if (!parsed.success) throw session.nonsense(parsed.issues[0].message);
  return parsed.output;
}

/** A request without an answer. */
class Lost {
  readonly cause: unknown;
  readonly late: boolean;

  constructor(cause: unknown, late: boolean) {
    this.cause = cause;
    this.late = late;
  }
}

function isOutage(answer: Answer | Lost): boolean {
  return answer instanceof Lost || isOutageStatus(answer.status);
}

function settled(provider: string, answer: Answer | Lost): Answer {
  if (!(answer instanceof Lost)) return answer;
  const reason = answer.late ? "did not answer in time" : "could not be reached";
  throw new StoreError(`store: ${provider} ${reason}`, { cause: answer.cause });
}

/** Says to a network of one machine that a store is called. The platform ignores names that it does not know. */
const STORE_CALL = { isStore: true };

async function attempt({ prepare, mostBytes, policy }: Ask, signal: AbortSignal): Promise<Answer | Lost> {
  const { url, ...init } = await prepare();
  const problem = callProblem(url, init.method, policy);
  if (problem) throw new ApiError(422, `store ${problem}`);
  try {
    // A redirect is a refusal: credentials and bytes go to the address that was checked and signed, nowhere else.
    const response = await fetch(url, { ...init, redirect: "manual", signal, cf: STORE_CALL });
    return {
      status: response.status,
      ok: response.ok,
      headers: response.headers,
      text: await readText(response, mostBytes),
    };
  } catch (cause) {
    return new Lost(cause, signal.aborted);
  }
}

/** The beginning of a body; what is too long is left unread. */
async function readText(response: Response, mostBytes: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  await readUpTo(response, mostBytes, (piece) => void (text += decoder.decode(piece, { stream: true })));
  return text;
}

/**
 * The word by which providers name an error, in the places where they put it: a header, `<Code>`, or a JSON member.
 * Anything that is not such a word is left out.
 */
function errorCode({ headers, text }: Answer): string | undefined {
  const word =
    headers.get("x-ms-error-code") ??
    /<Code>([^<]*)<\/Code>/.exec(text)?.[1] ??
    /"(?:reason|errorCode|error)"\s*:\s*"([^"]*)"/.exec(text)?.[1] ??
    /^\s*\{\s*"(\w+)"\s*:\s*\{/.exec(text)?.[1];
  return word !== undefined && /^[A-Za-z][A-Za-z0-9_]{1,63}$/.test(word) ? word : undefined;
}
