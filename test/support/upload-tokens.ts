/** Upload tokens, made and sent with pictures. */
import type { Pipeline } from "../../src/pipeline/edges.ts";
import { type Answer, api, apiOf, type Call } from "./api.ts";
import { shortPipeline } from "./pipeline.ts";

/** Asks for a token with a key. */
export const makeToken = (key: string, json: unknown): Promise<Answer> =>
  api("POST", "/1.0/upload-tokens", { key, json });

export const uploadToken = async (key: string, json: unknown = {}): Promise<string> =>
  (await makeToken(key, json)).body.token;

export interface Sending extends Call {
  readonly pipeline?: Pipeline;
  readonly parts?: readonly (readonly [string, string | File])[];
}
export const FILE = ["file", new File(["picture"], "a.png")] as const;

/** Sends the token as Bearer. */
export function upload(
  token: string,
  { pipeline = shortPipeline, parts = [FILE], ...call }: Sending = {},
): Promise<Answer> {
  const body = new FormData();
  for (const [name, value] of parts) body.append(name, value);
  const headers = { ...(token !== "" && { authorization: `Bearer ${token}` }), ...call.headers };
  return apiOf(pipeline)("POST", "/1.0/upload", { body, ...call, headers });
}

/** Sends the token as the first part of the form. */
export const uploadForm = (token: string, { parts = [FILE], ...sending }: Sending = {}): Promise<Answer> =>
  upload("", { ...sending, parts: [["token", token], ...parts] });

/** Every way to send one. */
export const WAYS = [
  ["as Bearer", upload],
  ["as a part of the form", uploadForm],
] as const;
