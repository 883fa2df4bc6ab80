/** Several results of one picture: what they share, what that costs, and that nothing is seen of it. */
import * as v from "valibot";
import { afterEach, describe, expect, it, vi } from "vitest";

import { ApiError } from "../../../src/errors.ts";
import { FORMATS } from "../../../src/image/formats.ts";
import { OPERATIONS } from "../../../src/image/operations.ts";
import { identify } from "../../../src/image/plan/detect.ts";
import { objectiveOf } from "../../../src/image/plan/output.ts";
import { planSteps } from "../../../src/image/plan/plan.ts";
import type { ResultOrder } from "../../../src/image/render/order.ts";
import type { Planned } from "../../../src/image/render/plan-operations.ts";
import type { Group } from "../../../src/image/render/results/parts.ts";
import { isServed, sharedSize, wantedOf } from "../../../src/image/render/results/parts.ts";
import { pixelsIn } from "../../../src/image/render/results/work.ts";
import { affordableWork } from "../../../src/image/render/results/work.ts";
import { decoded } from "../../../src/image/search/probe.ts";
import type { Step } from "../../../src/image/steps/operation.ts";
import { NARROW_STRIP_BYTES } from "../../../src/image/steps/turn-strips.ts";
import { isolateBudget } from "../../../src/scheduler/budget.ts";
import { JobLimits } from "../../../src/scheduler/job-limits.ts";
import { UNPAUSED } from "../../../src/scheduler/time-slice.ts";
import { NO_WORK } from "../../../wasm/estimate.ts";
import photoFile from "../../fixtures/avif/kodim03_yuv420_8bpc.avif";
import sequenceFile from "../../fixtures/avif/sequence.avif";
import alphaFile from "../../fixtures/avif/straight-alpha.avif";
import turnedFile from "../../fixtures/faces/one-turned.jpg";
import faceFile from "../../fixtures/faces/one.jpg";
import jpegFile from "../../fixtures/jpeg/progressive.jpg";
import ultraFile from "../../fixtures/jpeg/ultra-hdr.jpg";
import { rendered } from "../../support/render.ts";
import { entry, renderedSet, type SetOrder } from "../../support/results.ts";
import { paint, pictureOf } from "../../support/rows.ts";
import { scoreRows } from "../../support/scores.ts";

const photo = new Uint8Array(photoFile);
const set = (entries: readonly ResultOrder[], order: Partial<SetOrder> = {}) =>
  renderedSet(entries, { bytes: photo, ...order });

afterEach(() => void vi.restoreAllMocks());

const EXACT = { lossless: true, quality: 100, progressive: false, effort: 0 };
const lossless = { output: { format: "png" as const }, optimize: { lossless: true } };

describe("a picture made by way of a larger one", () => {
  it("looks like the one that is made from the file, at every width", async () => {
    const entries = [600, 500, 400, 240, 100].map((width) => entry(width, lossless));
    const made = await set(entries);
    for (const { name, operations } of entries) {
      const { output } = await rendered(photo, { operations, ...lossless });
      const [direct, shared] = await Promise.all(
        [output.bytes, made.get(name)?.bytes ?? new Uint8Array(0)].map((file) => decoded(FORMATS.png, file, UNPAUSED)),
      );
      if (direct && shared) expect(await scoreRows(direct, shared, UNPAUSED)).toBeGreaterThan(95);
    }
    expect.assertions(entries.length);
  });

  it("keeps what can be seen through", async () => {
    const made = await set(
      [40, 30, 20].map((width) => entry(width, lossless)),
      { bytes: new Uint8Array(alphaFile) },
    );
    for (const { facts } of made.values()) expect(facts.alpha).toBe(true);
  });
});

