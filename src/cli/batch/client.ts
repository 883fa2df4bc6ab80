/** One image through the API, as often as it takes. */
import { setTimeout as wait } from "node:timers/promises";

import type { Failure, Processed as Answer, SetSuccess, Success, UploadBody } from "../../clients/api-types.d.ts";
import { bytesOf, textIn } from "./answered.ts";

const ATTEMPTS = 6;
/** A service that is not there at all is a wrong address more often than a restart. */
const ATTEMPTS_TO_REACH = 3;
const FIRST_WAIT_SECONDS = 1;
/** A restart takes less; a service that is back is found soon after. */
const MAX_WAIT_TO_REACH_SECONDS = 60;
/** A rate window lasts a quarter of an hour; whoever asks for more patience is told so. */
export const MAX_WAIT_SECONDS = 1_000;
const TIMEOUT_MS = 300_000;
/** Worth another attempt: the service is busy, also with the attempt before, or the window is full. */
const BUSY = new Set([409, 429, 503]);

/** An answer that is no image, in the words of the API. */
export class ApiFailure extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Nobody answers at the address. */
export class Unreachable extends Error {}

export interface Processed {
  readonly bytes: Uint8Array;
  readonly facts: Success;
}

/** What the service says of a result. */
export type Looks = Pick<Success["output"], "format" | "width" | "height" | "score" | "looks">;

export function looksOf({ format, width, height, score, looks }: Looks): Looks {
  return { format, width, height, ...(score !== undefined && { score }), ...(looks !== undefined && { looks }) };
}

export interface Client {
  /** @throws ApiFailure, or Error when the service cannot be reached */
  readonly process: (name: string, bytes: Uint8Array, body: UploadBody, signal: AbortSignal) => Promise<Processed>;
  /**
   * For a body that wants several results.
   * @throws ApiFailure, or Error when the service cannot be reached
   */
  readonly processSet: (name: string, bytes: Uint8Array, body: UploadBody, signal: AbortSignal) => Promise<SetSuccess>;
  /** What the service says of an image and its result. @throws ApiFailure, or Error when the service cannot be reached */
  readonly describe: (name: string, bytes: Uint8Array, body: UploadBody, signal: AbortSignal) => Promise<Success>;
  /** The bytes of a result by its address. @throws Error when it is not there */
  readonly download: (url: string, signal: AbortSignal) => Promise<Uint8Array>;
}

export interface ClientOptions {
  readonly url: URL;
  readonly key: string;
  /** Waits so many seconds. */
  readonly sleep?: (seconds: number, signal: AbortSignal) => Promise<void>;
  /** Waits for a service that cannot be reached for as long as it takes: whoever watches a folder has time. */
  readonly isPatient?: boolean;
  /** Told before every wait. */
  readonly onWait?: (seconds: number, reason: string) => void;
}

