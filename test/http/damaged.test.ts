/** JPEG files that are cut short, by way of HTTP: refused, unless the request wants what is left of them. */
import { beforeEach, describe, expect, it, vi } from "vitest";

import { forgetKeys } from "../../src/account/keys.ts";
import { jpeg } from "../../src/image/formats/jpeg.ts";
import { png } from "../../src/image/formats/png.ts";
import { pipeline } from "../../src/pipeline/edges.ts";
import { UNPAUSED } from "../../src/scheduler/time-slice.ts";
import { openAccount } from "../support/accounts.ts";
import { apiOf } from "../support/api.ts";
import { deliveryWorld, originOf } from "../support/delivery.ts";
import { decodeFile } from "../support/files.ts";
import { jpegFile } from "../support/jpeg-files.ts";
import { pictureOf, scene } from "../support/rows.ts";
import { receiver } from "../support/webhooks.ts";

const api = apiOf(pipeline);
const show = { input: { damaged: "show" } };
const HINT = /^(?:outputs\.a: )?The JPEG file is damaged, cut short .*input\.damaged: "show"/;

let key = "";
beforeEach(async () => {
  forgetKeys();
  ({ key } = await openAccount());
});

async function upload(file: Uint8Array, data: object) {
  const body = new FormData();
  body.set("file", new File([file.slice()], "photo.jpg"));
  body.set("data", JSON.stringify(data));
  return api("POST", "/1.0/upload", { key, body });
}

const cutFile = async (progressive: boolean, share: number) => {
  const settings = { lossless: false, quality: 85, effort: 0.5, progressive };
  const bytes = await jpeg.write.encode(pictureOf([scene(240, 200)]), settings, UNPAUSED);
  return { bytes, cut: bytes.subarray(0, Math.floor(bytes.length * share)) };
};

const REQUESTS: readonly object[] = [
  {},
  { resize: { width: 120 } },
  { optimize: { lossless: true } },
  { optimize: { quality: 60 } },
  { optimize: { quality: 60 }, resize: { width: 120 } },
  { optimize: { target_bytes: 3_000 } },
  { rotate: { angle: 90 } },
  { output: { format: "webp" } },
  { output: { format: "png" } },
];

describe("a JPEG file that is cut short", () => {
  it.each([
    [false, 0.5],
    [false, 0.9],
    [true, 0.5],
    [true, 0.9],
  ])("is refused, and shown by every request that wants it: progressive %s, %s of it", async (progressive, share) => {
    const { cut } = await cutFile(progressive, share);
    for (const request of REQUESTS) {
      const refused = await upload(cut, request);
      expect([refused.status, refused.body.message]).toEqual([422, expect.stringMatching(HINT)]);
      const { status, body } = await upload(cut, { ...request, ...show });
      expect([request, status, body.message]).toEqual([request, 200, undefined]);
      const result = await api("GET", new URL(body.output.url).pathname);
      expect(result.status).toBe(200);
    }
  });

  it("makes files that are whole: the picture is there as far as it was", async () => {
    const { bytes, cut } = await cutFile(false, 0.6);
    const { body } = await upload(cut, { ...show, output: { format: "png" }, optimize: { lossless: true } });
    expect(body.output).toMatchObject({ width: 240, height: 200 });
    const response = await api("GET", new URL(body.output.url).pathname);
    const [whole, shown] = [await decodeFile(jpeg, bytes), await decodeFile(png, response.bytes)];
    expect(shown.data.subarray(0, 240 * 4 * 64)).toEqual(whole.data.subarray(0, 240 * 4 * 64));
    expect([...shown.data.subarray(-4)]).toEqual([128, 128, 128, 255]);
  });

  it("is shown in sets", async () => {
    const { cut } = await cutFile(false, 0.6);
    const outputs = { a: { resize: { width: 60 } }, b: { output: { format: "webp" } }, c: {} };
    expect((await upload(cut, { outputs })).body.message).toMatch(HINT);
    const { status, body } = await upload(cut, { outputs, ...show });
    expect(status).toBe(200);
    expect(Object.keys(body.outputs)).toEqual(["a", "b", "c"]);
  });

  it("is shown to fetches, and to those that wait for a notification", async () => {
    const { cut } = await cutFile(false, 0.6);
    originOf(() => new Response(cut.slice(), { headers: { "content-type": "image/jpeg" } }));
    const json = { url: "https://images.test/a.jpg" };
    expect((await api("POST", "/1.0/fetch", { key, json })).body.message).toMatch(HINT);
    expect((await api("POST", "/1.0/fetch", { key, json: { ...json, ...show } })).status).toBe(200);
    vi.restoreAllMocks();
    const { url, received } = receiver();
    expect((await upload(cut, { ...show, webhook: { url } })).status).toBe(202);
    expect(JSON.parse((await received(1))[0]?.body ?? "")).toMatchObject({ success: true, code: 200 });
  });

  it("leaves whole files as they are without it", async () => {
    for (const request of REQUESTS) {
      const [plain, shown] = [
        await upload(jpegFile("s420"), request),
        await upload(jpegFile("s420"), { ...request, ...show }),
      ];
      expect(shown.body.output.sha1).toBe(plain.body.output.sha1);
    }
  });

  it("is refused with the rule where the options are others", async () => {
    const { status, body } = await upload(jpegFile("s420"), { input: { damaged: "hide" } });
    expect([status, body.message]).toEqual([422, "input.damaged must be one of refuse, show"]);
  });
});

describe("the original of a delivery", () => {
  it("is refused without a word about what only the body of a request can say", async () => {
    const whole = jpegFile("s420");
    originOf(async () => new Response(whole.slice(0, whole.length - 400)));
    const { get } = await deliveryWorld({ unsigned: { widths: [24], formats: ["webp"] } });
    const answer = await get("w=24", "a.jpg");
    expect(answer.status).toBe(422);
    expect(new TextDecoder().decode(answer.bytes)).toContain(
      "The JPEG file is damaged, cut short or of an unsupported kind",
    );
    expect(new TextDecoder().decode(answer.bytes)).not.toContain("input.damaged");
  });
});