describe("a set of a file whose decoder makes pictures smaller itself", () => {
  it("has the very pixels of results alone, at every width", async () => {
    const bytes = new Uint8Array(faceFile);
    const entries = [240, 120, 60, 30].map((width) => entry(width, lossless));
    const made = await set(entries, { bytes });
    for (const { name, operations } of entries) {
      const { output } = await rendered(bytes, { operations, ...lossless });
      const [direct, own] = await Promise.all(
        [output.bytes, made.get(name)?.bytes ?? new Uint8Array(0)].map((file) => decoded(FORMATS.png, file, UNPAUSED)),
      );
      if (direct && own) expect(await scoreRows(direct, own, UNPAUSED)).toBe(100);
    }
    expect.assertions(entries.length);
  });

  it.each([
    ["lies", faceFile],
    ["is turned", turnedFile],
  ])("hands back the original, or a part of its code, where it stays as it %s", async (_, file) => {
    const bytes = new Uint8Array(file);
    const { output } = await rendered(bytes, { operations: {}, output: { format: "jpeg" } });
    const own = { operations: {}, output: { format: "jpeg" as const } };
    const entries = [{ ...entry(60), ...own, name: "own" }, { ...entry(60), operations: {}, name: "webp" }, entry(60)];
    const made = await set(entries, { bytes });
    expect(made.get("own")?.bytes).toEqual(output.bytes);
    expect(made.get("webp")?.format.label).toBe("WEBP");
  });
});

describe("a set of a JPEG file that is packed as JPEG XL", () => {
  const jpeg = new Uint8Array(jpegFile);
  const packed = () => FORMATS.jxl.repack.run(jpeg, identify(jpeg).facts, UNPAUSED);
  const exact = { output: { format: "jpeg" as const }, optimize: { lossless: true } };

  it("has the JPEG file where nothing changes, as a result alone has", async () => {
    const bytes = await packed();
    if (!bytes) throw new Error("nothing was packed");
    const decode = vi.spyOn(FORMATS.jxl.read, "open");
    const { output } = await rendered(bytes, { operations: {}, ...exact });
    expect(decode).not.toHaveBeenCalled();
    const own = { ...entry(60), operations: {}, ...exact, name: "own" };
    const smart = { ...own, optimize: undefined, name: "smart" };
    const made = await set([own, smart, entry(60), { ...entry(60), operations: {}, name: "webp" }], { bytes });
    expect(made.get("own")?.bytes).toEqual(output.bytes);
    expect(made.get("smart")?.bytes).toEqual((await rendered(bytes, { output: exact.output })).output.bytes);
    expect(made.get("webp")?.format.label).toBe("WEBP");
    expect(isolateBudget.held).toEqual({ work: 0, originals: 0 });
  });

  it("has pixels where there is no memory for the JPEG file", async () => {
    const bytes = await packed();
    if (!bytes) throw new Error("nothing was packed");
    vi.spyOn(FORMATS.jxl.unpack, "estimate").mockReturnValue({ bytes: Number.MAX_SAFE_INTEGER, ms: 1 });
    const unpack = vi.spyOn(FORMATS.jxl.unpack, "run");
    const made = await set([{ ...entry(60), operations: {}, ...exact, name: "own" }, entry(60)], { bytes });
    expect(made.get("own")?.format.label).toBe("JPEG");
    expect(unpack).not.toHaveBeenCalled();
  });
});

