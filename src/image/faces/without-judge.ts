/** Stands for the second network where a deployment leaves it out (`[alias]` in wrangler.toml): the first one alone decides. */
import type { Judge } from "./judge.ts";

export const judge: Judge | undefined = undefined;
