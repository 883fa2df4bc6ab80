/**
 * The entrance for other Workers of the same account: the platform's image binding by RPC. A chain is gathered without a
 * byte of the picture being read; `output` sends it through the door of uploads, in the name of the key of the binding, so that
 * the same limits, prices and refusals hold.
 */
import { RpcTarget } from "cloudflare:workers";

import { drawBody, type DrawOptions, type Pass, passesOf, type Transform, transformBody } from "../delivery/binding.ts";
import { cssColor } from "../delivery/css-color.ts";
import { ApiError } from "../errors.ts";
import type { Encoded } from "../files.ts";
import { INFO_PATH, type PictureInfo } from "../pipeline/info.ts";
import { keepTemporarily, readTemporary, removeTemporary } from "../storage/volatile.ts";

type Bytes = ReadableStream<Uint8Array>;
type Encoding = { readonly encoding?: "base64" } | undefined;

/** What a binding says in its `props`. */
export interface ImagesProps {
  /** The key of the account that pays. */
  readonly key?: string;
}

/** The way into the service. */
export interface Door {
  readonly env: Env;
  readonly props: ImagesProps;
  /**
   * @param drawn pictures that the request lays on its own, by their names in it
   * @param keep takes the result in place of the answer's body: where it fails, so does the request
   */
  readonly enter: (request: Request, drawn: ReadonlyMap<string, Bytes>, keep?: Keep) => Promise<Response>;
  /** Lends memory for so many bytes until it is left; undefined: there is no room. */
  readonly hold: (bytes: number) => Held | undefined;
}

type Keep = (made: Encoded) => Promise<void>;

/** Memory that is lent to whoever may read a result. */
interface Held {
  readonly leave: () => void;
}

/** What `output` takes. */
interface OutputOptions {
  readonly format: string;
  readonly quality?: number;
  readonly background?: string;
  readonly anim?: boolean;
}

const FORMATS: Readonly<Record<string, string>> = {
  "image/jpeg": "jpeg",
  "image/png": "png",
  "image/gif": "gif",
  "image/webp": "webp",
  "image/avif": "avif",
};

/** Codes as the platform documents them, by the status of a refusal. */
const CODES: Readonly<Record<number, number>> = {
  401: 9401,
  403: 9401,
  402: 9422,
  413: 9402,
  415: 9412,
  422: 9401,
  429: 9422,
};
const INTERNAL = 9523;

/** What the binding throws: messages begin as those of the platform do, so that the code survives every runtime. */
class ImagesError extends Error {
  override name = "ImagesError";
  readonly code: number;

  constructor(operation: "INFO" | "TRANSFORM", code: number, message: string) {
    super(`IMAGES_${operation}_ERROR ${code}: ${message}`);
    this.code = code;
  }
}

function told(operation: "INFO" | "TRANSFORM", error: unknown): ImagesError {
  if (error instanceof ImagesError) return error;
  if (error instanceof ApiError) return new ImagesError(operation, CODES[error.status] ?? INTERNAL, error.message);
  return new ImagesError(operation, INTERNAL, "Internal error");
}

/**
 * What is known of a picture without working on it: free, but a request like any other, which is counted.
 * @throws ImagesError
 */
export async function infoOf(door: Door, stream: Bytes, options: Encoding): Promise<PictureInfo> {
  try {
    const headers = { authorization: `Bearer ${keyOf(door)}`, "content-type": "application/octet-stream" };
    const body = plain(stream, options);
    const answer = await door.enter(
      new Request(`https://localhost${INFO_PATH}`, { method: "POST", headers, body }),
      new Map(),
    );
    if (answer.ok) return await answer.json();
    throw new ImagesError("INFO", CODES[answer.status] ?? INTERNAL, await messageOf(answer));
  } catch (error) {
    throw told("INFO", error);
  }
}

/** A request of the API in the name of the binding's key; without one, in that of the key that it has. */
export function ask({ props, enter }: Door, request: Request): Promise<Response> {
  const headers = new Headers(request.headers);
  if (props.key) headers.set("authorization", `Bearer ${props.key}`);
  return enter(new Request(request, { headers }), new Map());
}

function keyOf({ props }: Door): string {
  if (!props.key) throw new ApiError(401, "The binding has no key: its props must be {key}");
  return props.key;
}

/** A picture, and what is to be done with it. */
export class Transformer extends RpcTarget {
  readonly #door: Door;
  readonly #stream: Bytes;
  /** Steps that a request carries out together are one: however often a chain is added to, it holds no more than these. */
  #passes: readonly Pass<Drawn>[] = [];
  /** What the first step that breaks a rule is refused with, when the result is asked for: those after it are not kept. */
  #refusal: unknown;
  #isConsumed = false;

