/**
 * The stable words of failures. Sentences may be put better; a word, once it was given out under `/1.0/`, stays. What is
 * said of a member ("resize.width must be …") has the member's path and one of the rules below as its word, so that a
 * program can branch on both; everything else has a word of its own.
 */
import { BUDGET_WORDS } from "./budget-words.ts";
import { type ErrorRow, RULES } from "./error-rules.ts";
import { STORE_WORDS } from "./store-words.ts";

/** The sentences of several results name the result first. */
const OF_RESULT = /^((?:outputs|srcset)\.?[\w.-]*)(?:, ([\w-]+))?: (.+)$/s;
/** A member's path, and what is said of it. */
const OF_MEMBER = /^([a-z][\w-]*(?:\.[\w-]+)*|Idempotency-Key|Range)( .+)$/s;

/** Words of their own, in the order in which sentences are looked at; the last one of a status takes what is left. */
export const WORDS = {
  "request.json": {
    statuses: [400],
    says: /JSON/,
    cause: "The body, or the part `data`, is no JSON object.",
    cure: "Send an object, with `Content-Type: application/json`; look for a comma or a quote too many.",
  },
  "request.cut": {
    statuses: [400],
    says: /cut short/,
    cause: "The connection ended before the body did.",
    cure: "Send it again.",
  },
  "request.multipart": {
    statuses: [400],
    cause: "The multipart body is broken or missing.",
    cure: "Let the library write `Content-Type`, which must name the boundary; do not set it by hand.",
  },
  "token.invalid": {
    statuses: [401],
    says: /upload token/,
    cause: "The upload token is unknown, has ended, or has been used as often as it may be.",
    cure: "Make a new one: `POST /1.0/upload-tokens`.",
  },
  "key.invalid": {
    statuses: [401],
    cause: "There is no API key in the request, or none that is known.",
    cure: "Send it as `Authorization: Bearer <key>`, or as the user name of Basic. A key that was just revoked or made holds everywhere within a minute.",
  },
  ...BUDGET_WORDS,
  "credits.exhausted": {
    statuses: [402],
    cause: "The account has no credits left in this calendar month.",
    cure: "`GET /1.0/account` shows them; the operator raises them with `PATCH /admin/accounts/<id>` and `credits_total`.",
  },
  "https.required": {
    statuses: [403],
    says: /^HTTPS/,
    cause: "The request came over plain HTTP.",
    cure: "Use `https://`.",
  },
  "address.refused": {
    statuses: [403],
    says: /^This address/,
    cause:
      "The delivery does not allow this address: the signature is wrong or missing, or an unsigned address asks for a width, a format or a member that `unsigned` does not list, or for an original outside of `sources`. Visitors are told no more.",
    cure: "[Why a picture is 403](#why-a-picture-is-403) goes through the reasons.",
  },
  "host.refused": {
    statuses: [403],
    says: /^This service/,
    cause: "A service on your machine was called by a name that is not the machine's, or by a page of another host.",
    cure: "Name the host in `ALLOWED_HOSTS`.",
  },
  "key.scope": {
    statuses: [403],
    says: /^This key/,
    cause: "The key is for agents, which call `POST /mcp` and nothing else.",
    cure: "Use a key of the kind `api`.",
  },
  "account.suspended": {
    statuses: [403],
    says: /suspended/,
    cause: "The operator has suspended the account.",
    cure: "Ask the operator; `PATCH /admin/accounts/<id>` with `status` opens it again.",
  },
  "page.refused": {
    statuses: [403],
    cause:
      "A page calls this from a site that may not: the upload token is for others, or the address for no page at all.",
    cure: "List the page's origin in `origins` of the token, or call from a server.",
  },
  "original.missing": {
    statuses: [404],
    says: /original/,
    cause: "The delivery is there, the original is not.",
    cure: "Look at the source of the address, at `sources`, and whether the original can be opened.",
  },
  "address.ended": {
    statuses: [404],
    says: /has ended/,
    cause: "The address was good until a time that has passed.",
    cure: "Make a new one.",
  },
  "resource.missing": {
    statuses: [404],
    cause: "Nothing has this path or this id, or it belongs to another account, or a temporary result has ended.",
    cure: "Look at path and id; keep results in a [store](stores.md) that are to stay.",
  },
  "method.unknown": {
    statuses: [405],
    cause: "The path is there, the method is not.",
    cure: "The header `Allow` lists what there is.",
  },
  "request.slow": {
    statuses: [408],
    cause: "The body took too long to arrive.",
    cure: "Send it again over a better connection, or give the URL of the image instead.",
  },
  "idempotency.running": {
    statuses: [409],
    cause: "The first request with this `Idempotency-Key` is still worked on.",
    cure: "Wait as `Retry-After` says, and send it again.",
  },
  "condition.failed": {
    statuses: [412],
    cause: "`If-Match` or `If-Unmodified-Since` is about another version of the picture.",
    cure: "Ask without it, or take the new version.",
  },
  "image.bytes": {
    statuses: [413],
    says: /^Image|^The (?:image|watermark|file)/,
    cause: "The image has more bytes than are taken.",
    cure: "[Limits](limits.md) has the numbers. Save it as JPEG with a high quality first, or make it smaller.",
  },
  "request.size": {
    statuses: [413],
    cause: "The request has more bytes than are taken, without the image.",
    cure: "Leave out what is not needed; the image belongs into the part `file`.",
  },
  "request.type": {
    statuses: [415],
    says: /Content-Type/,
    cause: "The body has another type than this path takes.",
    cure: "`multipart/form-data` for uploads, or the type of the image that is the whole body; `application/json` for everything else.",
  },
  "image.format": {
    statuses: [415],
    cause: "The file is no image, or in a format that is not read.",
    cure: "[Formats](formats.md) lists what is read. A page of HTML behind the URL of an image is the usual reason.",
  },
  "range.outside": {
    statuses: [416],
    cause: "`Range` names bytes that the picture does not have.",
    cure: "Ask for the whole of it.",
  },
  "request.depth": {
    statuses: [422],
    says: /nested/,
    cause: "The JSON has more levels than any request needs.",
    cure: "Take a level out.",
  },
  "idempotency.reused": {
    statuses: [422],
    says: /^Idempotency-Key was used/,
    cause: "Another request was sent with this `Idempotency-Key` within 24 hours.",
    cure: "A new key, such as a UUID, for every picture.",
  },
  "account.full": {
    statuses: [422],
    says: /^(?:An account|A bucket) has at most/,
    cause: "The account has as many of these as it may have.",
    cure: "Delete what is not used any more.",
  },
  "notification.gone": {
    statuses: [422],
    says: /^A notification can be/,
    cause: "The notification is too old to be sent again.",
    cure: "Send the request again.",
  },
  "notification.pending": {
    statuses: [422],
    says: /^The notification is still/,
    cause: "The notification has not been delivered yet, nor given up.",
    cure: "Wait for it.",
  },
  "vault.unopened": {
    statuses: [422],
    says: /VAULT_KEY/,
    cause: "Secrets were sealed with a key that is not in `VAULT_KEY` any more.",
    cure: "[Changing keys](keys.md).",
  },
  "origin.failed": {
    statuses: [422, 502],
    says: /^Unable to fetch|^Profile pictures|origin refused/,
    cause: "Where the image is fetched from did not answer with an image: the message says how.",
    cure: "Open the URL without being logged in. It must be public, by name, http or https; `headers` can carry a password.",
  },
  ...STORE_WORDS,
  "outputs.cost": {
    statuses: [422],
    says: /(?:more memory than there is|more processor time|together take more bytes)/,
    cause: "All results together take more memory or time than one request may have.",
    cure: "Ask for fewer, or smaller ones, or send two requests.",
  },
  "result.size": {
    statuses: [422],
    says: /^The result must|^GIF holds/,
    cause: "The result would have more pixels than its format, or the service, can write.",
    cure: "A smaller `resize`, or another `output.format`.",
  },
  "result.unwritable": {
    statuses: [422],
    says: /cannot be written|too many colors for GIF/,
    cause: "The result cannot be written in this format: it is too large or too complex for it.",
    cure: "A smaller `resize`, or another `output.format`.",
  },
  "image.size": {
    statuses: [422],
    says: /^The .*(?:must have at most|is too large|has too many (?:tiles|components)|combination of operations|memory to decode)/,
    cause: "The image has more pixels, frames, layers or parts than can be worked on in the memory of an isolate.",
    cure: "[Limits](limits.md) has the numbers. Ask for a smaller result, for JPEG or WebP, or make the original smaller.",
  },
  "image.complex": {
    statuses: [422],
    says: /takes too long|too much|too many|too deep|too detailed|over too many steps|too large to be drawn/,
    cause:
      "The file asks for more work than one image may have. Nearly always it is a drawing (SVG) with very many parts.",
    cure: "Make the drawing simpler (svgo), or ask for a smaller result.",
  },
  "image.unsupported": {
    statuses: [422],
    says: /not supported|cannot be read|without a merged picture|has more than 16|unsupported subsampling/,
    cause: "The format is read, but not this variant of it.",
    cure: "Save it in the usual way: 8 bits, one picture, RGB.",
  },
  "image.damaged": {
    statuses: [422],
    says: /^The (?:image|animation|[A-Z].* file)/,
    cause: "The file is damaged or cut short.",
    cure: 'Upload it again: a transfer that broke off is the usual reason. `input.damaged: "show"` decodes what is left of a JPEG.',
  },
  "request.rule": {
    statuses: [422],
    cause: "The request breaks a rule, which the message names.",
    cure: "Change the request as the message says.",
  },
  "rate.anonymous": {
    statuses: [429],
    says: /without a signature|refus/,
    cause: "Callers without a key, or addresses without a signature, have asked for too much that is new.",
    cure: "Sign the addresses, raise `unsigned.finals_per_hour`, or wait as `Retry-After` says.",
  },
  "rate.failures": {
    statuses: [429],
    says: /^Failed requests/,
    cause: "Requests of the account failed that took much processor time.",
    cure: "Look at what failed: the same damaged file over and over is the usual reason.",
  },
  "rate.day": {
    statuses: [429],
    says: /daily limit|a day/,
    cause: "The key or the account has done what it may in a day (UTC).",
    cure: "Wait for the next day, or ask the operator for more.",
  },
  "rate.exceeded": {
    statuses: [429],
    cause: "More requests than the window takes.",
    cure: "Wait as `Retry-After` says; `X-RateLimit-Remaining` tells it beforehand.",
  },
  "request.closed": {
    statuses: [499],
    cause: "The caller hung up before the answer.",
    cure: "Wait longer, or use a [webhook](webhooks.md).",
  },
  fault: {
    statuses: [500],
    cause: "A fault of ours.",
    cure: "Tell the operator the `id`: the log has a line with it. The same request may succeed.",
  },
  "origin.refused": {
    statuses: [502],
    cause: "The origin of a delivery answered with an error.",
    cure: "Open the original. It must be there for anybody, or the store's key must be allowed to read.",
  },
  outage: {
    statuses: [503],
    says: /^The service cannot .* right now$/,
    cause: "A database, or another piece of the platform, does not answer.",
    cure: "Send it again as `Retry-After` says.",
  },
  "result.gone": {
    statuses: [503],
    says: /not there any more|was purged/,
    cause: "The result was deleted or purged while it was asked for.",
    cure: "Send it again.",
  },
  "result.pending": {
    statuses: [503],
    says: /still being made/,
    cause: "Another request works on this very picture.",
    cure: "Send it again as `Retry-After` says.",
  },
  "self-test.failed": {
    statuses: [503],
    says: /self-test/,
    cause: "A format could not be written and read by this deployment.",
    cure: "Deploy again; the message names the formats.",
  },
  capacity: {
    statuses: [503],
    cause: "There is no room for the work of this request within the time that it may wait.",
    cure: "Send it again as `Retry-After` says, or use a [webhook](webhooks.md), which waits for you.",
  },
  "origin.slow": {
    statuses: [504],
    cause: "The origin took too long.",
    cure: "Send it again; look at what serves the originals.",
  },
} as const satisfies Readonly<Record<string, ErrorRow>>;

