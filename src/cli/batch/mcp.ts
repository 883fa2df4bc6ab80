/**
 * The Model Context Protocol over standard input and output, one message a line: the service's own tools, which take files
 * of this machine, too. Messages are the service's to answer; only what names a file is carried out here, by an upload.
 */
import { readFile, realpath, stat } from "node:fs/promises";
import { basename, dirname, join, parse, resolve } from "node:path";
import type { Readable, Writable } from "node:stream";

import { facesIn, MAX_SHOWN_BYTES, PREVIEW, SHOWN_FORMATS, USUAL_ANALYSES } from "../../agent-pictures.ts";
import type { Success, UploadBody } from "../../clients/api-types.d.ts";
import { MAX_JSON_BYTES, MAX_SOURCE_BYTES } from "../../limits.ts";
import { resultName, textIn } from "./answered.ts";
import type { Client } from "./client.ts";
import { exists, isIn, place } from "./files.ts";

type Json = Readonly<Record<string, unknown>>;

interface Tool {
  readonly name: string;
  readonly inputSchema: { readonly properties: Json; readonly required?: readonly string[] };
}

interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Json;
}

interface Content {
  readonly data: Json;
  readonly picture?: { readonly bytes: Uint8Array; readonly mimeType: string } | undefined;
}

const META = "io.modelcontextprotocol/";
/** Error codes of JSON-RPC. */
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
const INTERNAL_ERROR = -32_603;

const PATH = { type: "string", description: "A file on this machine, in place of url" };
/** What tools take besides when they are called from this machine. */
const LOCAL_MEMBERS: Readonly<Record<string, Json>> = {
  optimize_image: {
    path: PATH,
    save_as: {
      type: "string",
      description: "With path: the new file for the result; else beside it as name-optimized. Nothing is replaced.",
    },
  },
  describe_image: { path: PATH },
};

/** What an agent is told of a call that came to nothing. */
class Refusal extends Error {}

export interface Desk {
  readonly url: URL;
  readonly key: string;
  /** Sends files. */
  readonly client: Client;
  /** Files in these folders alone are read and written. */
  readonly folders: readonly string[];
}

/** Answers messages until the input ends. */
export async function serveAgents(desk: Desk, input: Readable, output: Writable, signal: AbortSignal): Promise<void> {
  const answer = createAnswering(desk, signal);
  const running = new Set<Promise<void>>();
  for await (const line of linesOf(input, signal)) {
    if (line?.trim() === "") continue;
    const work = answer(line).then((said) => {
      if (said !== undefined) output.write(`${JSON.stringify(said)}\n`);
    });
    running.add(work);
    void work.finally(() => running.delete(work));
  }
  await Promise.all(running);
}

/**
 * The lines of an input until it ends, or the signal is aborted: undefined for one that is longer than a message may be, of
 * which nothing is kept.
 */