  constructor(door: Door, stream: Bytes, options: Encoding) {
    super();
    this.#door = door;
    this.#stream = plain(stream, options);
  }

  transform(transform: Transform): this {
    return this.#add(() => ({ body: transformBody(transform), drawn: new Map() }));
  }

  draw(image: Drawn, options: DrawOptions = {}): this {
    const id = crypto.randomUUID();
    return this.#add(() => ({ body: drawBody(id, options), drawn: new Map([[id, keptOf(image)]]) }));
  }

  #add(step: () => Pass<Drawn>): this {
    if (this.#refusal !== undefined) return this;
    try {
      this.#passes = passesOf([...this.#passes, step()]);
    } catch (error) {
      this.#refusal = error;
      this.#passes = [];
    }
    return this;
  }

  /** @throws ImagesError */
  async output(options: OutputOptions): Promise<Result> {
    try {
      if (this.#isConsumed) {
        throw new ImagesError("TRANSFORM", 9525, "ImageTransformer consumed; you may only call .output() once");
      }
      this.#isConsumed = true;
      if (this.#refusal !== undefined) throw this.#refusal;
      return await this.#carriedOut(options);
    } catch (error) {
      throw told("TRANSFORM", error);
    }
  }

  async #carriedOut(options: OutputOptions): Promise<Result> {
    const wanted = outputOf(options);
    const passes = passesOf(this.#passes);
    const kept: { result?: Result } = {};
    const keep: Keep = async (made) => {
      kept.result = await Result.of(this.#door, made);
    };
    let stream = this.#stream;
    try {
      for (const [at, pass] of passes.entries()) {
        const own = at === passes.length - 1 ? { members: wanted, keep } : { members: LOSSLESS };
        // oxlint-disable-next-line no-await-in-loop -- each pass works on what the one before has made
        const answer = await this.#sent(stream, { ...pass, ...own });
        stream = answer.body ?? stream;
      }
      if (kept.result) return kept.result;
      throw new Error("The request was answered without its result");
    } catch (error) {
      kept.result?.[Symbol.dispose]();
      throw error;
    }
  }

  async #sent(stream: Bytes, { drawn, body, members, keep }: Sent): Promise<Response> {
    const data = JSON.stringify({ ...body, ...members, response: { mode: "binary", keep: false } });
    const headers = { authorization: `Bearer ${keyOf(this.#door)}`, "content-type": "application/octet-stream" };
    const address = `https://localhost/1.0/upload?data=${encodeURIComponent(data)}`;
    const pictures = new Map<string, Bytes>();
    using results = new DisposableStack();
    for (const [id, image] of drawn) pictures.set(id, await streamOf(image, results));
    const answer = await this.#door.enter(
      new Request(address, { method: "POST", headers, body: stream }),
      pictures,
      keep,
    );
    if (answer.ok) return answer;
    throw new ImagesError("TRANSFORM", CODES[answer.status] ?? INTERNAL, await messageOf(answer));
  }
}

/** A pass, and what else its request says. */
interface Sent extends Pass<Drawn> {
  readonly members: object;
  readonly keep?: Keep;
}

/** What `draw` takes: bytes, or what gives them. */
type Drawn = Bytes | (Pick<Transformer, "output"> & { readonly dup: () => Drawn });

/** What comes with a call is let go when the call is over, unless it is kept. */
function keptOf(image: Drawn): Drawn {
  return "dup" in image ? image.dup() : image;
}

/** The bytes of a picture; where a chain makes it, its result goes with all others. */
async function streamOf(image: Drawn, results: DisposableStack): Promise<Bytes> {
  if (image instanceof ReadableStream) return image;
  const made = await image.output({ format: "image/png" });
  return results.use(made).image();
}

/** What lies between two passes. */
const LOSSLESS = { output: { format: "png" }, optimize: { lossless: true } } as const;

/** @throws ApiError 422 */
function outputOf({ format, quality, background, anim }: OutputOptions): object {
  const name = Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined;
  if (name === undefined) throw new ApiError(422, `format must be one of ${Object.keys(FORMATS).join(", ")}`);
  const color = background === undefined ? undefined : cssColor(background);
  if (background !== undefined && color === undefined) throw new ApiError(422, "background must be a color of CSS");
  return {
    output: { format: name, ...(anim === false && { animation: false }) },
    ...(quality !== undefined && { optimize: { quality } }),
    ...(color !== undefined && { background: { color } }),
  };
}

/** The sentence of a failure: in the body, or in a header where bytes were wanted. */
async function messageOf(answer: Response): Promise<string> {
  const header = [...answer.headers].find(([name]) => name.endsWith("-metadata"))?.[1];
  const text = header ?? (await answer.text());
  try {
    return (JSON.parse(text) as { readonly message: string }).message;
  } catch {
    return "Unexpected error response";
  }
}