const RULE_ROWS: readonly (readonly [name: string, row: ErrorRow])[] = Object.entries<ErrorRow>(RULES);
const WORD_ROWS: readonly (readonly [word: string, row: ErrorRow])[] = Object.entries<ErrorRow>(WORDS);

export interface Said {
  readonly error: string;
  /** The path of the member that it is about. */
  readonly param?: string;
}

/** The word of a failure, and the member that it is about, from its status and its public sentence. */
export function saidOf(status: number, message: string): Said {
  const [, result, name, inner] = status === 422 ? (OF_RESULT.exec(message) ?? []) : [];
  if (result !== undefined && inner !== undefined) {
    const { error, param } = saidOf(status, inner);
    const path = name === undefined ? result : `${result}.${name}`;
    return { error, param: param === undefined ? path : `${path}.${param}` };
  }
  const word = wordOf(status, message);
  return (status === 422 ? ofMember(word, message) : undefined) ?? { error: word };
}

function wordOf(status: number, message: string): string {
  const found = WORD_ROWS.find(
    ([, { statuses, says }]) => statuses.some((one) => one === status) && says?.test(message) !== false,
  );
  return found?.[0] ?? "request.rule";
}

/** What a sentence says of a member, unless it has a word of its own. */
function ofMember(own: string, message: string): Said | undefined {
  if (own !== "request.rule" && own !== "result.unwritable" && !own.startsWith("image.")) return undefined;
  const [, path, said] = OF_MEMBER.exec(message) ?? [];
  if (path === undefined || said === undefined) return undefined;
  const rule = RULE_ROWS.find(([, { says }]) => says?.test(said))?.[0];
  if (rule === undefined) return undefined;
  // What no member is called is no part of a word.
  const known = rule === "unknown" ? path.split(".").slice(0, -1).join(".") : path;
  return { error: `${namedBy(known) || "request"}.${rule}`, param: path };
}

/** A path without what callers choose: names of results and presets, names of headers, places in lists. */
function namedBy(path: string): string {
  const parts = path.split(".").filter((part) => !/^\d+$/.test(part));
  const isNamed = (index: number) => ["outputs", "presets", "headers"].includes(parts[index - 1] ?? "");
  return parts.filter((_, index) => !isNamed(index)).join(".");
}
