/** Requests to a smaller copy of an original: what they show is what the original will give. */
import { join } from "node:path";

import { expect, it } from "vitest";

const FILE = join(import.meta.dirname, "..", "..", "src", "playground", "scaled-request.js");

interface Scaled {
  readonly body: unknown;
  readonly scale: number;
  readonly whole: boolean;
}

interface Requests {
  readonly canBeTried: (body: unknown) => boolean;
  readonly scaledRequest: (body: unknown, copy: { scale: number; width: number; height: number }) => Scaled;
}

const { canBeTried, scaledRequest }: Requests = await import(FILE);

/** A photograph of 4,000 × 3,000 pixels, at 1,600. */
const COPY = { scale: 0.4, width: 4000, height: 3000 };

it("asks the same of an original that is no larger than its copy", () => {
  const body = { border: { radius: 10 } };
  expect(scaledRequest(body, { scale: 1, width: 800, height: 600 })).toEqual({ body, scale: 1, whole: true });
});

it.each([
  [{ border: { size: 10, radius: 300, color: "fff" } }, { border: { size: 4, radius: 120, color: "fff" } }],
  [{ text: { value: "a", size: 0.1, padding: 50 } }, { text: { value: "a", size: 0.1, padding: 20 } }],
  [{ watermark: { id: "a", x: -100, scale: 0.5 } }, { watermark: { id: "a", x: -40, scale: 0.5 } }],
  [{ padding: { size: 1 } }, { padding: { size: 1 } }],
  [{ filter: { blur: { value: 5 }, sepia: { value: 50 } } }, { filter: { blur: { value: 2 }, sepia: { value: 50 } } }],
  [{ optimize: { target_bytes: 100_000 } }, { optimize: { target_bytes: 16_000 } }],
  [{ resize: { width: 3000 } }, { resize: { width: 1200 } }],
  [
    { redact: { regions: [{ x: 100, y: 0.5, width: 0.25, height: 50 }], mode: "blur" } },
    { redact: { regions: [{ x: 40, y: 0.5, width: 0.25, height: 20 }], mode: "blur" } },
  ],
])("makes the lengths of %j as much smaller as the picture", (body, scaled) => {
  expect(scaledRequest(body, COPY)).toEqual({ body: scaled, scale: 0.4, whole: false });
});

it("makes a small result of the copy as it will be", () => {
  const body = { resize: { width: 800 }, border: { radius: 300 } };
  expect(scaledRequest(body, COPY)).toEqual({ body, scale: 1, whole: false });
});

it("cuts out of the original itself, which has all pixels that the part has", () => {
  const body = { crop: { width: 300, height: 300 } };
  expect(scaledRequest(body, COPY)).toEqual({ body, scale: 1, whole: true });
});

it("tries out nothing that goes elsewhere", () => {
  expect(canBeTried(undefined)).toBe(true);
  expect(canBeTried({ resize: { width: 1 } })).toBe(true);
  for (const name of ["webhook", "store", "srcset", "outputs"]) expect(canBeTried({ [name]: {} })).toBe(false);
});