/** Seconds for which a result is kept that finds no room in memory: its reader asks for it at once, or hardly ever. */
const KEPT_SECONDS = 3_600;

/**
 * A picture that was made. Its bytes are there for as long as the caller keeps the result, which nobody but the caller
 * knows: in what memory is lent to readers, and where that is lent out already, in the bucket.
 */
export class Result extends RpcTarget {
  readonly #mime: string;
  readonly #read: () => Promise<Uint8Array<ArrayBuffer> | Bytes>;
  readonly #drop: () => void;

  private constructor(mime: string, read: () => Promise<Uint8Array<ArrayBuffer> | Bytes>, drop: () => void) {
    super();
    this.#mime = mime;
    this.#read = read;
    this.#drop = drop;
  }

  /**
   * Keeps what was made.
   * @throws what the bucket throws that has to keep it
   */
  static async of({ env: { BUCKET }, hold }: Door, made: Encoded): Promise<Result> {
    const { bytes, mime } = made;
    const held = hold(bytes.buffer.byteLength);
    if (held) return Result.inMemory(held, bytes, mime);
    const now = Date.now();
    const lease = { baseUrl: "https://localhost", ttlSeconds: KEPT_SECONDS };
    const { url } = await keepTemporarily(BUCKET, lease, made, now);
    if (bytes.buffer instanceof ArrayBuffer) bytes.buffer.transfer(0);
    const read = async () => {
      const object = await readTemporary(BUCKET, url, Date.now());
      if (!object) throw new ImagesError("TRANSFORM", INTERNAL, "The result is not there any more");
      return object.body as Bytes;
    };
    return new Result(mime, read, () => void removeTemporary(BUCKET, url, now).catch(() => undefined));
  }

  private static inMemory(held: Held, bytes: Uint8Array, mime: string): Result {
    let kept: Uint8Array<ArrayBuffer> | undefined = bytes as Uint8Array<ArrayBuffer>;
    const read = async () => {
      if (kept) return kept;
      throw new ImagesError("TRANSFORM", INTERNAL, "The result was given up");
    };
    return new Result(mime, read, () => {
      kept = undefined;
      held.leave();
    });
  }

  contentType(): string {
    return this.#mime;
  }

  async image(options?: Encoding): Promise<Bytes> {
    const made = await this.#found();
    const isText = options?.encoding === "base64";
    if (made instanceof ReadableStream) return isText ? made.pipeThrough(base64Encoder()) : made;
    return new Response(isText ? made.toBase64() : made).body ?? new ReadableStream();
  }

  async response(options: { readonly headers?: HeadersInit } = {}): Promise<Response> {
    const headers = new Headers(options.headers);
    headers.set("content-type", this.#mime);
    return new Response(await this.#found(), { headers });
  }

  /** @throws ImagesError */
  async #found(): Promise<Uint8Array<ArrayBuffer> | Bytes> {
    return this.#read().catch((error: unknown) => Promise.reject(told("TRANSFORM", error)));
  }

  /** Called when nobody holds the result any more. */
  [Symbol.dispose](): void {
    this.#drop();
  }
}

function plain(stream: Bytes, options: Encoding): Bytes {
  return options?.encoding === "base64" ? stream.pipeThrough(base64Decoder()) : stream;
}

/** Bytes as letters of base64, whole groups of three at once. */
function base64Encoder(): TransformStream<Uint8Array, Uint8Array> {
  const text = new TextEncoder();
  let rest = new Uint8Array(0);
  return new TransformStream({
    transform(chunk, controller) {
      const bytes = new Uint8Array(rest.length + chunk.length);
      bytes.set(rest);
      bytes.set(chunk, rest.length);
      const whole = bytes.length - (bytes.length % 3);
      rest = bytes.slice(whole);
      if (whole > 0) controller.enqueue(text.encode(bytes.subarray(0, whole).toBase64()));
    },
    flush(controller) {
      if (rest.length > 0) controller.enqueue(text.encode(rest.toBase64()));
    },
  });
}

/** Letters of base64 as bytes, whole groups of four at once. */
function base64Decoder(): TransformStream<Uint8Array, Uint8Array> {
  const text = new TextDecoder();
  let rest = "";
  const decoded = (letters: string) => Uint8Array.fromBase64(letters);
  return new TransformStream({
    transform(chunk, controller) {
      const letters = rest + text.decode(chunk, { stream: true }).replace(/\s/g, "");
      const whole = letters.length - (letters.length % 4);
      rest = letters.slice(whole);
      if (whole > 0) controller.enqueue(decoded(letters.slice(0, whole)));
    },
    flush(controller) {
      if (rest !== "") controller.enqueue(decoded(rest));
    },
  });
}