describe("the work of a set", () => {
  it("decodes the original once, however many results there are", async () => {
    const open = vi.spyOn(FORMATS.avif.read, "open");
    const formats = ["webp", "jpeg"] as const;
    const made = await set(
      [320, 240, 160, 80].flatMap((width) => formats.map((format) => entry(width, { output: { format } }))),
    );
    expect(made.size).toBe(8);
    expect(open).toHaveBeenCalledTimes(1);
  });

  it("looks at fewer renditions than its results alone, whose searches start anew", async () => {
    const encode = vi.spyOn(FORMATS.webp.write, "encode");
    const entries = [320, 290, 260, 230, 200].map((width) => entry(width));
    for (const { operations, output } of entries) await rendered(photo, { operations, output });
    const alone = encode.mock.calls.length;
    encode.mockClear();
    const made = await set(entries);
    expect(encode.mock.calls.length).toBeLessThan(alone);
    for (const { score = 0 } of made.values()) expect(score).toBeGreaterThanOrEqual(75);
  });

  it("tries large AVIF pictures as a whole at once where a smaller one says their quality", async () => {
    const wave = (at: number) => 120 + 60 * Math.sin(at / 30);
    const large = paint(1_000, 680, (x, y) => [wave(x), wave(y), wave(x + y), 255]);
    const bytes = await FORMATS.png.write.encode(pictureOf([large]), EXACT, UNPAUSED);
    const encode = vi.spyOn(FORMATS.avif.write, "encode");
    const made = await set(
      [980, 640].map((width) => entry(width, { output: { format: "avif" } })),
      { bytes },
    );
    const widths = encode.mock.calls.map(([{ width }]) => width);
    expect(new Set(widths)).toEqual(new Set([640, 980]));
    // In slopes without grain the second opinion decides, by steps that are seen sooner at one size than at another.
    expect(widths.filter((width) => width === 980).length).toBeLessThanOrEqual(3);
    for (const { score = 0 } of made.values()) expect(score).toBeGreaterThanOrEqual(75);
  });

  it("runs the set's own operations first, and on every result", async () => {
    const crop = v.parse(OPERATIONS.crop.params, { x: 0, y: 0, width: 300, height: 200 });
    const made = await set([entry(600), entry(150)], { operations: { crop } });
    expect([...made.values()].map(({ facts: { width, height } }) => [width, height])).toEqual([
      [150, 100],
      [600, 400],
    ]);
  });

  it("keeps of the original's metadata what each result says", async () => {
    const packet = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/" photoshop:Credit="Ada"/></rdf:RDF></x:xmpmeta>`;
    const bytes = FORMATS.avif.metadata.write?.(photo, { xmp: new TextEncoder().encode(packet) });
    const webp = (metadata: "none" | "all") => ({ format: "webp", quality: 50, metadata }) as const;
    const entries = [
      entry(60, { output: webp("all"), optimize: undefined }),
      entry(40, { output: { ...webp("all"), format: "jpeg" } }),
      entry(30, { output: webp("none") }),
    ];
    const made = await set(entries, { ...(bytes && { bytes }) });
    const says = [...made].map(([name, file]) => [name, new TextDecoder("latin1").decode(file.bytes).includes("Ada")]);
    expect(Object.fromEntries(says)).toEqual({ "60.webp": true, "40.jpeg": true, "30.webp": false });
  });

  it("trims what none of an animation's frames shows", async () => {
    const dot = (at: number) =>
      paint(40, 20, (x, y) => (x >= at && x < at + 6 && y >= 5 && y < 15 ? [0, 0, 0, 255] : [255, 255, 255, 255]));
    const settings = { lossless: true, quality: 100, progressive: false, effort: 0 };
    const bytes = await FORMATS.gif.write.encode(pictureOf([dot(4), dot(24)]), settings, UNPAUSED);
    const trim = v.parse(OPERATIONS.trim.params, {});
    const made = await set(
      [
        { ...entry(1, { output: { format: "gif" } }), operations: {} },
        { ...entry(1, { output: { format: "jpeg" } }), operations: {} },
      ],
      { bytes, operations: { trim } },
    );
    expect([...made.values()].map(({ facts: { width, height, frames } }) => [width, height, frames])).toEqual([
      [26, 10, 2],
      [26, 10, 1],
    ]);
  });

  it("decodes the first frame alone for what holds no more", async () => {
    const open = vi.spyOn(FORMATS.avif.read, "open");
    const still = entry(40, { output: { format: "jpeg" } });
    const made = await set([still, entry(30, { output: { format: "webp", animation: false } })], {
      bytes: new Uint8Array(sequenceFile),
    });
    expect([...made.values()].map(({ facts: { width, frames } }) => [width, frames])).toEqual([
      [30, 1],
      [40, 1],
    ]);
    for (const [, , demand] of open.mock.calls) expect(demand).toMatchObject({ firstOnly: true });
    expect(open).toHaveBeenCalled();
  });

  it("is refused as a whole before it starts where it would take too long, and says what to change", async () => {
    const encode = vi.spyOn(FORMATS.webp.write, "encode");
    const entries = [700, 600, 500].map((width) => entry(width));
    const refusal = await set(entries, { jobLimits: new JobLimits({ maxMs: 100 }) }).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(ApiError);
    expect(refusal).toMatchObject({
      status: 422,
      message: expect.stringMatching(/^The outputs together take more processor time/),
    });
    expect(encode).not.toHaveBeenCalled();
  });

  it("counts the processor time of all its results, and holds nothing once it ends", async () => {
    const jobLimits = new JobLimits({ maxMs: 20_000 });
    await set([entry(200), entry(100)], { jobLimits });
    expect(jobLimits.takenMs).toBeGreaterThan(0);
    const ended = new AbortController();
    ended.abort(new Error("gone"));
    await expect(set([entry(200)], { jobLimits: new JobLimits({ signal: ended.signal }) })).rejects.toThrow("gone");
    expect(isolateBudget.held).toEqual({ work: 0, originals: 0 });
  });
});

