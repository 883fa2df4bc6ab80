/**
 * Lists of objects as S3 has them: ListObjectsV2, which goes on behind the last name that was read, so that a list may rest
 * for days and no token of it can end.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html
 */
import { MAX_LIST_ANSWER_BYTES } from "../limits/stores.ts";
import { encodeSegment } from "./path.ts";
import { type ListAsk, type ListedObject, type Listing, listingBy } from "./provider.ts";
import type { Prepare, Session } from "./session.ts";
import { elementsOf, textOf } from "./xml.ts";

/** The query of a part of a list. Every character that has to be is %XX: a signature is over it as it is sent. */
export function listQuery({ prefix, cursor, limit }: ListAsk): string {
  const members = {
    "encoding-type": "url",
    "list-type": "2",
    "max-keys": String(limit),
    prefix,
    ...(cursor !== undefined && { "start-after": cursor }),
  };
  return Object.entries(members)
    .map(([name, value]) => `${name}=${encodeSegment(value)}`)
    .join("&");
}

/**
 * Asks for a part of a list, and reads it.
 * @throws ApiError 422 when the store refuses, or answers something else
 */
export async function listedByS3(session: Session, prepare: Prepare): Promise<Listing> {
  const answer = await session.send(prepare, MAX_LIST_ANSWER_BYTES);
  if (!answer.ok) throw session.refusal(answer);
  const isMore = textOf(answer.text, "IsTruncated");
  // An answer that was cut short would leave names out, or halve one.
  const isWhole = answer.text.includes("</ListBucketResult>");
  if (!isWhole || (isMore !== "true" && isMore !== "false")) throw session.nonsense("no list of objects");
  // A store that does not know the member answers with names as they are.
  const isEncoded = textOf(answer.text, "EncodingType") === "url";
  const objects = elementsOf(answer.text, "Contents").map((element) => objectIn(session, element, isEncoded));
  return listingBy(session, objects, isMore === "true");
}

function objectIn(session: Session, element: string, isEncoded: boolean): ListedObject {
  const name = textOf(element, "Key") ?? "";
  const bytes = Number(textOf(element, "Size") ?? 0);
  try {
    return { key: isEncoded ? decodeURIComponent(name.replaceAll("+", " ")) : name, bytes };
  } catch (cause) {
    throw session.nonsense(cause);
  }
}
