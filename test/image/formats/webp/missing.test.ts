/** WebP files of which a part is missing although their chunks fit together: every length says what is there. */
import { describe, expect, it } from "vitest";

import { webp } from "../../../../src/image/formats/webp.ts";
import { chunksOf } from "../../../../src/image/formats/webp/container.ts";
import { joined } from "../../../../src/joined.ts";
import { nativeHeap } from "../../../../wasm/load.ts";
import roseAlpha from "../../../fixtures/webp/1-webp-a.webp";
import rose from "../../../fixtures/webp/1-webp-ll.webp";
import alphaFilter from "../../../fixtures/webp/alpha-filter.webp";
import redBlue from "../../../fixtures/webp/animated-red-blue.webp";
import denali from "../../../fixtures/webp/denali.webp";
import gopher from "../../../fixtures/webp/gopher-doc-8bpp-lossless.webp";
import segment from "../../../fixtures/webp/segment01.webp";
import video from "../../../fixtures/webp/video-001-lossy.webp";
import { placesOf, shown, without } from "../../../support/gaps.ts";

interface Part {
  readonly id: string;
  readonly payload: Uint8Array;
}

function partsOf(file: ArrayBuffer): readonly Part[] {
  const parts: Part[] = [];
  const chunks = chunksOf(new Uint8Array(file));
  while (chunks.next()) parts.push({ id: chunks.id, payload: chunks.payload });
  return parts;
}

function sized(id: string, payload: Uint8Array): Uint8Array {
  const header = new Uint8Array(8);
  for (let at = 0; at < 4; at++) header[at] = id.charCodeAt(at);
  new DataView(header.buffer).setUint32(4, payload.length, true);
  return joined([header, payload, new Uint8Array(payload.length & 1)]);
}

function fileOf(parts: readonly Part[]): Uint8Array {
  const name = Uint8Array.from("WEBP", (letter) => letter.charCodeAt(0));
  return sized("RIFF", joined([name, ...parts.map(({ id, payload }) => sized(id, payload))]));
}

/** The file without `size` bytes of the chunk of that name, and places of such gaps. */
function* gapsIn(file: ArrayBuffer, name: string, sizes: readonly number[]): Generator<Uint8Array> {
  const parts = partsOf(file);
  const payload = parts.find(({ id }) => id === name)?.payload ?? new Uint8Array(0);
  for (const size of sizes) {
    for (const at of placesOf(0, payload.length, size, 20)) {
      yield fileOf(parts.map((part) => (part.id === name ? { ...part, payload: without(payload, at, size) } : part)));
    }
  }
}

// After a smaller gap, codes may find back into step, and make as many pixels as there were.
const CODED = [
  ["lossy", "VP8 ", video, [4, 40, 200]],
  ["lossy, with segments", "VP8 ", segment, [400, 1_000]],
  ["lossy, below alpha", "VP8 ", roseAlpha, [1, 4, 40, 1_000]],
  ["a lossy photograph", "VP8 ", denali, [1, 40, 10_000]],
  ["alpha", "ALPH", roseAlpha, [1, 4, 40, 1_000]],
  ["alpha that is filtered", "ALPH", alphaFilter, [4, 400]],
  ["lossless, of few colors", "VP8L", gopher, [40, 200, 1_000]],
  ["lossless", "VP8L", rose, [2_000, 10_000]],
] as const;

describe("a WebP file that lacks a part within a chunk", () => {
  it.each(CODED)("is refused: %s", async (_name, id, file, sizes) => {
    expect(await shown(webp, fileOf(partsOf(file)))).toBe(await shown(webp, new Uint8Array(file)));
    const used = nativeHeap().used;
    const results = new Set<string>();
    for (const cut of gapsIn(file, id, sizes)) results.add(await shown(webp, cut));
    expect(results).toEqual(new Set(["422"]));
    expect(nativeHeap().used).toBe(used);
  });

  it("is read with zeros behind its data, as writers may pad it", async () => {
    for (const file of [video, rose]) {
      const parts = partsOf(file).map(({ id, payload }) => ({ id, payload: joined([payload, new Uint8Array(40)]) }));
      expect(await shown(webp, fileOf(parts))).toBe(await shown(webp, new Uint8Array(file)));
    }
  });
});

describe("an animated WebP file", () => {
  const bytes = new Uint8Array(redBlue);
  const parts = partsOf(redBlue);

  it("is refused when frames are missing at its end", async () => {
    const frames = parts.filter(({ id }) => id === "ANMF");
    expect(frames).toHaveLength(4);
    let end = bytes.length;
    for (const { payload } of frames.toReversed()) {
      end -= 8 + payload.length + (payload.length & 1);
      expect(await shown(webp, bytes.subarray(0, end))).toBe("422");
    }
  });

  it("is read when other bytes follow it, or its header counts itself", async () => {
    const whole = await shown(webp, bytes);
    expect(await shown(webp, joined([bytes, new Uint8Array(999).fill(0x5a)]))).toBe(whole);
    const counted = bytes.slice();
    new DataView(counted.buffer).setUint32(4, bytes.length, true);
    expect(await shown(webp, counted)).toBe(whole);
  });

  it("is refused when a frame's picture is cut", async () => {
    for (const size of [1, 4, 40, 200]) {
      for (const [index, { id, payload }] of parts.entries()) {
        if (id !== "ANMF") continue;
        for (const at of placesOf(24, payload.length, size, 5)) {
          const cut = parts.with(index, { id, payload: without(payload, at, size) });
          expect(await shown(webp, fileOf(cut))).toBe("422");
        }
      }
    }
  });
});
