/** A third Worker of the same code, for deployments whose pictures have a host of their own: the door with its cache. */
import { WorkerEntrypoint } from "cloudflare:workers";

import { atDoor } from "./delivery/door.ts";
import { type Door, forgetTag } from "./delivery/front-cache.ts";

interface Bindings {
  /** The Worker; absent where it is not deployed yet. */
  readonly SERVICE?: Fetcher;
}

export default class Pictures extends WorkerEntrypoint<Bindings> implements Door {
  override fetch(request: Request): Promise<Response> {
    return atDoor(request, this.env.SERVICE);
  }

  /** The Worker says what has changed: calls go past the cache, which each Worker empties itself alone. */
  forget(id: string): Promise<void> {
    return forgetTag(this.ctx.cache, id);
  }
}
