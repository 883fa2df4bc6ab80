/** What the results of a group take, and what they are made from. */
import { parallel, NO_WORK, held, type Estimate, serial } from "../../../../wasm/estimate.ts";
import type { FormatDefinition } from "../../codec/format.ts";
import { collectEstimate, pixelBytes } from "../../pixels/buffered.ts";
import { area } from "../../pixels/geometry.ts";
import { onlyTurns, type Plan, planSteps } from "../../plan/plan.ts";
import { pictureEstimate, type Stored } from "../../plan/planned-picture.ts";
import { type Coverage, estimateOfOptions } from "../../search/attempts.ts";
import { resultDecodeEstimate } from "../../search/estimates.ts";
import type { Start } from "../../search/rendition.ts";
import { bufferedPicture, type HeldPixels } from "../buffered-picture.ts";
import { unpackEstimate } from "../embedded-file.ts";
import type { Origin } from "../origin.ts";
import type { Group, Holding, Job, Kept, Placed } from "./parts.ts";

/**
 * The file, or the buffered picture, that the jobs of a group are made from, and what is to be done with it.
 * @param pixels of what is kept, once they are there
 */
export function originOf<Entry>(
  { stored, groups, shared, keepsFile }: Holding<Entry>,
  { group, onShared, kept }: Placed<Entry>,
  pixels: { readonly shared?: HeldPixels | null; readonly kept?: HeldPixels | undefined } = {},
): { readonly stored: Stored; readonly plan: Plan } {
  const keptBytes = (shared ? pixelBytes(shared) : 0) + (kept ? pixelBytes(kept) : 0);
  const holding = { heldBytes: keepsFile ? stored.bytes.length : 0, bufferedBytes: keptBytes + gainMapBytesOf(groups) };
  const buffered = (from: Stored, planned: Kept, there: HeldPixels | null | undefined) =>
    bufferedPicture(there?.size ?? planned, from, holding, there);
  if (kept) return { stored: buffered(group.stored, kept, pixels.kept), plan: planSteps(kept, []) };
  if (!shared || !onShared) return { stored: { ...group.stored, ...holding }, plan: group.planned.plan };
  return { stored: buffered(stored, shared, pixels.shared), plan: onShared };
}

/** Bytes of the gain maps of all results, which are made before their pictures. */
function gainMapBytesOf<Entry>(groups: readonly Group<Entry>[]): number {
  const maps = groups.flatMap(({ jobs }) => jobs.map(({ gainMap }) => gainMap?.file.length ?? 0));
  return maps.reduce((sum, bytes) => sum + bytes, 0);
}

/** The estimate of the file that was packed in what a result is made from, where the result may be made from that. */
export function unpackingEstimate(
  format: FormatDefinition,
  { stored, plan }: Pick<Origin, "stored" | "plan">,
): Estimate | null {
  return onlyTurns(plan, stored.facts) ? unpackEstimate(format, stored) : null;
}

/** In the place of what is found out when the work is done. */
const SOME_START: Start = { quality: 80, variant: {} };

/** Pixels of all results in a format; undefined where it is one result alone. */
export function pixelsIn<Entry>(groups: readonly Group<Entry>[], format: FormatDefinition): number | undefined {
  const all = groups.flatMap(({ planned, jobs }) =>
    jobs.filter(({ formats }) => formats.includes(format)).map(() => area(planned.size)),
  );
  return all.length > 1 ? all.reduce((sum, pixels) => sum + pixels, 0) : undefined;
}

/**
 * The estimate of the results of a group; null where there is not enough memory.
 * @param known searches in smaller pictures, from which those of the group start
 */
export function groupEstimate<Entry>(
  holding: Holding<Entry>,
  placed: Placed<Entry>,
  known: ReadonlySet<string>,
  coverage: Coverage,
): Estimate | null {
  const { group, onShared, kept } = placed;
  const origin = originOf(holding, placed);
  const estimates: Estimate[] = [];
  for (const job of group.jobs) {
    for (const format of job.formats) {
      const key = searchKey(group, job, format);
      const start = key !== undefined && known.has(key) ? SOME_START : undefined;
      const { objective, encoding, keepsMetadata } = job;
      const allPixels = pixelsIn(holding.groups, format);
      const options = { ...origin, format, objective, encoding, keepsMetadata, isLast: false, start, allPixels };
      const estimate = estimateOfOptions(options, coverage);
      if (!estimate) return null;
      estimates.push(unpackingEstimate(format, origin) ?? NO_WORK, estimate);
      if (job.analyzes)
        estimates.push(resultDecodeEstimate(format, { ...group.planned.size, opaque: false, frames: 1 }));
    }
  }
  if (!kept) return serial(...estimates);
  const { stored } = originOf(holding, { group, ...(onShared && { onShared }) });
  const making = parallel(pictureEstimate(stored, kept.plan), collectEstimate(kept));
  return serial(making, parallel(held(pixelBytes(kept)), serial(...estimates)));
}

/**
 * What searches have in common that start where another one ended; undefined where a picture is more than another size.
 */
export function searchKey<Entry>(
  { wanted }: Group<Entry>,
  { objective }: Pick<Job<Entry>, "objective">,
  { label }: FormatDefinition,
): string | undefined {
  return wanted.isScale ? JSON.stringify([label, objective]) : undefined;
}

/** What the searches of a group have in common with others. */
export function searchKeys<Entry>(group: Group<Entry>): readonly string[] {
  return group.jobs
    .flatMap((job) => job.formats.map((format) => searchKey(group, job, format)))
    .filter((key) => key !== undefined);
}
