/** What a deployed service met and a local one did not: each once found, and held to since. */
import { expect, it, vi } from "vitest";

import { MAX_DELIVERY_READS } from "../../src/limits/delivery.ts";
import { isolateThread } from "../../src/scheduler/time-slice.ts";
import { onPlatform } from "./platform.ts";
import { site, web } from "./site.ts";

const DAY_MS = 86_400_000;

it("misses that end in the midst leave room for others", () => {
  const silent = Promise.withResolvers<Response>();
  let isSilent = true;
  return onPlatform({ web: (request) => (isSilent ? silent.promise : web(request)) }, async (platform) => {
    const { pathOf, see } = await site(platform);
    const begun = Array.from({ length: MAX_DELIVERY_READS }, (_, index) => platform.begin(pathOf(`${index}.jpg`)));
    await vi.waitFor(
      () => expect(platform.bill.calls.filter((call) => call === "web.fetch")).toHaveLength(begun.length),
      { timeout: 60_000 },
    );
    isSilent = false;
    expect((await see("late.jpg")).status).toBe(503);
    for (const { invocation } of begun) await platform.hangUp(invocation);
    expect((await see("later.jpg")).status).toBe(200);
  });
});

it("hits write one row in so many, and go on writing after one of them has ended in the midst", () =>
  onPlatform({ web, variables: { HIT_SAMPLE: "20" } }, async (platform) => {
    const { see, pathOf } = await site(platform);
    await see("a.jpg");
    await platform.settle();
    await platform.drain();
    const random = vi.spyOn(Math, "random");
    // Hits that are counted, and end before their count is written.
    random.mockReturnValue(0);
    const { response, invocation } = platform.begin(pathOf("a.jpg"));
    await (await response).arrayBuffer();
    await platform.hangUp(invocation);
    platform.used();
    for (let hit = 0; hit < 200; hit += 1) {
      random.mockReturnValue((hit % 20) / 20);
      await see("a.jpg");
      platform.time.pass(3_000);
      await platform.settle();
    }
    random.mockRestore();
    const { rows, calls, writes } = platform.used();
    expect(rows).toBeGreaterThan(0);
    expect([rows <= 200 / 20 + 1, calls, writes]).toEqual([true, 0, 0]);
  }));

it("a result that is asked for every day for 120 days is written twice", () =>
  onPlatform({ web, variables: { HIT_SAMPLE: "1000000" } }, async (platform) => {
    const { see } = await site(platform);
    await see("a.jpg");
    await platform.settle();
    await platform.drain();
    platform.used();
    let writes = 0;
    for (let day = 0; day < 120; day += 1) {
      platform.time.pass(DAY_MS);
      platform.edge.clear();
      expect((await see("a.jpg")).headers.get("x-service-cache")).toBe("stored");
      await platform.settle();
      ({ writes } = { writes: writes + platform.used().writes });
    }
    // The mark, beside the result itself.
    expect(writes).toBe(1);
  }));

it("what went well has a line in so many, what failed always", () =>
  onPlatform({ web, variables: { LOG_SAMPLE: "100" } }, async (platform) => {
    const { get, post } = await site(platform);
    const lines: string[] = [];
    for (const level of ["log", "warn"] as const) {
      vi.spyOn(console, level).mockImplementation((line: string) => void lines.push(`${level} ${line}`));
    }
    const random = vi.spyOn(Math, "random").mockReturnValue(0.01);
    await get("/health", {});
    await get("/wp-admin.php", {});
    expect(lines).toEqual([]);
    await post("/1.0/fetch", { url: "nonsense" });
    expect(lines.splice(0)).toEqual([expect.stringMatching(/^warn .*"status":422/)]);
    random.mockReturnValue(0.009);
    await get("/health", {});
    expect(lines).toEqual([expect.stringMatching(/^log .*"status":200.*"sample":100/)]);
    vi.restoreAllMocks();
  }));

it("work that was ended has a line with its request, route, formats, pixels, estimate, and what was held", () =>
  onPlatform({ web }, async (platform) => {
    const { form } = await site(platform);
    const lines: string[] = [];
    vi.spyOn(console, "error").mockImplementation((line: string) => void lines.push(line));
    // The work on the picture begins, and its stretch never ends.
    const run = isolateThread.run.bind(isolateThread);
    const begun = Promise.withResolvers<void>();
    vi.spyOn(isolateThread, "run").mockImplementation((work, signal, standBack, mark) => {
      if (!mark) return run(work, signal, standBack);
      begun.resolve();
      return run(() => new Promise<never>(() => undefined), signal, standBack, mark);
    });
    const data = { resize: { width: 24 }, output: { format: "webp" } };
    const { invocation } = platform.begin("/1.0/upload", form(data));
    await begun.promise;
    invocation.end();
    vi.restoreAllMocks();
    vi.spyOn(console, "error").mockImplementation((line: string) => void lines.push(line));
    expect(isolateThread.look()).toBe(true);
    vi.restoreAllMocks();
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      {
        event: "work was ended in its midst",
        id: expect.stringMatching(/^[\da-f-]{36}$/),
        route: "/1.0/upload",
        from: "JPEG",
        width: 133,
        height: expect.any(Number),
        frames: 1,
        to: ["webp"],
        estimate_bytes: expect.any(Number),
        estimate_ms: expect.any(Number),
        held_bytes: expect.any(Number),
        native_bytes: expect.any(Number),
        jobs: 1,
      },
    ]);
  }));

it("ten thousand strange addresses make no object", () =>
  onPlatform({ web, variables: { LOG_SAMPLE: "1000000" } }, async (platform) => {
    for (let address = 0; address < 10_000; address += 1) {
      const headers = { "cf-connecting-ip": `10.${address >> 16}.${(address >> 8) & 255}.${address & 255}` };
      const { response } = platform.begin(address % 2 ? "/wp-admin.php" : "/admin/accounts", { headers });
      expect((await response).status).toBeGreaterThanOrEqual(400);
    }
    expect(platform.used()).toMatchObject({ calls: 0, objectRows: 0, rows: 0 });
  }));

it("no timer keeps the object of an account awake that is quiet", () =>
  onPlatform({ web }, async (platform) => {
    const { upload } = await site(platform);
    for (let picture = 0; picture < 3; picture += 1) {
      expect((await upload({ resize: { width: 24 } })).status).toBe(200);
      await platform.settle();
      platform.time.pass(20_000);
      await platform.objects.evict();
    }
    expect(platform.used()).toMatchObject({ calls: 4, awakeSeconds: 0 });
  }));

it("hosts by number are refused at once, with the reason", () =>
  onPlatform({ web, variables: { ALLOW_PRIVATE_ORIGINS: "false" } }, async (platform) => {
    const { post } = await site(platform);
    const said = async (body: object) => {
      const { status, body: answer } = await post("/1.0/fetch", body);
      return [status, (answer as { readonly message: string }).message];
    };
    const url = "https://www.example.com/uploads/a.jpg";
    expect(await said({ url: "https://93.184.216.34/a.jpg" })).toEqual([
      422,
      expect.stringContaining("not by IP address"),
    ]);
    expect(await said({ url, webhook: { url: "https://[2606:2800:220:1::1]/done" } })).toEqual([
      422,
      "webhook.url must name a host, not an IP address",
    ]);
    expect(platform.bill.calls).not.toContain("web.fetch");
  }));
