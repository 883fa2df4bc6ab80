/** The endpoints that list and show notifications. */
import { beforeEach, describe, expect, it } from "vitest";

import { forgetKeys } from "../../src/account/keys.ts";
import { openAccount } from "../support/accounts.ts";
import { api } from "../support/api.ts";
import { store } from "../support/webhooks.ts";

beforeEach(() => forgetKeys());

describe("GET /1.0/webhooks", () => {
  const NOON = Date.UTC(2026, 10, 20, 12);
  const ids = async (key: string, query = ""): Promise<string[]> => {
    const { status, body } = await api("GET", `/1.0/webhooks${query}`, { key });
    expect(status).toBe(200);
    return body.webhooks.map(({ id }: { id: string }) => id);
  };

  it("lists the 50 newest, and pages stably, also within one millisecond", async () => {
    const { key, account } = await openAccount();
    const stored = await store(
      ...Array.from({ length: 130 }, (_, index) => ({
        accountId: account.id,
        createdAt: NOON + Math.floor(index / 20),
      })),
    );
    expect(await ids(key)).toHaveLength(50);
    const pages = [await ids(key, "?limit=100"), await ids(key, "/?limit=100&offset=100")];
    expect(pages.map((page) => page.length)).toEqual([100, 30]);
    expect(pages.flat().toSorted()).toEqual(stored.toSorted());
    expect(await ids(key, "?offset=1000")).toEqual([]);
    const { webhooks } = (await api("GET", "/1.0/webhooks?limit=100", { key })).body;
    const order = webhooks.map((record: { created_at: string; id: string }) => `${record.created_at} ${record.id}`);
    expect(order).toEqual(order.toSorted().toReversed());
  });

  it("filters by one and several states and by both ends of a range", async () => {
    const { key, account } = await openAccount();
    const states = ["created", "scheduled", "dispatched", "delivered", "failed"];
    const [created, scheduled, dispatched, delivered, failed] = await store(
      ...states.map((status, index) => ({
        accountId: account.id,
        status,
        createdAt: NOON + index * 1_000,
        payload: status === "created" ? null : (undefined as never),
      })),
    );
    expect(await ids(key)).toEqual([failed, delivered, dispatched, scheduled, created]);
    expect(await ids(key, "?status=failed")).toEqual([failed]);
    expect(await ids(key, "?status=created,delivered,failed")).toEqual([failed, delivered, created]);
    expect(await ids(key, "?status=created,delivered,failed&limit=1&offset=1")).toEqual([delivered]);
    expect(await ids(key, `?status=${states.join(",")}`)).toHaveLength(5);
    expect(await ids(key, "?start=2026-11-20T12:00:01Z&end=2026-11-20T12:00:03.000Z")).toEqual([
      delivered,
      dispatched,
      scheduled,
    ]);
    expect(await ids(key, "?start=2026-11-20T12:00:03")).toEqual([failed, delivered]);
    expect(await ids(key, "?start=2026-11-20T13:00:03%2B01:00")).toEqual([failed, delivered]);
    expect(await ids(key, "?start=2026-11-20T13:00:03+01:00")).toEqual([failed, delivered]);
    expect(await ids(key, "?start=2026-11-20T11:00:03.000-01:00")).toEqual([failed, delivered]);
    expect(await ids(key, "?start=2026-11-20&end=2026-11-20")).toHaveLength(5);
    expect(await ids(key, "?end=2026-11-19")).toEqual([]);
  });

  it("shows nothing of other accounts", async () => {
    const [owner, other] = [await openAccount(), await openAccount()];
    const [id] = await store({ accountId: owner.account.id });
    expect(await ids(other.key)).toEqual([]);
    expect((await api("GET", `/1.0/webhooks/${id}`, { key: other.key })).status).toBe(404);
    expect((await api("GET", `/1.0/webhooks/${id}/`, { key: owner.key })).status).toBe(200);
  });

  it("shows an empty payload while a job waits", async () => {
    const { key, account } = await openAccount();
    const [id] = await store({ accountId: account.id, status: "created", payload: null, wakeAt: Date.now() });
    expect((await api("GET", `/1.0/webhooks/${id}`, { key })).body.webhook).toMatchObject({ code: 0, payload: {} });
  });

  it.each([
    [
      "status=",
      "status must be one or several of created, scheduled, dispatched, delivered, failed, separated by commas",
    ],
    [
      "status=done",
      "status must be one or several of created, scheduled, dispatched, delivered, failed, separated by commas",
    ],
    ["limit=0", "limit must be an integer between 1 and 100"],
    ["limit=101", "limit must be an integer between 1 and 100"],
    ["limit=ten", "limit must be an integer between 1 and 100"],
    ["offset=-1", "offset must be an integer between 0 and 10000"],
    ["offset=1.5", "offset must be an integer between 0 and 10000"],
    ["offset=10001", "offset must be an integer between 0 and 10000"],
    ["start=yesterday", "start must be a date and time in the ISO 8601 form, such as 2026-11-20T12:00:00Z"],
    ["end=2026-02-30", "end must be a date and time in the ISO 8601 form, such as 2026-11-20T12:00:00Z"],
    ["end=2026-11-20T25:00:00Z", "end must be a date and time in the ISO 8601 form, such as 2026-11-20T12:00:00Z"],
    ["start=2026-11-21&end=2026-11-20", "end must not be before start"],
    ["page=2", "page is not a known parameter"],
  ])("is 422 on ?%s", async (query, message) => {
    const { key } = await openAccount();
    const { status, body } = await api("GET", `/1.0/webhooks?${query}`, { key });
    expect([status, body.message]).toEqual([422, message]);
  });

  it.each(["nonsense", crypto.randomUUID()])("is 404 for the id %s", async (id) => {
    const { key } = await openAccount();
    expect((await api("GET", `/1.0/webhooks/${id}`, { key })).status).toBe(404);
  });
});