/** A client whose requests all wait when one of them is told to. */
export function createClient({ url, key, sleep = sleepFor, isPatient = false, onWait }: ClientOptions): Client {
  let pause: Promise<void> | undefined;
  const hold = (seconds: number, reason: string, signal: AbortSignal): Promise<void> => {
    if (!pause) onWait?.(seconds, reason);
    pause ??= sleep(seconds, signal).finally(() => (pause = undefined));
    return pause;
  };
  const attempt = (once: string, name: string, bytes: Uint8Array, body: UploadBody, signal: AbortSignal) => {
    const form = new FormData();
    form.set("file", new Blob([bytes as Uint8Array<ArrayBuffer>]), name);
    form.set("data", JSON.stringify(body));
    const patience = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
    const headers = { Authorization: `Bearer ${key}`, "Idempotency-Key": once };
    // A redirect would have the file sent to any address, of this machine, too.
    const init = { method: "POST", body: form, headers, signal: patience, redirect: "manual" } as const;
    return fetch(new URL("1.0/upload", url), init);
  };
  const answered = async (name: string, bytes: Uint8Array, body: UploadBody, signal: AbortSignal) => {
    // An attempt whose answer was lost is not done, or paid, a second time.
    const once = crypto.randomUUID();
    for (let tries = 1; ; tries += 1) {
      await pause;
      const answer = await attempt(once, name, bytes, body, signal).catch((cause: unknown) =>
        unreachable(cause, signal),
      );
      if (answer instanceof Response && !BUSY.has(answer.status)) return answer;
      const seconds = waitOf(answer, tries);
      const attempts = answer instanceof Response ? ATTEMPTS : isPatient ? Infinity : ATTEMPTS_TO_REACH;
      const failure = await failureOf(answer);
      if (tries >= attempts || seconds > MAX_WAIT_SECONDS) throw failure;
      await hold(seconds, failure.message, signal);
    }
  };
  return {
    process: async (name, bytes, body, signal) =>
      processedOf(await answered(name, bytes, { ...body, response: { mode: "binary" } }, signal)),
    processSet: async (name, bytes, body, signal) => {
      const answer = await answered(name, bytes, body, signal);
      const said = await saidBy(answer);
      if ("outputs" in said) return said;
      throw new ApiFailure(answer.status, `HTTP ${answer.status}`);
    },
    describe: async (name, bytes, body, signal) => {
      const answer = await answered(name, bytes, body, signal);
      const said = await saidBy(answer);
      if ("output" in said) return said;
      throw new ApiFailure(answer.status, `HTTP ${answer.status}`);
    },
    download: async (address, signal) => {
      const answer = await fetch(address, { signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]) });
      if (!answer.ok) throw new Error(`A result could not be downloaded: HTTP ${answer.status}`);
      return bytesOf(answer);
    },
  };
}

/** What an answer of JSON says. @throws ApiFailure where that is a refusal */
async function saidBy(answer: Response): Promise<Answer> {
  const said = parsed(await textIn(answer)) as Answer | Failure | undefined;
  if (answer.ok && said?.success) return said;
  throw new ApiFailure(answer.status, said && !said.success ? said.message : `HTTP ${answer.status}`);
}

function unreachable(cause: unknown, signal: AbortSignal): Error {
  signal.throwIfAborted();
  return new Unreachable("The service cannot be reached", { cause });
}

/** Seconds: as told by `Retry-After`, else doubled with every attempt. */
export function waitOf(answer: Response | Error, tries: number): number {
  const told = answer instanceof Response ? answer.headers.get("retry-after") : null;
  if (told === null) return Math.min(FIRST_WAIT_SECONDS * 2 ** (tries - 1), MAX_WAIT_TO_REACH_SECONDS);
  const seconds = /^\d+$/.test(told) ? Number(told) : (Date.parse(told) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.max(seconds, 0) : FIRST_WAIT_SECONDS;
}

async function processedOf(answer: Response): Promise<Processed> {
  const facts = metadataOf(answer.headers);
  if (!answer.ok || !facts?.success) throw await failureOf(answer);
  return { bytes: await bytesOf(answer), facts };
}

/** Before the service has read which mode is wanted, a refusal is JSON in the body; then it is in a header. */
export async function failureOf(answer: Response | Error): Promise<Error> {
  if (answer instanceof Error) return answer;
  const text = await textIn(answer).catch(() => "");
  const facts = metadataOf(answer.headers) ?? parsed(text);
  return new ApiFailure(answer.status, facts && !facts.success ? facts.message : `HTTP ${answer.status}`);
}

/** In binary mode everything but the image is in a header, whose name begins as the operator wants. */
function metadataOf(headers: Headers): Success | Failure | undefined {
  const [, value] = [...headers].find(([name]) => /^x-.+-metadata$/.test(name)) ?? [];
  return value === undefined ? undefined : parsed(value);
}

function parsed(text: string): Success | Failure | undefined {
  try {
    return JSON.parse(text) as Success | Failure;
  } catch {
    return undefined; // something between us and the service wrote it
  }
}

/** Ends with an error where the signal does. */
export async function sleepFor(seconds: number, signal: AbortSignal): Promise<void> {
  await wait(seconds * 1000, undefined, { signal });
}
