/** Every route, one row each, by topic. */
import type { Route } from "./route.ts";
import { account } from "./routes/account.ts";
import { administration } from "./routes/administration.ts";
import { agents } from "./routes/agents.ts";
import { assets } from "./routes/assets.ts";
import { batches } from "./routes/batches.ts";
import { deliveries } from "./routes/deliveries.ts";
import { images } from "./routes/images.ts";
import { service } from "./routes/service.ts";
import { webhooks } from "./routes/webhooks.ts";

export const ROUTES: readonly Route[] = [
  ...images,
  ...deliveries,
  ...batches,
  ...assets,
  ...account,
  ...agents,
  ...webhooks,
  ...administration,
  ...service,
];
