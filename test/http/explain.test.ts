/** `response.explain`: what a search tried, said with its result. */
import { beforeEach, describe, expect, it } from "vitest";

import type { OutputMetadata, SearchProbe } from "../../src/contract/response.ts";
import { jpeg } from "../../src/image/formats/jpeg.ts";
import { MAX_EXPLAINED_PROBES } from "../../src/limits.ts";
import { pipeline } from "../../src/pipeline/edges.ts";
import { SearchReports } from "../../src/pipeline/search-report.ts";
import { UNPAUSED } from "../../src/scheduler/time-slice.ts";
import { openAccount } from "../support/accounts.ts";
import { apiOf } from "../support/api.ts";
import { pictureOf, scene } from "../support/rows.ts";

const api = apiOf(pipeline);
const PRESET = { output: { format: "webp" }, response: { explain: true } };

let key = "";
let photo: Uint8Array<ArrayBuffer>;
beforeEach(async () => {
  ({ key } = await openAccount());
  const written = { lossless: false, quality: 92, progressive: false, effort: 0.5 };
  photo = new Uint8Array(await jpeg.write.encode(pictureOf([scene(320, 240)]), written, UNPAUSED));
});

async function upload(data: object, headers = {}) {
  const body = new FormData();
  body.set("file", new File([photo], "photo.jpg"));
  body.set("data", JSON.stringify(data));
  return api("POST", "/1.0/upload", { key, body, headers });
}

async function outputOf(data: object): Promise<OutputMetadata> {
  const { status, body } = await upload(data);
  expect(body.message).toBeUndefined();
  expect(status).toBe(200);
  return body.output;
}

describe("response.explain", () => {
  it("tells the probes of a preset, its promise, and the one that was chosen", async () => {
    const { search, score = 0, bytes } = await outputOf({ ...PRESET, optimize: { compression: "high" } });
    expect(search?.target_score).toBe(65);
    const chosen = search?.probes.find((probe) => probe.part === "whole" && probe.score === score);
    expect(chosen?.format).toBe("WEBP");
    // The file has a mark besides.
    expect(bytes - (chosen?.bytes ?? 0)).toBeLessThan(64);
  });

  it("is not given unless it is asked for", async () => {
    expect(await outputOf({ output: { format: "webp" } })).not.toHaveProperty("search");
    expect(await outputOf({ ...PRESET, response: { explain: false } })).not.toHaveProperty("search");
  });

  it("tells of every format that was tried, and of every result what is its own", async () => {
    const { search } = await outputOf({ ...PRESET, output: { format: "auto" } });
    expect(new Set(search?.probes.map(({ format }) => format)).size).toBeGreaterThan(1);
    const { body } = await upload({
      response: { explain: true },
      outputs: { small: { resize: { width: 100 }, output: { format: "webp" } }, large: { output: { format: "jpeg" } } },
    });
    const formats = (name: string) => [
      ...new Set(body.outputs[name].search.probes.map(({ format }: SearchProbe) => format)),
    ];
    expect(formats("small")).toEqual(["WEBP"]);
    expect(formats("large")).toEqual(["JPEG"]);
  });

  it("tells the bytes of a target size, and of nothing where a quality is given", async () => {
    const { search } = await outputOf({ ...PRESET, optimize: { target_bytes: 6_000 } });
    expect(search?.target_bytes).toBe(6_000);
    expect(search?.probes.some(({ bytes = 0 }) => bytes > 0 && bytes <= 6_000)).toBe(true);
    const { search: none } = await outputOf({ ...PRESET, optimize: { quality: 70 } });
    expect(none).toEqual({ probes: [] });
  });

  it.each([
    [{ ...PRESET, reuse: true }, "reuse", {}],
    [{ ...PRESET, webhook: { url: "https://hooks.example.com/" } }, "webhook", {}],
    [{ ...PRESET, response: { explain: true, mode: "binary" } }, "response.mode binary", {}],
    [PRESET, "response.mode binary", { "x-service-binary": "1" }],
  ])("cannot be combined with what is kept or said in headers: %o, %s", async (data, other, headers) => {
    const { status, body } = await upload(data, headers);
    expect(status).toBe(422);
    expect(body).toMatchObject({
      error: "response.explain.conflict",
      message: `response.explain cannot be combined with ${other}`,
    });
  });

  it("is refused in what an upload token says, too", async () => {
    const json = { data: { ...PRESET, reuse: true } };
    const { status, body } = await api("POST", "/1.0/upload-tokens", { key, json });
    expect(status).toBe(422);
    expect(body.message).toContain("response.explain cannot be combined with reuse");
  });
});

describe("reports of searches", () => {
  const settings = { lossless: false, quality: 80, progressive: false, effort: 0.5 };
  const estimate = { bytes: 1, ms: 1 } as never;

  it("are bounded, and count what they leave out", () => {
    const reports = new SearchReports();
    reports.trace({ kind: "result", name: "a" });
    reports.trace({ kind: "attempt", format: "JPEG", name: "search pixels", estimate });
    for (let quality = 0; quality < MAX_EXPLAINED_PROBES + 5; quality += 1) {
      reports.trace({ kind: "encoded", part: "whole", settings: { ...settings, quality }, bytes: 100 });
      reports.trace({ kind: "judged", part: "whole", quality, score: 80, points: 70 });
    }
    const report = reports.of({ name: "a", output: undefined, optimize: undefined });
    expect(report.probes).toHaveLength(MAX_EXPLAINED_PROBES);
    expect(report.probes.at(-1)).toMatchObject({ bytes: 100, score: 80, stricter: 70 });
    expect(report.omitted).toBe(5);
  });

  it("put what was shown together with the file that was written of it", () => {
    const reports = new SearchReports();
    reports.trace({ kind: "result", name: "" });
    reports.trace({ kind: "attempt", format: "PNG", name: "search pixels", estimate });
    reports.trace({ kind: "judged", part: "whole", quality: 40, points: 61 });
    reports.trace({ kind: "judged", part: "whole", quality: 45, score: 86, points: 86 });
    reports.trace({ kind: "encoded", part: "whole", settings: { ...settings, quality: 45 }, bytes: 268 });
    const { probes } = reports.of({ name: "", output: undefined, optimize: undefined });
    expect(probes).toEqual([
      { format: "PNG", part: "whole", quality: 40, stricter: 61 },
      { format: "PNG", part: "whole", quality: 45, score: 86, bytes: 268 },
    ]);
  });
});
