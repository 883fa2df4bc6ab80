/** Processing of an image at a URL. */
import { FetchBody, parseBody } from "../../contract/request.ts";
import { expectWork } from "../caller.ts";
import type { AppContext } from "../context.ts";
import { once } from "../idempotency.ts";
import { readJson } from "../json-body.ts";
import { noteMode, processImage, refuseBinaryWith } from "./processing.ts";

/** POST /1.0/fetch */
export async function fetchImage(c: AppContext): Promise<Response> {
  const body = await readJson(c);
  expectWork(c, body);
  noteMode(c, body);
  refuseBinaryWith(c, body, ["webhook", "store", "outputs", "srcset"]);
  return once(c, body, undefined, async () => {
    const { url, headers = {}, ...processing } = parseBody(FetchBody, body);
    return processImage(c, { kind: "fetch", url, headers }, processing);
  });
}
