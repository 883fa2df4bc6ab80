/** Parts of an upload that have another name than those that are read: each is told where it belongs. */
import { describe, expect, it } from "vitest";

import { isRequestMember } from "../../src/contract/request.ts";
import { readUpload } from "../../src/source/upload.ts";
import { openAccount } from "../support/accounts.ts";
import { api } from "../support/api.ts";
import { LIMIT } from "../support/multipart.ts";
import { refusal } from "../support/refusal.ts";

const PICTURE = new File(["JPEG"], "photo.jpg", { type: "image/jpeg" });

function sent(parts: readonly (readonly [string, string | File])[]) {
  const body = new FormData();
  for (const [name, value] of parts) body.append(name, value);
  const request = new Request("https://api.example/", { method: "POST", body });
  return refusal(readUpload(request, LIMIT, { isMember: isRequestMember }));
}

it.each([
  ["resize", '"resize" belongs into data'],
  ["output", '"output" belongs into data'],
  ["super-resolution", '"super-resolution" belongs into data'],
  ["stylize", '"stylize" belongs into data'],
  ["webhook", '"webhook" belongs into data'],
  ["colour", '"colour" is not a part of an upload, which has file, data and token'],
  ["constructor", '"constructor" is not a part of an upload, which has file, data and token'],
  ["<script>", "a part of another name is not a part of an upload, which has file, data and token"],
])("a text in the part %s", async (name, message) => {
  for (const parts of [
    [["file", PICTURE] as const, [name, '{"width":30}'] as const],
    [[name, '{"width":30}'] as const, ["file", PICTURE] as const],
  ]) {
    expect(await sent(parts)).toEqual({ status: 422, message });
  }
});

it.each([
  ["image", '"image"'],
  ["photo", '"photo"'],
  ["files[]", '"files[]"'],
  ["resize2", '"resize2"'],
  ["a b", "a part of another name"],
])("an image in the part %s", async (name, shown) => {
  const message = `the image must be in the part "file", not ${shown}`;
  expect(await sent([[name, PICTURE]])).toEqual({ status: 422, message });
});

it("an image that is sent as text is told the same", async () => {
  expect(await sent([["image", "JPEG"]])).toEqual({
    status: 422,
    message: 'the image must be in the part "file", not "image"',
  });
});

describe("by the service", () => {
  const form = (...parts: readonly (readonly [string, string | File])[]) => {
    const body = new FormData();
    for (const [name, value] of parts) body.append(name, value);
    return body;
  };

  it("a picture of the commonest misspelling is told where it belongs, however large it is", async () => {
    const { key } = await openAccount();
    const large = new File([new Uint8Array(500_000)], "photo.jpg");
    const { status, body } = await api("POST", "/1.0/upload", { key, body: form(["image", large]) });
    expect([status, body.message]).toEqual([422, 'the image must be in the part "file", not "image"']);
  });

  it("watermarks and keyfiles name theirs", async () => {
    const { key } = await openAccount();
    const send = async (path: string, body: FormData) =>
      (await api("POST", path, { key, body })).body.message as string;
    expect(await send("/1.0/watermarks", form(["file", PICTURE], ["name", "logo"]))).toBe('"name" belongs into data');
    const keyfile = new File(["{}"], "key.json");
    expect(await send("/1.0/keyfiles", form(["keyfile", keyfile]))).toBe(
      'the keyfile must be in the part "file", not "keyfile"',
    );
  });
});
