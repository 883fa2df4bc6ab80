/** Words that the code once had of its own, and what the field calls the same: the old ones are not to come back. */

export interface OldWord {
  readonly old: string;
  /** The term in its place, which the page on the engine explains. */
  readonly now: string;
  /** Files in which the old word had that meaning; absent: all. */
  readonly within?: RegExp;
  /** Comments may say it, for it is a common word as well. */
  readonly inNamesOnly?: boolean;
}

const ENGINE = /^(?:src\/(?:image|scheduler|pipeline)|wasm|test\/(?:image|scheduler|pipeline|wasm))\//;

export const OLD_WORDS: readonly OldWord[] = [
  { old: "breath", now: "time slice" },
  { old: "street", now: "pipeline" },
  { old: "price", now: "estimate", within: ENGINE },
  { old: "priced", now: "estimate", within: ENGINE },
  { old: "rooms", now: "memory tier", within: ENGINE, inNamesOnly: true },
  { old: "line", now: "wait queue", within: /^src\/scheduler\// },
  { old: "holder", now: "lease", within: /^src\/scheduler\/(?!time-slice)/, inNamesOnly: true },
  { old: "wish", now: "encode options" },
  { old: "maker", now: "encoder", within: /^(?:src|test)\/image\/search\// },
  { old: "trial", now: "probe" },
  { old: "rival", now: "upper bound" },
  { old: "curve", now: "probe", within: /^src\/image\/search\//, inNamesOnly: true },
  { old: "deep", now: "16-bit", within: /^(?:src\/image\/(?!formats\/svg|provenance)|wasm\/(?!resvg))/ },
  { old: "sight", now: "region of interest" },
  { old: "glimpse", now: "sampled frames" },
  { old: "stranger", now: "anonymous clients" },
  { old: "quest", now: "search" },
  { old: "contest", now: "search" },
  { old: "haste", now: "fast pass" },
  { old: "aim", now: "objective", within: ENGINE, inNamesOnly: true },
  { old: "allowance", now: "job limits" },
  { old: "manner", now: "encode options", within: ENGINE, inNamesOnly: true },
];
