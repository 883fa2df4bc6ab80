/** Processing of an image that the request carries. */
import { isRequestMember, UploadBody, parseBody } from "../../contract/request.ts";
import { MAX_SOURCE_BYTES } from "../../limits.ts";
import { dataOf, isRaw, readRaw } from "../../source/raw.ts";
import { type Gate, readUpload, type Upload } from "../../source/upload.ts";
import { callerOf, expectWork } from "../caller.ts";
import type { AppContext } from "../context.ts";
import { once } from "../idempotency.ts";
import { refuseAnonymous } from "../rate-limit.ts";
import { noteMode, processImage, refuseBinaryWith } from "./processing.ts";

/** POST /1.0/upload */
export async function uploadImage(c: AppContext): Promise<Response> {
  const { original, data: sent } = await read(c).catch(
    // Whose token was not read before the request was refused is counted by address.
    (error: unknown) => (c.var.admission ? Promise.reject(error) : refuseAnonymous(c, error)),
  );
  try {
    const data = c.var.grant?.data ?? sent;
    noteMode(c, data);
    refuseBinaryWith(c, data, ["webhook", "store", "outputs", "srcset"]);
    return await once(c, data, original.bytes, () =>
      processImage(c, { kind: "upload", original }, parseBody(UploadBody, data)),
    );
  } finally {
    original.memory.release();
  }
}

/** The parts of a form, or the image alone. */
async function read(c: AppContext): Promise<Upload> {
  const { raw } = c.req;
  const caller = () => callerOf(c);
  const { grant, door } = c.var;
  if (isRaw(raw.headers)) {
    const data = dataOf(new URL(raw.url).searchParams);
    expectWork(c, grant?.data ?? data);
    return readRaw(raw, { caller, grantedBytes: grant && (grant.maxBytes ?? MAX_SOURCE_BYTES), data });
  }
  // Who comes with a token in the body is let in by that.
  if (!door) expectWork(c, grant?.data);
  return readUpload(raw, MAX_SOURCE_BYTES, { gate: gateOf(c), isMember: isRequestMember, caller });
}

/** An upload with a token is what that says; undefined with a key. */
function gateOf(c: AppContext): Gate | undefined {
  const { door, grant } = c.var;
  if (!door && !grant) return undefined;
  return { admit: async (token) => ((await door?.(token)) ?? grant)?.maxBytes ?? MAX_SOURCE_BYTES };
}
