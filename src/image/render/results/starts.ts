/** Where searches ended, by what they have in common, and where the next one is to start. */
import type { Size } from "../../pixels/geometry.ts";
import type { Start } from "../../search/rendition.ts";

/** The part of a change from one width to the next that is expected to go on: qualities wander more than they drift. */
const TREND = 0.3;
/** How far a start may be from where the last search ended. */
const MAX_DRIFT = 3;

interface End {
  readonly logWidth: number;
  readonly start: Start;
}

export class Starts {
  private readonly ends = new Map<string, readonly End[]>();

  /** Notes where a search in a picture of this size ended; without a key there is nobody to tell. */
  note(key: string | undefined, { width }: Size, start: Start): void {
    if (key === undefined) return;
    this.ends.set(key, [...(this.ends.get(key) ?? []), { logWidth: Math.log(width), start }]);
  }

  /** Where a search in a picture of this size is to start; undefined where nothing is known. */
  of(key: string | undefined, { width }: Size): Start | undefined {
    const ends = (key !== undefined && this.ends.get(key)) || [];
    const [last, before] = [ends.at(-1), ends.at(-2)];
    if (!last) return undefined;
    const step = before ? last.logWidth - before.logWidth : 0;
    if (!before || step === 0) return last.start;
    const slope = (last.start.quality - before.start.quality) / step;
    const drift = TREND * slope * (Math.log(width) - last.logWidth);
    const quality = last.start.quality + Math.min(MAX_DRIFT, Math.max(-MAX_DRIFT, drift));
    return { ...last.start, quality };
  }
}