describe("what is kept of a large photograph", () => {
  const found = identify(new Uint8Array(faceFile));
  const stored = { ...found, facts: { ...found.facts, width: 3024, height: 4032, orientation: 1 as const } };
  const size = { width: 3024, height: 4032 };
  const planned = (steps: readonly Step[]): Planned => {
    const plan = planSteps(size, steps);
    return { steps, plan, size: plan.size, opaque: true, faces: undefined, focus: undefined };
  };
  const groupOf = (width: number): Group<null> => {
    const steps = [{ kind: "resize", width, height: Math.round((width * 4) / 3), kernel: "lanczos3" }] as const;
    const common = { entry: null, objective: objectiveOf(undefined, undefined), kept: {}, encoding: undefined };
    const jobs = (["avif", "webp", "jpeg"] as const).map((format) => {
      return { ...common, formats: [FORMATS[format]], gainMap: undefined, keepsMetadata: false, analyzes: false };
    });
    return { stored, base: planned([]), planned: planned(steps), wanted: wantedOf(size, steps), jobs };
  };
  const keptBy = (...widths: number[]) => {
    const given = { stored, base: planned([]), groups: widths.map(groupOf) };
    const work = affordableWork(given, new JobLimits());
    return work.placed.map(({ group, kept }) => ({ width: group.planned.size.width, isKept: kept !== undefined }));
  };

  it("is the picture of every width, for all of its formats", () => {
    const widths = [320, 480, 640, 960, 1280, 1920];
    expect(keptBy(...widths)).toEqual(widths.map((width) => ({ width, isKept: true })));
  });

  it("is turned in narrow strips where the original leaves no room for usual ones", () => {
    const progressive = identify(new Uint8Array(jpegFile));
    const facts = { ...progressive.facts, width: 6000, height: 4000, orientation: 1 as const };
    const large = { ...progressive, facts };
    const drawn: Step = {
      kind: "rows",
      width: 4000,
      height: 6000,
      opaque: () => true,
      estimate: NO_WORK,
      apply: (rows) => rows,
    };
    const steps: readonly Step[] = [{ kind: "turn", orientation: 8 }, drawn];
    const plannedTo = (all: readonly Step[]): Planned => {
      const plan = planSteps(facts, all);
      return { ...planned([]), steps: all, plan, size: plan.size };
    };
    const base = plannedTo(steps);
    const groups = [groupOf(100), groupOf(200)].map((group) => {
      const own = group.planned.steps;
      return {
        ...group,
        stored: large,
        base,
        planned: plannedTo([...steps, ...own]),
        wanted: wantedOf(base.size, own),
      };
    });
    const work = affordableWork({ stored: large, base, groups }, new JobLimits());
    expect(work.shared?.plan.view.maxStripBytes).toBe(NARROW_STRIP_BYTES);
  });

  it("counts the pixels of a format where several results have it", () => {
    expect(pixelsIn([groupOf(640)], FORMATS.avif)).toBeUndefined();
    expect(pixelsIn([groupOf(640), groupOf(320)], FORMATS.avif)).toBe(640 * 853 + 320 * 427);
  });

  it("is no less where one is too large to be kept", () => {
    expect(keptBy(640, 2400, 1280)).toEqual([
      { width: 640, isKept: true },
      { width: 1280, isKept: true },
      { width: 2400, isKept: false },
    ]);
  });
});

