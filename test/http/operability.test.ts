/** What the operator sees: the self-test, timings and data points. */
import { expect, it, vi } from "vitest";

import type { FormatDefinition } from "../../src/image/codec/format.ts";
import { FORMATS } from "../../src/image/formats.ts";
import { ADMIN, openAccount } from "../support/accounts.ts";
import { api, apiOf } from "../support/api.ts";
import { shortPipeline } from "../support/pipeline.ts";

it("the self-test goes through every format of the registry", async () => {
  const { status, body } = await api("GET", "/admin/self-test", { headers: ADMIN });
  expect(status).toBe(200);
  expect(body.formats).toEqual(Object.values<FormatDefinition>(FORMATS).map((row) => row.label));
});

it("the self-test is for the operator alone", async () => {
  const { key } = await openAccount();
  expect((await api("GET", "/admin/self-test", { key })).status).toBe(401);
});

it("an answer says how long its parts took", async () => {
  const { key } = await openAccount();
  let now = 0;
  const clock = vi.spyOn(Date, "now").mockImplementation(() => now);
  const after = async <T>(milliseconds: number, value: T): Promise<T> => {
    now += milliseconds;
    return value;
  };
  const slow = apiOf({
    ...shortPipeline,
    process: async (job, ports) => {
      const result = await shortPipeline.process(job, ports);
      const { stopwatch } = ports;
      const timeSlice = { spend: () => undefined, worked: () => now };
      await stopwatch?.run("encode", timeSlice, async () => {
        now += 250;
        await stopwatch.run("operations", timeSlice, async () => {
          now += 40;
          await stopwatch.run("decode", timeSlice, () => after(100, undefined));
        });
        now += 10;
      });
      return result;
    },
    portsOf: (...args) => {
      const ports = shortPipeline.portsOf(...args);
      return {
        ...ports,
        readOriginal: async (source) => after(30, await ports.readOriginal(source)),
        keepTemporarily: async (encoded) => after(7, await ports.keepTemporarily(encoded)),
      };
    },
  });
  try {
    const { headers } = await slow("POST", "/1.0/fetch", { key, json: { url: "https://images.test/a.png" } });
    expect(headers.get("server-timing")).toBe(
      "fetch;dur=30, decode;dur=100, operations;dur=40, encode;dur=260, store;dur=7, total;dur=437",
    );
  } finally {
    clock.mockRestore();
  }
});

it("a request is one data point where a dataset is bound", async () => {
  const { key, account } = await openAccount();
  const points: AnalyticsEngineDataPoint[] = [];
  const ANALYTICS = { writeDataPoint: (point: AnalyticsEngineDataPoint) => void points.push(point) };
  await api("GET", "/1.0/account", { key, env: { ANALYTICS } });
  await api("GET", "/health", { env: { ANALYTICS } });
  expect(points).toEqual([
    { indexes: [account.id], blobs: ["GET", "/1.0/account", "200"], doubles: [expect.any(Number)] },
    { indexes: ["none"], blobs: ["GET", "/health", "200"], doubles: [expect.any(Number)] },
  ]);
});
