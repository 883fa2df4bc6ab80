/** Composition root: names the entrances, holds no logic. */
import * as platform from "cloudflare:workers";

import { ask, type Door, type ImagesProps, infoOf, Transformer } from "./entrances/images.ts";
import { thisIsolate } from "./entrances/isolate.ts";
import { placed } from "./entrances/placed.ts";
import { createConsumer } from "./entrances/queue.ts";
import { sweep } from "./entrances/sweep.ts";
import { createApp } from "./http/app.ts";
import { withDrawn } from "./http/drawn.ts";
import { receive } from "./http/handed-over.ts";
import { holdForReader } from "./http/lending.ts";
import { pipeline } from "./pipeline/edges.ts";
import "./limits/relations.ts";

export { BatchKeeper } from "./entrances/batch.ts";
export { Courier } from "./entrances/courier.ts";
export { Meter } from "./entrances/meter.ts";

const app = createApp(pipeline);
/** Whichever way a request comes in, it finds the objects of its account where they are. */
const answer = async (request: Request, env: Env, context: ExecutionContext): Promise<Response> =>
  app.fetch(request, placed(env), context);
const consume = createConsumer(pipeline);
/** The types of the platform lack it, and an older runtime has none. In a local runtime it ends the process. */
const { abortIsolate } = platform as { readonly abortIsolate?: (reason: string) => never };
const isolate = thisIsolate(abortIsolate);

/** An isolate besides, `maker:<n>`: where a busy one hands requests, which come in by the same doors. */
export class Maker extends platform.DurableObject<Env> {
  override fetch(request: Request): Promise<Response> {
    const defer = (work: Promise<unknown>) => this.ctx.waitUntil(work.catch(() => undefined));
    const context = { waitUntil: defer, passThroughOnException: () => undefined, props: {} };
    return isolate.during(defer, () => answer(receive(request), this.env, context as unknown as ExecutionContext));
  }
}

/** The image binding of other Workers: `entrypoint = "Images"`, `props = {key = "…"}`. */
export class Images extends platform.WorkerEntrypoint<Env, ImagesProps> {
  /** A picture, to which steps are added. */
  input(stream: ReadableStream<Uint8Array>, options?: ImageInputOptions): Transformer {
    return new Transformer(this.door(), stream, options);
  }

  /** The format, the bytes and the size of a picture: free, and without a look at its pixels. */
  info(stream: ReadableStream<Uint8Array>, options?: ImageInputOptions): Promise<ImageInfoResponse> {
    return infoOf(this.door(), stream, options);
  }

  /** Any request of the API, for whose client the binding is the way. */
  override fetch(request: Request): Promise<Response> {
    return ask(this.door(), request);
  }

  private door(): Door {
    const { env, ctx } = this;
    const defer = deferIn(ctx);
    const enter: Door["enter"] = (request, drawn, keep) => {
      const answering = isolate.during(defer, () => answer(withDrawn(request, drawn, keep), env, ctx));
      defer(answering);
      return answering;
    };
    return { env, props: ctx.props ?? {}, enter, hold: holdForReader };
  }
}

/** Keeps an invocation going until `work` is over, however it ends. */
function deferIn(context: ExecutionContext): (work: Promise<unknown>) => void {
  return (work) => context.waitUntil(work.catch(() => undefined));
}

export default {
  // When the caller hangs up, the platform would drop the work in its midst: memory that it holds would never be given
  // back, its credit never closed. So it goes on to its end, which comes soon: a request's signal stops the engine.
  fetch(request, env, context) {
    const defer = deferIn(context);
    const answering = isolate.during(defer, () => answer(request, env, context));
    defer(answering);
    return answering;
  },
  queue: (batch, env, context) => isolate.during(deferIn(context), () => consume(batch, placed(env), context)),
  scheduled: (_, env, context) => isolate.during(deferIn(context), () => sweep(placed(env))),
} satisfies ExportedHandler<Env>;
