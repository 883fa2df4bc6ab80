/** A photograph of 600 x 315 in a palette: against the palette of sharp, with the score of what comes out. */
import type { FormatDefinition } from "../../src/image/codec/format.ts";
import type { EncodeSettings } from "../../src/image/codec/writer.ts";
import { gif } from "../../src/image/formats/gif.ts";
import { png } from "../../src/image/formats/png.ts";
import { webp } from "../../src/image/formats/webp.ts";
import { firstFrame, type Picture } from "../../src/image/pixels/picture.ts";
import { UNPAUSED } from "../../src/scheduler/time-slice.ts";
import { drain, pictureOf, type Pixels, rowsOf } from "../support/rows.ts";
import { scoreRows } from "../support/scores.ts";
import type { Bench, Candidate, Platform } from "./harness.ts";

const QUALITIES = [98, 85, 71] as const;

function opened(format: FormatDefinition, bytes: Uint8Array): Picture {
  const facts = format.read.factsOf(bytes);
  const { width, height, alpha, frames, loops } = facts;
  const demand = { box: { x: 0, y: 0, width, height }, width, height };
  return {
    width,
    height,
    opaque: !alpha,
    frames,
    loops,
    open: (timeSlice) => format.read.open(bytes, facts, demand, timeSlice),
  };
}

async function judged(format: FormatDefinition, bytes: Uint8Array, pixels: Pixels): Promise<object> {
  const shown = await firstFrame(opened(format, bytes), UNPAUSED);
  const score = await scoreRows(rowsOf(pixels), shown, UNPAUSED);
  return { bytes: bytes.length, score: score.toFixed(2) };
}

function own(pixels: Pixels): Candidate[] {
  const settings: EncodeSettings = { lossless: false, quality: 0, progressive: false, effort: 0.5 };
  return [png, gif].flatMap((format) =>
    QUALITIES.map((quality) => ({
      name: `own, ${format.label}, quality ${quality}`,
      run: async () => {
        const bytes = await format.write.encode(pictureOf([pixels]), { ...settings, quality }, UNPAUSED);
        return judged(format, bytes, pixels);
      },
    })),
  );
}

async function others(platform: Platform, { width, height, data }: Pixels): Promise<Candidate[]> {
  if (platform === "workerd") return [];
  const { default: sharp } = await import("sharp");
  sharp.concurrency(1);
  sharp.cache(false);
  const pixels = { width, height, data };
  const raw = () => sharp(data, { raw: { width, height, channels: 4 } }).removeAlpha();
  const shown = async (format: FormatDefinition, work: Promise<Uint8Array>) =>
    judged(format, new Uint8Array(await work), pixels);
  return [
    { name: "sharp, PNG, 256 colors", run: () => shown(png, raw().png({ palette: true, effort: 7 }).toBuffer()) },
    { name: "sharp, GIF", run: () => shown(gif, raw().gif({ effort: 7 }).toBuffer()) },
  ];
}

export const bench: Bench = {
  title: "a photograph of 600 x 315 in a palette; times include scoring",
  rounds: 3,
  async candidates(platform, load) {
    const file = await load("test/fixtures/webp/denali.webp");
    const pixels = await drain(await firstFrame(opened(webp, file), UNPAUSED));
    return [...own(pixels), ...(await others(platform, pixels))];
  },
};
