/** Every tool for agents, one line each, in the order in which they are listed. */
import type { Tool } from "./tool.ts";
import { accountUsage } from "./tools/account-usage.ts";
import { describeImage } from "./tools/describe-image.ts";
import { optimizeImage } from "./tools/optimize-image.ts";

export const TOOLS: ReadonlyMap<string, Tool> = new Map([
  ["optimize_image", optimizeImage],
  ["describe_image", describeImage],
  ["account_usage", accountUsage],
]);
