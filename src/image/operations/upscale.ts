/** Super-resolution. */
import { positiveInteger, record } from "../../fields.ts";
import { operation } from "../steps/operation.ts";
import { enlargeStep } from "./upscale/enlarge.ts";

const MAX_FACTOR = 8;

export const upscale = operation({
  summary:
    "Super-resolution: enlarges the picture `factor` times, with edges and textures sharper than `resize` makes them, up to 4 megapixels of it; larger ones are enlarged as by `resize`. 1 changes nothing.",
  aliases: ["superres", "super_resolution", "super-resolution", "superresolution"],
  params: record({ factor: positiveInteger(MAX_FACTOR) }),
  plan: ({ factor }, { size, frames, opaque, lossless = false }) =>
    factor === 1 ? [] : [enlargeStep(size, factor, { frames, opaque, lossless })],
});
