/** One attempt to deliver a notification. */
import { afterEach, expect, it, vi } from "vitest";

import { deliver, type Delivery } from "../../src/webhook/deliver.ts";

afterEach(() => void vi.useRealTimers());

const NOW = 1_795_219_568_636;
const notification = {
  id: "0b0d8a8e-6f0c-4f43-9d3e-6c3f0a3a7f11",
  url: "https://receiver.example/hook?x=1",
  body: '{"success":true}',
  secrets: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
};

function delivery(fetch: Delivery["fetch"], changes: Partial<Delivery> = {}): Delivery {
  let time = NOW;
  return {
    userAgent: "Service/1.0",
    isAllowed: () => true,
    fetch,
    now: () => (time += 40) - 40,
    ...changes,
  };
}

it("posts the exact text with signature, type and name, and reports status and time", async () => {
  const requests: Request[] = [];
  const attempt = await deliver(
    notification,
    delivery(async (request) => {
      requests.push(request);
      return new Response(null, { status: 204 });
    }),
  );
  expect(attempt).toEqual({ at: NOW, code: 204, durationMs: 40 });
  const [request] = requests;
  expect(request?.method).toBe("POST");
  expect(request?.url).toBe(notification.url);
  expect(request?.redirect).toBe("manual");
  expect(await request?.text()).toBe(notification.body);
  expect(Object.fromEntries(request?.headers ?? [])).toEqual({
    "content-type": "application/json",
    "user-agent": "Service/1.0",
    "webhook-id": notification.id,
    "webhook-timestamp": "1795219568",
    "webhook-signature": expect.stringMatching(/^v1,\S{44}$/),
  });
});

it("sends credentials of the URL as Basic credentials, and not in the URL", async () => {
  const url = "https://us%65r:p%40ss%zz@receiver.example/hook";
  await deliver(
    { ...notification, url },
    delivery(async (request) => {
      expect(request.url).toBe("https://receiver.example/hook");
      expect(request.headers.get("authorization")).toBe(`Basic ${btoa("user:p%40ss%zz")}`);
      return new Response();
    }),
  );
});

it.each([301, 302, 304, 404, 500])("takes %i as it is", async (status) => {
  const answer = async () => new Response(null, { status, headers: { location: "https://elsewhere.example/" } });
  expect(await deliver(notification, delivery(answer))).toMatchObject({ code: status });
});

it("reports 0 when the endpoint cannot be reached", async () => {
  expect(
    await deliver(
      notification,
      delivery(() => Promise.reject(new Error("refused"))),
    ),
  ).toMatchObject({ code: 0 });
});

it("waits 10 seconds for an answer, and not longer", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  let aborted = false;
  const called = Promise.withResolvers<void>();
  const silent = (request: Request) =>
    new Promise<Response>((_, reject) => {
      request.signal.addEventListener("abort", () => {
        aborted = true;
        reject(new Error("aborted"));
      });
      called.resolve();
    });
  const attempt = deliver(notification, delivery(silent));
  await called.promise;
  vi.advanceTimersByTime(9_999);
  expect(aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect(await attempt).toMatchObject({ code: 0 });
});

it("leaves no timer behind", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  await deliver(
    notification,
    delivery(async () => new Response()),
  );
  expect(vi.getTimerCount()).toBe(0);
});

it("does not call an address that must not be called", async () => {
  const never = () => Promise.reject(new Error("called"));
  const attempt = await deliver(
    notification,
    delivery(never, { isAllowed: (url) => url.hostname !== "receiver.example" }),
  );
  expect(attempt).toMatchObject({ code: 0 });
});

it("does not wait for the body of an answer", async () => {
  let canceled = false;
  const endless = new ReadableStream({
    pull: (controller) => controller.enqueue(new Uint8Array(1_024)),
    cancel: () => void (canceled = true),
  });
  expect(
    await deliver(
      notification,
      delivery(async () => new Response(endless)),
    ),
  ).toMatchObject({ code: 200 });
  expect(canceled).toBe(true);
});
