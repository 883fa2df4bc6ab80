/** The image and the options of an upload. */
import { ApiError } from "../errors.ts";
import { baseName } from "../files.ts";
import { announcedBytes, dispositionFileName, parseHeaderValue } from "../header.ts";
import { parseJsonObject } from "../json.ts";
import { MAX_BODY_MS, MAX_JSON_BYTES, MAX_MULTIPART_EXTRA_BYTES } from "../limits.ts";
import { MAX_UPLOAD_TOKEN_CHARACTERS } from "../limits/tokens.ts";
import { isolateBudget } from "../scheduler/budget.ts";
import type { Caller } from "../scheduler/caller.ts";
import type { Memory } from "../scheduler/held-bytes.ts";
import { type BodyReader, readerOf } from "./body.ts";
import { gather, type Gatherer, type Room, roomFor } from "./gather.ts";
import { type PartHeaders, readMultipart } from "./multipart.ts";
import type { Original } from "./original.ts";
import type { Sink } from "./window.ts";

export interface Upload {
  readonly original: Original;
  /** The object in the part `data`, not yet judged; empty when there was none. */
  readonly data: object;
}

/** An upload whose terms are those of an upload token. */
export interface Gate {
  /**
   * Asked before room is set aside for the file.
   * @param token the part `token`; undefined when none stands before the file
   * @returns bytes that the file may have
   * @throws ApiError 401 when it is not let in
   */
  readonly admit: (token: string | undefined) => Promise<number>;
}

export interface UploadOptions {
  /** What messages call the file. */
  readonly subject?: string;
  /** Where room is set aside before a byte is read. */
  readonly memory?: Memory;
  /** Who waits for room: asked once that is known. */
  readonly caller?: () => Caller;
  /** Present where the upload comes with an upload token: then there may be no part `data`. */
  readonly gate?: Gate | undefined;
  /** Whether a name is that of a member of `data`: a part of that name is in the wrong place. */
  readonly isMember?: (name: string) => boolean;
}

/** Names of parts that are shown: a part cannot carry other text out. */
const SHOWN = /^[\w.[\]-]{1,64}$/;
/** Names that people give the part with the image. */
const IMAGE_NAMES = /^(?:(?:image|img|photo|picture|pic|upload|media|attachment|blob|files?)s?\d*|file)(?:\[\d*\])?$/i;

/** Encodings of a part that leave its bytes as they are (RFC 2045 section 6.2). */
const IDENTITY = new Set(["binary", "8bit", "7bit", ""]);

/**
 * Reads a multipart upload: the part `file`, and a part `data` with a JSON object before or behind it. Parts without a name
 * are passed over, up to MAX_MULTIPART_EXTRA_BYTES. The file is held once.
 * @param maxBytes of the file
 * @throws ApiError 415 for another Content-Type, 400 for a broken body or `data`, 408 for one that takes too long, 413 for
 *   too many bytes (before they are read), 503 when there is no room for them in time, 422 for a missing, empty or repeated
 *   part, and for one of another name
 */
export async function readUpload(
  request: Request,
  maxBytes: number,
  { subject = "The image", memory = isolateBudget, gate, caller, isMember = () => false }: UploadOptions = {},
): Promise<Upload> {
  const { value, parameters } = parseHeaderValue(request.headers.get("content-type") ?? "");
  if (!value.startsWith("multipart/") || request.body === null) {
    if (value.startsWith("multipart/")) throw new ApiError(400, "The multipart body is missing");
    throw new ApiError(
      415,
      "The request must have a Content-Type of multipart/form-data, or of the image that is its whole body",
    );
  }
  const maxBody = maxBytes + MAX_JSON_BYTES + MAX_MULTIPART_EXTRA_BYTES;
  const announced = announcedBytes(request.headers);
  if (announced !== undefined && announced > maxBody) throw tooLarge(subject, maxBytes);
  let room: Promise<Room> | undefined;
  const roomOf = (limit: number) => (room ??= roomFor(memory, announced, limit + MAX_JSON_BYTES, caller?.()));
  // Who is not known yet gets no room, however much is announced.
  if (!gate) await roomOf(maxBytes);
  const parts = collectParts({ maxBytes, announced, subject, gate, roomOf, isMember });
  const reader = readerOf(request.body, MAX_BODY_MS, request.signal);
  try {
    await readMultipart(bounded(reader.pull, maxBody), parameters.get("boundary") ?? "", parts.open);
    const { bytes, name, data } = await parts.upload();
    const { reservation } = await roomOf(maxBytes);
    reservation.shrink(bytes.buffer.byteLength);
    return { original: { bytes, name, memory: reservation }, data };
  } catch (error) {
    // The place is given back once it is there.
    void room?.then(({ reservation }) => reservation.release()).catch(() => undefined);
    throw error;
  } finally {
    reader.release();
  }
}

