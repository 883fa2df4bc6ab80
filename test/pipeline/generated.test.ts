/**
 * The default request of pictures that nobody has seen, into every format: it ends with a file, which is not larger than the
 * original where the format stays or is left open. Hundreds of cases in the exhaustive run, a couple of dozen every day; a
 * seed says which (CASES_SEED).
 */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";

import type { FormatDefinition } from "../../src/image/codec/format.ts";
import { type FormatName, FORMATS } from "../../src/image/formats.ts";
import { TARGET_SCORE } from "../../src/image/search/presets.ts";
import { UNPAUSED } from "../../src/scheduler/time-slice.ts";
import { daily } from "../support/exhaustive.ts";
import { generated, type Kind, KINDS, type Scale } from "../support/generated.ts";
import { pictureOf } from "../support/rows.ts";
import { sharedCount } from "../support/share.ts";
import { walk } from "../support/walk.ts";

const SETTINGS = { quality: 90, progressive: false, effort: 0.5 };
/** All but films, which hold no stills. */
const WRITABLE = (Object.entries(FORMATS) as [FormatName, FormatDefinition][]).filter(
  ([, { write, can }]) => write && !can.movesAlone,
);
const ORIGINALS = ["png", "webp", "gif", "jpeg"] as const;
const OUTPUTS = ["auto", ...WRITABLE.map(([name]) => name)] as const;

const COUNT = daily(2, sharedCount(30, 2));
/** One of so many is large: the whole run has three of each kind, a third of it one. */
const LARGE_TURNS = 10;
const SEED = Number(env.CASES_SEED || "1");

interface Case {
  readonly kind: Kind;
  readonly seed: number;
  readonly scale: Scale;
  readonly from: FormatName;
  readonly outputs: readonly string[];
}

const CASES: readonly Case[] = KINDS.flatMap((kind, row) =>
  Array.from({ length: COUNT }, (_, at) => {
    const turn = row + at;
    const isMoving = kind === "slides" || kind === "moving";
    const from = ORIGINALS[turn % (isMoving ? 3 : ORIGINALS.length)] ?? "png";
    const to = OUTPUTS[turn % OUTPUTS.length] ?? "auto";
    const scale = at % LARGE_TURNS === LARGE_TURNS - 1 ? "large" : "small";
    return { kind, scale, seed: SEED * 1_000 + turn * 17 + row, from, outputs: ["same", to] };
  }),
);

async function originalOf({ kind, seed, scale, from }: Case): Promise<Uint8Array> {
  const picture = pictureOf(generated(kind, seed, scale), { delayMs: 100, opaque: kind !== "translucent" });
  const { write } = FORMATS[from] as FormatDefinition;
  if (!write) throw new Error("the format is not written");
  return write.encode(picture, { ...SETTINGS, lossless: from !== "jpeg" }, UNPAUSED);
}

describe.each(CASES)("$kind, $scale, of seed $seed, a file of $from", (one) => {
  it.each(one.outputs)("ends with a file that is no larger where it may stay: %s", async (to) => {
    const bytes = await originalOf(one);
    const { input, output } = await walk(bytes, to === "same" ? {} : { output: { format: to } });
    expect(output.bytes).toBeGreaterThan(0);
    const mayStay = to === "same" || to === "auto" || output.format === input.format;
    if (mayStay) expect(output.bytes).toBeLessThanOrEqual(input.bytes);
    // Pictures below 48 pixels have no score.
    if (output.score === undefined) return;
    // What no quality keeps is written as well as it can be.
    const isBound = output.format === "GIF" || output.quality >= 98;
    if (isBound) return;
    expect(output.score).toBeGreaterThanOrEqual(TARGET_SCORE.medium);
    expect(output.looks).toBe("same");
  });
});
