/** Pipelines that do not touch pixels, for tests of the entrance. */
import { ApiError } from "../../src/errors.ts";
import type { Pipeline } from "../../src/pipeline/edges.ts";
import type { Ports, Result } from "../../src/pipeline/job.ts";
import { isolateBudget } from "../../src/scheduler/budget.ts";
import { uncounted } from "./memory.ts";

const SHA1 = "2fd4e1c67a2d28fced849ee1bb76e7391b93eb12";

const measured = {
  format: "PNG",
  width: 1,
  height: 1,
  colorspace: "RGB",
  interlaced: false,
  subsample: "4:4:4",
  sampling: "4:4:4",
  depth: 24,
  quality: 100,
  frames: 1,
  alpha: false,
  sha1: SHA1,
};

/**
 * Hands the original back as each result, stored once; an image of a fetch is its URL's length in zeros. Of a srcset
 * there is one.
 */
export const shortPipeline: Pipeline = {
  process: async (job, ports): Promise<Result> => {
    const { bytes, name } = await ports.readOriginal(job.source);
    const encoded = { bytes, mime: "image/png", name: name || "image.png" };
    const { url } = await ports.keepTemporarily(encoded);
    const input = { ...measured, name: encoded.name, bytes: bytes.length };
    const output = { ...input, saved: 0, url };
    const { outputs, srcset } = job.processing;
    if (!outputs && !srcset) return { input, outputs: [{ name: "", output, encoded }] };
    return { input, outputs: Object.keys(outputs ?? { "320.avif": {} }).map((of) => ({ name: of, output })) };
  },
  portsOf: (_env, _settings, origin) => ({
    readOriginal: async (source) =>
      source.kind === "upload"
        ? source.original
        : { bytes: new Uint8Array(source.url.length), memory: uncounted, name: "fetched.png" },
    readWatermark: async () => ({ bytes: new Uint8Array(0), memory: uncounted }),
    keepTemporarily: async () => ({ url: `${origin}/temp/x/y` }),
    removeTemporary: async () => undefined,
    openStore: async () => async () => ({ url: `${origin}/store` }),
  }),
};

/** Work that takes so many declared milliseconds. */
async function compute(ms: number, { jobLimits }: Ports): Promise<void> {
  await isolateBudget.run({ bytes: 0, ms }, (timeSlice) => timeSlice.spend(ms), jobLimits);
}

/** A pipeline whose work takes so many declared milliseconds. */
export function workingPipeline(ms: number): Pipeline {
  return {
    ...shortPipeline,
    process: async (job, ports): Promise<Result> => {
      await compute(ms, ports);
      return shortPipeline.process(job, ports);
    },
  };
}

/** A pipeline whose work always ends in this error, after so many declared milliseconds. */
export function brokenPipeline(error: unknown, ms = 0): Pipeline {
  return {
    ...shortPipeline,
    process: async (_job, ports) => {
      await compute(ms, ports);
      throw error;
    },
  };
}

export const damaged = brokenPipeline(new ApiError(422, "The image is damaged"));
