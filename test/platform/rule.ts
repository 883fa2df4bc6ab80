/** What the platform is known to do and a local runtime does not: each rule with its source. */

export interface Rule {
  /** A few words, by which tests and people find it. */
  readonly name: string;
  readonly says: string;
  /** The page or the source file that says so. */
  readonly source: string;
  /** The day on which it was read. */
  readonly read: string;
}

export const DOCS = "https://developers.cloudflare.com";
export const READ = "2026-11-28";
