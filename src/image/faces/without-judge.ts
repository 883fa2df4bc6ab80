/** Stands for the networks that judge where a deployment leaves them out (`[alias]` in wrangler.toml): the first one alone decides. */
import type { Judge } from "./judge.ts";

export const judge: Judge | undefined = undefined;