/** The chunks of a body, at most `limit` bytes together. */
function bounded(pull: BodyReader["pull"], limit: number): BodyReader["pull"] {
  let length = 0;
  return async () => {
    const chunk = await pull();
    length += chunk?.length ?? 0;
    if (length > limit) throw tooLarge("The request body", limit);
    return chunk;
  };
}

interface Terms {
  readonly maxBytes: number;
  readonly announced: number | undefined;
  readonly subject: string;
  readonly gate: Gate | undefined;
  readonly isMember: (name: string) => boolean;
  /** Sets room aside for a file of so many bytes, once. */
  readonly roomOf: (maxBytes: number) => Promise<Room>;
}

function collectParts({ maxBytes, announced, subject, gate, roomOf, isMember }: Terms) {
  let file: { readonly content: Gatherer; readonly name: string } | undefined;
  let data: Gatherer | undefined;
  const door = gate && doorOf(gate);
  const openFile = async (name: string): Promise<Sink> => {
    const limit = Math.min(maxBytes, (await door?.pass()) ?? maxBytes);
    const whole = limit + MAX_JSON_BYTES + MAX_MULTIPART_EXTRA_BYTES;
    if (announced !== undefined && announced > whole) throw tooLarge(subject, limit);
    const content = gather(limit, announced, () => tooLarge(subject, limit), (await roomOf(limit)).need);
    file = { content, name };
    return content.write;
  };
  const open = (headers: PartHeaders): Sink | undefined | Promise<Sink> => {
    const disposition = headers.get("content-disposition");
    const part = disposition?.parameters.get("name");
    if (part === "token") return door?.token();
    if (disposition === undefined || part === undefined || part === "") return undefined;
    if (part !== "file" && part !== "data") throw misnamed(part, { subject, headers, isMember });
    if (!IDENTITY.has(headers.get("content-transfer-encoding")?.value ?? "")) {
      throw new ApiError(400, `The part ${part} must be sent as it is, without a transfer encoding`);
    }
    if ((part === "file" ? file : data) !== undefined) throw new ApiError(422, `${part} must be given only once`);
    if (part === "data" && door) return door.data();
    if (part === "data") {
      data = gather(MAX_JSON_BYTES, undefined, () => tooLarge("data", MAX_JSON_BYTES));
      return data.write;
    }
    return openFile(baseName(dispositionFileName(disposition) ?? ""));
  };
  const upload = async (): Promise<Pick<Original, "bytes" | "name"> & Pick<Upload, "data">> => {
    await door?.pass();
    const options = parseData(data?.bytes() ?? new Uint8Array(0));
    if (file === undefined) throw new ApiError(422, "file is required");
    const bytes = file.content.bytes();
    if (bytes.length === 0) throw new ApiError(422, "file must not be empty");
    return { bytes, name: file.name, data: options };
  };
  return { open, upload };
}

/** A part that is none of an upload: nothing is passed over in silence. */
function misnamed(
  part: string,
  { subject, headers, isMember }: Pick<Terms, "subject" | "isMember"> & { readonly headers: PartHeaders },
): ApiError {
  const shown = SHOWN.test(part) ? `"${part}"` : "a part of another name";
  if (isMember(part)) return new ApiError(422, `${shown} belongs into data`);
  const isFile =
    dispositionFileName(headers.get("content-disposition") ?? { value: "", parameters: new Map() }) !== undefined ||
    (headers.get("content-type")?.value.startsWith("image/") ?? false);
  const what = subject.replace(/^The/, "the");
  if (isFile || IMAGE_NAMES.test(part)) return new ApiError(422, `${what} must be in the part "file", not ${shown}`);
  return new ApiError(422, `${shown} is not a part of an upload, which has file, data and token`);
}

/** What stands before a file that comes with an upload token. */
function doorOf({ admit }: Gate) {
  let token: Gatherer | undefined;
  let passed: Promise<number> | undefined;
  let hasData = false;
  return {
    token: (): Sink | undefined => {
      if (passed) return undefined;
      if (token) throw new ApiError(422, "token must be given only once");
      token = gather(MAX_UPLOAD_TOKEN_CHARACTERS, undefined, () => tooLarge("token", MAX_UPLOAD_TOKEN_CHARACTERS));
      return token.write;
    },
    data: (): undefined => {
      hasData = true;
      if (passed) throw notWithToken();
    },
    /** The bytes that the file may have. */
    pass: async (): Promise<number> => {
      const limit = await (passed ??= admit(token && new TextDecoder().decode(token.bytes()).trim()));
      if (hasData) throw notWithToken();
      return limit;
    },
  };
}

function notWithToken(): ApiError {
  return new ApiError(422, "data must not be given with an upload token, which says it");
}

/** Clients that want nothing done send no part, an empty one, or an empty object. */
function parseData(bytes: Uint8Array): object {
  const blank = bytes.every((byte) => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d));
  return blank ? {} : parseJsonObject(bytes, "The data field");
}

function tooLarge(subject: string, limit: number): ApiError {
  return new ApiError(413, `${subject} exceeds the maximum size of ${limit} bytes`);
}