async function* linesOf(input: Readable, signal: AbortSignal): AsyncGenerator<string | undefined> {
  const stop = (): void => void input.destroy();
  signal.addEventListener("abort", stop);
  let line: string | undefined = "";
  try {
    for await (const text of input.setEncoding("utf8") as AsyncIterable<string>) {
      for (const [index, part] of text.split("\n").entries()) {
        if (index > 0) {
          yield line;
          line = "";
        }
        line = line === undefined || line.length + part.length > MAX_JSON_BYTES ? undefined : line + part;
      }
    }
    yield line;
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** What answers one line; undefined where nothing is to be said. */
function createAnswering(desk: Desk, signal: AbortSignal): (line: string | undefined) => Promise<Json | undefined> {
  let tools: readonly Tool[] | undefined;
  const toolsOf = async (): Promise<readonly Tool[]> => {
    tools ??= toolsIn(await forwarded(desk, { jsonrpc: "2.0", id: 0, method: "tools/list" } as Message, signal));
    return tools;
  };
  const answered = async (message: Message): Promise<Json | undefined> => {
    const { method, params = {} } = message;
    if (method === "tools/list") return withPaths(await forwarded(desk, message, signal));
    const args = params["arguments"] as Json | undefined;
    if (method !== "tools/call" || args?.["path"] === undefined) return forwarded(desk, message, signal);
    return { jsonrpc: "2.0", id: message.id, result: inEnvelope(params, await called(params, await toolsOf())) };
  };
  const called = async ({ name, arguments: args }: Json, known: readonly Tool[]): Promise<Json> => {
    try {
      const { data, picture } = await carriedOut(desk, name, args as Json, known, signal);
      const image = picture && {
        type: "image",
        data: Buffer.from(picture.bytes).toString("base64"),
        mimeType: picture.mimeType,
      };
      const text = { type: "text", text: JSON.stringify(data) };
      return { content: [text, ...(image ? [image] : [])], structuredContent: data };
    } catch (error) {
      return {
        content: [{ type: "text", text: error instanceof Error ? error.message : String(error) }],
        isError: true,
      };
    }
  };
  return async (line) => {
    if (line === undefined) {
      const tooLong = `A message has at most ${MAX_JSON_BYTES} characters`;
      return { jsonrpc: "2.0", id: null, error: { code: INVALID_REQUEST, message: tooLong } };
    }
    let message: Message | undefined;
    try {
      message = JSON.parse(line) as Message;
    } catch {
      return { jsonrpc: "2.0", id: null, error: { code: PARSE_ERROR, message: "The line is not valid JSON" } };
    }
    if (typeof message !== "object" || message === null || Array.isArray(message)) {
      return { jsonrpc: "2.0", id: null, error: { code: INVALID_REQUEST, message: "The line is not one message" } };
    }
    return answered(message).catch((error: unknown) => {
      if (message.id === undefined) return undefined;
      const words = error instanceof Error ? error.message : String(error);
      return { jsonrpc: "2.0", id: message.id, error: { code: INTERNAL_ERROR, message: words } };
    });
  };
}

/**
 * What the service answers to a message.
 * @throws Error in its words, or when it cannot be reached
 */
async function forwarded({ url, key }: Desk, message: Message, signal: AbortSignal): Promise<Json | undefined> {
  const meta = (message.params?.["_meta"] ?? {}) as Json;
  const version = meta[`${META}protocolVersion`];
  const name = message.method === "tools/call" ? message.params?.["name"] : undefined;
  // Revisions with an envelope want it mirrored in headers.
  const mirrored = { "MCP-Protocol-Version": version, "Mcp-Method": message.method, "Mcp-Name": name };
  const headers = Object.entries(version === undefined ? {} : mirrored).filter(
    ([, value]) => typeof value === "string",
  );
  const answer = await fetch(new URL("mcp", url), {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      ...(Object.fromEntries(headers) as Record<string, string>),
    },
    body: JSON.stringify(message),
    redirect: "manual",
    signal,
  }).catch((cause: unknown) => {
    throw new Error(`The service at ${url.origin} cannot be reached`, { cause });
  });
  const text = await textIn(answer);
  if (text === "") return undefined;
  const said = JSON.parse(text) as Json;
  if (said["jsonrpc"] === "2.0") return said;
  throw new Error(typeof said["message"] === "string" ? said["message"] : `HTTP ${answer.status}`);
}

function toolsIn(said: Json | undefined): readonly Tool[] {
  return ((said?.["result"] as Json | undefined)?.["tools"] ?? []) as readonly Tool[];
}

/** The service's list of tools, with what they take from this machine. */
function withPaths(said: Json | undefined): Json | undefined {
  const result = said?.["result"] as Json | undefined;
  if (!said || !result) return said;
  const tools = toolsIn(said).map((tool) => {
    const members = LOCAL_MEMBERS[tool.name];
    if (!members) return tool;
    const { properties, required = [], ...rest } = tool.inputSchema;
    const inputSchema = {
      ...rest,
      properties: { ...properties, ...members },
      required: required.filter((name) => name !== "url"),
    };
    return { ...tool, inputSchema };
  });
  return { ...said, result: { ...result, tools } };
}

/** A result as the revision of its request wants it. */
function inEnvelope(params: Json, result: Json): Json {
  const meta = (params["_meta"] ?? {}) as Json;
  return meta[`${META}protocolVersion`] === undefined ? result : { resultType: "complete", ...result };
}

/** A call that names a file. @throws Error that says why it came to nothing */
async function carriedOut(
  desk: Desk,
  name: unknown,
  args: Json,
  tools: readonly Tool[],
  signal: AbortSignal,
): Promise<Content> {
  const { path, save_as: saveAs, show = false, url, ...rest } = args;
  const own = LOCAL_MEMBERS[String(name)];
  const tool = tools.find((one) => one.name === name);
  if (!own || !tool) throw new Refusal("This tool takes no path");
  const known = { ...tool.inputSchema.properties, ...own };
  const unknown = Object.keys(args).find((member) => !Object.hasOwn(known, member));
  if (unknown !== undefined) throw new Refusal(`${unknown} is not a known parameter`);
  if (url !== undefined) throw new Refusal("url and path cannot both be given");
  if (typeof path !== "string") throw new Refusal("path must be a text");
  if (saveAs !== undefined && typeof saveAs !== "string") throw new Refusal("save_as must be a text");
  const original = await withinFolders(desk, path);
  const bytes = await readFile(original);
  if (name === "describe_image") return described(desk, original, bytes, rest, show === true, signal);
  if (rest["srcset"] !== undefined) {
    if (saveAs !== undefined) throw new Refusal("save_as is for one result; those of srcset are named by their URLs");
    const { success: _, code: __, ...data } = await desk.client.processSet(basename(original), bytes, rest, signal);
    return { data };
  }
  if (saveAs !== undefined) await refuseTaken(await newWithinFolders(desk, saveAs));
  const { bytes: result, facts } = await desk.client.process(basename(original), bytes, rest, signal);
  const beside = join(
    dirname(original),
    `${parse(original).name}-optimized${parse(resultName(facts.output.name)).ext}`,
  );
  const target = await newWithinFolders(desk, saveAs ?? beside);
  await refuseTaken(target);
  await place(target, result, false);
  const { success: _, code: __, ...data } = facts;
  return { data: { ...data, file: target }, picture: show === true ? shown(facts, result) : undefined };
}

async function described(
  { client }: Desk,
  path: string,
  file: Uint8Array,
  { analyze = USUAL_ANALYSES }: Json,
  show: boolean,
  signal: AbortSignal,
): Promise<Content> {
  const body = { ...PREVIEW, analyze: analyze as NonNullable<UploadBody["analyze"]> };
  const { bytes, facts } = await client.process(basename(path), file, body, signal);
  const { id, input, output, analysis } = facts;
  const preview = { width: output.width, height: output.height, bytes: output.bytes };
  const data = { id, image: input, analysis: { ...analysis, ...facesIn(facts) }, preview };
  return { data, picture: show ? shown(facts, bytes) : undefined };
}

function shown({ output }: Success, bytes: Uint8Array): Content["picture"] {
  const mimeType = SHOWN_FORMATS.get(output.format);
  return mimeType === undefined || bytes.length > MAX_SHOWN_BYTES ? undefined : { bytes, mimeType };
}

/** The file behind a path. @throws Refusal when it is not there, or outside the folders */
async function withinFolders(desk: Desk, path: string): Promise<string> {
  const real = await realpath(resolve(path)).catch(() => {
    throw new Refusal("There is no file at path");
  });
  if (await isServed(desk, dirname(real))) {
    const about = await stat(real);
    // Reading a pipe would not end, and a folder is none either.
    if (!about.isFile()) throw new Refusal("path must be a file");
    if (about.size > MAX_SOURCE_BYTES) throw new Refusal(`The file has more than ${MAX_SOURCE_BYTES} bytes`);
    return real;
  }
  throw new Refusal("The file is outside the folders that this server was started with");
}

/** Where a new file goes. @throws Refusal when its folder is not there, or outside the folders */
async function newWithinFolders(desk: Desk, path: string): Promise<string> {
  // A file system that cannot ask for a name says that nothing is there.
  if (path.includes("\0")) throw new Refusal("save_as must be the name of a file");
  const folder = await realpath(dirname(resolve(path))).catch(() => {
    throw new Refusal("There is no folder for save_as");
  });
  if (await isServed(desk, folder)) return join(folder, basename(path));
  throw new Refusal("save_as is outside the folders that this server was started with");
}

/** Whether a folder, by its real path, is one of those that the server was started with, or inside one. */
async function isServed({ folders }: Desk, folder: string): Promise<boolean> {
  const served = await Promise.all(folders.map((one) => realpath(one)));
  return served.some((one) => isIn(folder, one));
}

/** @throws Refusal when something is there: before an image is paid for */
async function refuseTaken(path: string): Promise<void> {
  if (await exists(path)) throw new Refusal(`${basename(path)} exists: name another file with save_as`);
}