describe("the version that results share", () => {
  const base = { width: 4000, height: 3000 };
  const resized = (width: number) => [{ kind: "resize", width, height: (width * 3) / 4, kernel: "lanczos3" }] as const;
  const sizeFor = (...widths: number[]) =>
    sharedSize(
      base,
      widths.map((width) => wantedOf(base, resized(width))),
    );

  it("is the largest of them where the others are small enough beside it", () => {
    expect(sizeFor(1920, 900, 640)).toEqual({ width: 1920, height: 1440 });
  });

  it("is larger than all where two are nearly of a size", () => {
    expect(sizeFor(900, 860, 450)).toEqual({ width: 1341, height: 1006 });
  });

  it("leaves results that are too large to be filtered twice to the file", () => {
    const size = { width: 1920, height: 1440 };
    expect(isServed(wantedOf(base, resized(1280)), base, size)).toBe(false);
    expect(isServed(wantedOf(base, resized(1920)), base, size)).toBe(true);
    expect(isServed(wantedOf(base, resized(960)), base, size)).toBe(true);
    expect(isServed(wantedOf(base, resized(1280)), base, base)).toBe(true);
  });

  it("leaves out what is too large to be kept", () => {
    const size = sizeFor(3800, 1280, 640);
    expect(size).toEqual({ width: 1280, height: 960 });
    expect(size && isServed(wantedOf(base, resized(3800)), base, size)).toBe(false);
  });

  it("is none where there is only one result, or every pixel is wanted of a large picture", () => {
    expect(sizeFor(640)).toBeNull();
    expect(sharedSize(base, [wantedOf(base, []), wantedOf(base, [])])).toBeNull();
  });

  it("serves a part of the picture as far as it has the pixels for it", () => {
    const part = (width: number) =>
      wantedOf(base, [{ kind: "crop", box: { x: 0, y: 0, width: 1000, height: 750 } }, ...resized(width)]);
    expect(isServed(part(200), base, { width: 1920, height: 1440 })).toBe(true);
    expect(isServed(part(900), base, { width: 1920, height: 1440 })).toBe(false);
  });
});

describe("gain maps", () => {
  it("are in the results that ask for them", async () => {
    const operations = { resize: v.parse(OPERATIONS.resize.params, { width: 120 }) };
    const jpegOf = (name: string, hdr: "keep" | "drop") =>
      ({ ...entry(120), name, operations, output: { format: "jpeg", hdr } }) as const;
    const entries = [jpegOf("kept", "keep"), jpegOf("dropped", "drop"), { ...entry(120), name: "other" }];
    const made = await set(entries, { bytes: new Uint8Array(ultraFile) });
    const mapIn = (name: string) => FORMATS.jpeg.gainMap.read(made.get(name)?.bytes ?? new Uint8Array(0));
    expect(mapIn("kept")?.terms.alternateHeadroom).toBe(3.5);
    expect(mapIn("dropped")).toBeUndefined();
    await expect(set([entry(120, { output: { format: "webp", hdr: "keep" } })])).rejects.toThrow(
      /^output\.hdr must be drop/,
    );
  });
});
