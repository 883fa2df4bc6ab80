/** What an object of S3 has besides its bytes, as headers of the PUT that replaces it. */
import { encodeSegment } from "./path.ts";
import { MARK, type Told } from "./provider.ts";
import type { Answer, Prepare, Session } from "./session.ts";
import { elementsOf, textOf } from "./xml.ts";

/** Headers that an object is served with, and those that say how it lies in the store. */
const SERVED = [
  "cache-control",
  "content-disposition",
  "content-encoding",
  "content-language",
  "content-type",
  "expires",
  "x-amz-server-side-encryption",
  "x-amz-server-side-encryption-aws-kms-key-id",
  "x-amz-server-side-encryption-bucket-key-enabled",
  "x-amz-storage-class",
  "x-amz-website-redirect-location",
];
const METADATA = "x-amz-meta-";

export function toldByS3(answered: Headers): Told {
  return { mark: answered.get(METADATA + MARK) ?? undefined, version: answered.get("etag") ?? undefined };
}

/**
 * @param ask a signed GET of what the query names, of the same object
 * @throws ApiError 422 when the store does not tell the access list or the tags
 */
export async function keptByS3(
  session: Session,
  answered: Headers,
  ask: (query: "acl" | "tagging") => ReturnType<Prepare>,
): Promise<Headers> {
  const kept = new Headers();
  for (const [name, value] of answered) {
    if (SERVED.includes(name) || (name.startsWith(METADATA) && name !== METADATA + MARK)) kept.set(name, value);
  }
  // A store that has neither says so; one that does not let us see them would lose them.
  const [acl, tags] = [await session.send(() => ask("acl")), await session.send(() => ask("tagging"))];
  for (const answer of [acl, tags]) if (!answer.ok && !isUnknown(answer)) throw session.refusal(answer);
  if (acl.ok) for (const [name, value] of grantsIn(acl.text)) kept.set(name, value);
  const tagging = tags.ok ? tagsIn(tags.text) : "";
  if (tagging !== "") kept.set("x-amz-tagging", tagging);
  return kept;
}

/** R2 and others have neither access lists nor tags; S3 itself has no tags where there are none. */
function isUnknown({ status, text }: Answer): boolean {
  return (
    status === 501 || status === 405 || /<Code>(?:NotImplemented|NoSuchTagSet|NoSuchTagSetError)<\/Code>/.test(text)
  );
}

const PERMISSIONS: Readonly<Record<string, string>> = {
  FULL_CONTROL: "full-control",
  READ: "read",
  READ_ACP: "read-acp",
  WRITE_ACP: "write-acp",
};

/** Grants as headers. A list of the owner alone is what a store writes by itself, and what buckets without lists refuse. */
function grantsIn(xml: string): Map<string, string> {
  const owner = textOf(elementsOf(xml, "Owner")[0] ?? "", "ID");
  const grants = elementsOf(xml, "Grant").map((grant) => ({
    id: textOf(grant, "ID"),
    uri: textOf(grant, "URI"),
    permission: PERMISSIONS[textOf(grant, "Permission") ?? ""],
  }));
  const headers = new Map<string, string>();
  if (grants.every(({ id, permission }) => id === owner && permission === "full-control")) return headers;
  for (const { id, uri, permission } of grants) {
    if (permission === undefined || (id ?? uri) === undefined) continue;
    const name = `x-amz-grant-${permission}`;
    const grantee = uri === undefined ? `id="${id}"` : `uri="${uri}"`;
    const known = headers.get(name);
    headers.set(name, known === undefined ? grantee : `${known}, ${grantee}`);
  }
  return headers;
}

function tagsIn(xml: string): string {
  return elementsOf(xml, "Tag")
    .map((tag) => [textOf(tag, "Key") ?? "", textOf(tag, "Value") ?? ""].map(encodeSegment).join("="))
    .join("&");
}
