/** All rules of the platform that tests hold the service to; the documentation lists them. */
import { BILL_RULES } from "./bill.ts";
import { BOUND_RULES } from "./bounds.ts";
import { CACHE_RULES } from "./cache.ts";
import { CLOCK_RULES, END_RULES } from "./invocation.ts";
import { MEMORY_RULES, OBJECT_RULES, PLACE_RULES } from "./isolate-rules.ts";
import { QUEUE_RULES } from "./queue.ts";
import type { Rule } from "./rule.ts";

export const RULES: readonly Rule[] = [
  ...CLOCK_RULES,
  ...END_RULES,
  ...BOUND_RULES,
  ...MEMORY_RULES,
  ...PLACE_RULES,
  ...OBJECT_RULES,
  ...QUEUE_RULES,
  ...CACHE_RULES,
  ...BILL_RULES,
];
