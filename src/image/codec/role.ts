/** What a format is chosen for where a request leaves its format open, and where lists name it. */

/** Still pictures, or pictures that move. */
export type Motion = "stills" | "animations";

/** Places among the formats that do one task, each at most once; the least is asked first. Absent: never. */
type Places = Readonly<Partial<Record<Motion, number>>>;

/**
 * What a format that results may have is chosen for. Its numbers are places in an order of formats, of which the least
 * comes first, and no two formats have the same.
 */
export interface Role {
  /** In lists: of requests, addresses and pages. Formats whose files are mostly the smallest come first. */
  readonly listed: number;
  /**
   * In the order in which `auto` tries formats: those that are mostly the smallest come first, beside which others are
   * given up after few probes. Absent: it is chosen by its name alone, and nothing becomes one of it unasked.
   */
  readonly tried?: number;
  /**
   * A format with the same colors and a better compression: never tried beside that of a still, and of animations given
   * up where that was.
   */
  readonly largerThan?: { readonly mime: string };
  /**
   * Its files of drawings are larger than those of any other: it is tried last of them, since a probe says that best
   * where the size of another file is known.
   */
  readonly lastOfDrawings?: true;
  /** Every client shows it, and need not say so. */
  readonly everywhere?: true;
  /** Formats of a first, quick file: by how fast they are made. */
  readonly draft?: Places;
  /** What a picture becomes whose own format is not written, where a request names none. */
  readonly fallback?: Places;
  /** The name under which addresses ask for its files in one scan, where it has others. */
  readonly oneScan?: string;
}
