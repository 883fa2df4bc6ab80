/** The street with its real edges: what both entrances walk. Tests put a shorter one in its place. */
import type { Settings } from "./env.ts";
import { ApiError } from "./errors.ts";
import { MAX_SOURCE_BYTES } from "./limits.ts";
import { type Job, type Ports, process, type Result } from "./process.ts";
import { readOrigin } from "./source/origin.ts";
import { keepTemporarily } from "./storage/volatile.ts";

export interface Street {
  readonly process: (job: Job, ports: Ports) => Promise<Result>;
  /** The edges, for one job; `baseUrl` is the public address of the service. */
  readonly portsOf: (env: Env, settings: Settings, baseUrl: string) => Ports;
}

export const street: Street = {
  process,
  portsOf: (env, settings, baseUrl) => ({
    readOriginal: async (source) =>
      source.kind === "upload" ? source.original : readOrigin(source, settings, MAX_SOURCE_BYTES),
    readWatermark: () => Promise.reject(new ApiError(422, "watermark.id is not the id of a saved watermark")),
    keepTemporarily: (encoded) => {
      const lease = { baseUrl, ttlSeconds: settings.temporaryTtlSeconds };
      return keepTemporarily(env.BUCKET, lease, encoded, Date.now());
    },
  }),
};
