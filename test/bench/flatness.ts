/**
 * Whether memory stays flat over a long run: what is left after a collection at each tenth, and the slope of a line through
 * all but the first of them, which fills caches and compiles what is used.
 */

/** Growth of less than this by the hour is that of caches with a bound, and of what the debugger itself remembers. */
const MAX_BYTES_PER_HOUR = 2_000_000;
/** A slope of fewer standard errors is none that the measurements show. */
const STANDARD_ERRORS = 3;

/** Bytes that were held at a moment of the run. */
export interface HeldAt {
  readonly seconds: number;
  readonly bytes: number;
}

export interface Flatness {
  /** Bytes by the hour, of a line of least squares. */
  readonly slope: number;
  /** How far the slope may be off, as the distances from the line say. */
  readonly standardError: number;
  readonly verdict: "flat" | "grows" | "too few measurements";
}

/** Judges a run: it grows where the slope is more than a cache's, and more than chance. */
export function flatnessOf(held: readonly HeldAt[]): Flatness {
  const late = held.slice(1);
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [middle, level] = [mean(late.map(({ seconds }) => seconds)), mean(late.map(({ bytes }) => bytes))];
  const spread = late.reduce((sum, { seconds }) => sum + (seconds - middle) ** 2, 0);
  if (late.length < 4 || spread === 0)
    return { slope: Number.NaN, standardError: Number.NaN, verdict: "too few measurements" };
  const perSecond = late.reduce((sum, { seconds, bytes }) => sum + (seconds - middle) * (bytes - level), 0) / spread;
  const off = late.reduce((sum, { seconds, bytes }) => sum + (bytes - level - perSecond * (seconds - middle)) ** 2, 0);
  const standardError = Math.sqrt(off / (late.length - 2) / spread) * 3_600;
  const slope = perSecond * 3_600;
  const grows = slope > MAX_BYTES_PER_HOUR && slope > STANDARD_ERRORS * standardError;
  return { slope, standardError, verdict: grows ? "grows" : "flat" };
}

/** One line of figures and the verdict, in MB. */
export function flatnessLine(what: string, held: readonly HeldAt[]): string {
  const { slope, standardError, verdict } = flatnessOf(held);
  const mb = (bytes: number) => (bytes / 1e6).toFixed(1);
  const figures = held.map(({ bytes }) => mb(bytes)).join(" ");
  return `${what}, MB at each tenth: ${figures}; ${mb(slope)} ± ${mb(standardError)} MB an hour: ${verdict}`;
}
