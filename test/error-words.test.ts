/** Every failure has a word, the words of yesterday are those of today, and the page of errors has them all. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, it } from "vitest";

import { RULES } from "../src/error-rules.ts";
import { saidOf, WORDS } from "../src/error-words.ts";

const ROOT = join(import.meta.dirname, "..");

/** What programs branch on: a word that changes here breaks them. */
it.each([
  [400, "Request body is not valid JSON", "request.json"],
  [400, "The multipart body is broken: it has no end", "request.multipart"],
  [400, "The request body was cut short", "request.cut"],
  [401, "API key is missing or wrong", "key.invalid"],
  [401, "The upload token is not valid or has been used up", "token.invalid"],
  [402, "No credits left in this period", "credits.exhausted"],
  [402, "No credits left in this month's budget of 5", "budget.credits"],
  [402, "Not enough credits left in this month's budget of 5: this request takes 2", "budget.credits"],
  [429, "Today's budget of processor time is spent, try again in 3 seconds", "budget.cpu"],
  [429, "Today's budget of new pictures is spent, try again in 3 seconds", "budget.finals"],
  [403, "HTTPS is required", "https.required"],
  [403, "This address is not allowed", "address.refused"],
  [403, "Account suspended", "account.suspended"],
  [403, "This key is for agents: it opens POST /mcp and nothing else", "key.scope"],
  [404, "Resource not found", "resource.missing"],
  [404, "The original does not exist", "original.missing"],
  [409, "A request with this Idempotency-Key is being processed", "idempotency.running"],
  [413, "Image exceeds the maximum size of 33554432 bytes", "image.bytes"],
  [413, "Request body exceeds the maximum size of 65536 bytes", "request.size"],
  [415, "The file is not an image in a supported format", "image.format"],
  [415, "The request must have a Content-Type of application/json", "request.type"],
  [422, "Idempotency-Key was used for another request", "idempotency.reused"],
  [422, "The JPEG file is damaged, cut short or of an unsupported kind", "image.damaged"],
  [422, "The image ends early", "image.damaged"],
  [422, "The image must have at most 110 megapixels, all frames together", "image.size"],
  [422, "The SVG file has too much detail to be drawn at this size", "image.complex"],
  [422, "The PSD file has a color mode or compression that is not supported", "image.unsupported"],
  [422, "The image cannot be written as AVIF: it is too large", "result.unwritable"],
  [422, "store: s3 answered 403 (AccessDenied)", "store.refused"],
  [422, "Unable to fetch image: origin answered 404", "origin.failed"],
  [429, "Rate limit exceeded, resets in 3 seconds", "rate.exceeded"],
  [500, "Internal error", "fault"],
  [502, "The origin refused or failed", "origin.failed"],
  [503, "No capacity right now, try again shortly", "capacity"],
  [503, "Too many originals of this delivery are being fetched right now", "capacity"],
  [503, "The service cannot check keys right now", "outage"],
  [504, "The origin took too long", "origin.slow"],
])("%i %s is %s", (status, message, error) => {
  expect(saidOf(status, message)).toEqual({ error });
});

/** With the member that it is about. */
it.each([
  ["resize.width must be a positive integer", "resize.width.range", "resize.width"],
  ["url is required", "url.required", "url"],
  ["resize.wdith is not a known parameter", "resize.unknown", "resize.wdith"],
  ["wdith is not a known parameter", "request.unknown", "wdith"],
  ["output.format must be one of jpeg, png", "output.format.choice", "output.format"],
  ["store.id must be the id of a saved connector", "store.id.missing", "store.id"],
  ["outputs.thumb.resize.width must be a positive integer", "outputs.resize.width.range", "outputs.thumb.resize.width"],
  ["outputs.thumb: The image ends early", "image.damaged", "outputs.thumb"],
  ["srcset, webp: output.format cannot be written", "output.format.format", "srcset.webp.output.format"],
  ["presets.hero.resize.width must be a positive integer", "presets.resize.width.range", "presets.hero.resize.width"],
  [
    "sources.0.kind must be web or store: the operator has bound no bucket of originals",
    "sources.kind.choice",
    "sources.0.kind",
  ],
  ["response.keep false needs response.mode binary", "response.keep.conflict", "response.keep"],
  ["text.value has characters that no font here has: U+4E00", "text.value.drawn", "text.value"],
  ["crop.x and crop.y must lie inside the image", "crop.x.place", "crop.x"],
  ["webhook.url must be a valid http or https URL", "webhook.url.url", "webhook.url"],
])("%s is %s", (message, error, param) => {
  expect(saidOf(422, message)).toEqual({ error, param });
});

/** Sentences of the source that are thrown as they are written, by status; what is filled in is a name or a number. */
function sentences(): readonly (readonly [status: number, message: string])[] {
  const names = readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" });
  return names
    .filter((name) => name.endsWith(".ts"))
    .flatMap((name) => {
      const text = readFileSync(join(ROOT, "src", name), "utf8");
      return [...text.matchAll(/new ApiError\(\s*(\d{3}),\s*(?:"([^"]+)"|`([^`]+)`)/g)].flatMap(
        ([, status, plain, made = ""]) => {
          const message = plain ?? made.replace(/^\$\{.*?\}(?=[\s.])/, "member").replaceAll(/\$\{[^}]*\}/g, "9");
          // The sentence itself comes from elsewhere.
          return /^[\w.]*(?:[ ,:]*9)+$/.test(message) || message.includes("${")
            ? []
            : [[Number(status), message] as const];
        },
      );
    });
}

it("gives every sentence of the service a word that says more than its status", () => {
  const found = sentences();
  expect(found.length).toBeGreaterThan(150);
  const vague = found.filter(([status, message]) => saidOf(status, message).error === "request.rule");
  expect(vague).toEqual([]);
});

it("never takes a word from what a caller sent", () => {
  for (const message of ["a member of headers must be a header value", "The request is not a known parameter"]) {
    expect(saidOf(422, message).param).toBeUndefined();
  }
  expect(saidOf(422, "headers.x-secret-name must not be set").error).toBe("headers.conflict");
});

it("has every word on the page, with cause and cure", () => {
  const page = readFileSync(join(ROOT, "src", "docs", "errors.md"), "utf8");
  for (const word of Object.keys(WORDS)) expect(page).toContain(`| \`${word}\``);
  for (const rule of Object.keys(RULES)) expect(page).toContain(`| \`<member>.${rule}\``);
});
