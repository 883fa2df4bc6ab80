/** The entrance for agents, by the protocol's own client and message by message. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";

import { forgetKeys } from "../../src/account/keys.ts";
import { createApp } from "../../src/http/app.ts";
import { FORMATS } from "../../src/image/formats.ts";
import { verifyFile } from "../../src/image/provenance/verify.ts";
import { MAX_JSON_BYTES } from "../../src/limits.ts";
import { pipeline, type Pipeline } from "../../src/pipeline/edges.ts";
import photo from "../fixtures/jpeg/s420.jpg";
import signed from "../fixtures/provenance/signed-es256.jpg";
import { ADMIN, openAccount } from "../support/accounts.ts";
import { api } from "../support/api.ts";
import { uncounted } from "../support/memory.ts";
import { shortPipeline } from "../support/pipeline.ts";
import { NOW } from "../support/signed-files.ts";
import { SIGNERS } from "../support/test-signers.ts";

const MCP = "https://darkroom.test/mcp";
const PICTURE = "https://images.example.com/photo.jpg";

/** The pipeline as it is, but every origin has the same photograph. */
const photoPipeline: Pipeline = {
  ...pipeline,
  portsOf: (...args) => ({
    ...pipeline.portsOf(...args),
    readOriginal: async () => ({ bytes: new Uint8Array(photo.slice(0)), memory: uncounted, name: "photo.jpg" }),
  }),
};

/** Another, which has the same photograph with Content Credentials. */
const signedPipeline: Pipeline = {
  ...pipeline,
  portsOf: (...args) => ({
    ...pipeline.portsOf(...args),
    readOriginal: async () => ({ bytes: new Uint8Array(signed.slice(0)), memory: uncounted, name: "photo.jpg" }),
  }),
};

async function send(request: Request, walked: Pipeline = shortPipeline): Promise<Response> {
  const context = createExecutionContext();
  const response = await createApp(walked).fetch(request, env, context);
  const answer = new Response(await response.arrayBuffer(), response);
  await waitOnExecutionContext(context);
  return [202, 204].includes(answer.status) ? new Response(null, answer) : answer;
}

async function connected(key: string, mode: "auto" | "legacy", walked?: Pipeline): Promise<Client> {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  const transport = new StreamableHTTPClientTransport(new URL(MCP), {
    fetch: (url, init) => send(new Request(url, init), walked),
    requestInit: { headers: { authorization: `Bearer ${key}` } },
  });
  await client.connect(transport);
  return client;
}

interface Result {
  readonly isError?: boolean;
  readonly content: readonly { readonly text: string }[];
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read members freely
  readonly structuredContent?: any;
}

async function call(client: Client, name: string, args: Record<string, unknown> = {}): Promise<Result> {
  return (await client.callTool({ name, arguments: args })) as Result;
}

async function agentKey(json: object): Promise<{ key: string; id: string; account: string }> {
  const { account } = await openAccount();
  const { body } = await api("POST", `/admin/accounts/${account.id}/keys`, { headers: ADMIN, json });
  return { key: body.key, id: body.id, account: account.id };
}

beforeEach(() => forgetKeys());

describe.each(["auto", "legacy"] as const)("the protocol's own client, with versions %s", (mode) => {
  it("finds the tools, with schemas that stand alone", async () => {
    const { key } = await openAccount();
    const client = await connected(key, mode);
    expect(client.getServerVersion()).toMatchObject({ name: "darkroom" });
    expect(client.getNegotiatedProtocolVersion()).toBe(mode === "auto" ? "2026-07-28" : "2025-11-25");
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["optimize_image", "describe_image", "account_usage"]);
    for (const { inputSchema, description } of tools) {
      expect(JSON.stringify(inputSchema)).not.toContain("#/components");
      expect(description).not.toBe("");
    }
    const [optimize] = tools;
    expect(Object.keys(optimize?.inputSchema.properties ?? {})).toEqual(expect.arrayContaining(["url", "resize"]));
    expect(optimize?.inputSchema.properties).toHaveProperty("srcset");
    for (const member of ["store", "outputs"]) expect(optimize?.inputSchema.properties).not.toHaveProperty(member);
    await client.close();
  });

  it("lists its tools with what they give, in 8 KB", async () => {
    const { key } = await openAccount();
    const client = await connected(key, mode);
    const { tools } = await client.listTools();
    expect(JSON.stringify(tools).length).toBeLessThanOrEqual(8 * 1024);
    for (const { outputSchema } of tools) expect(outputSchema?.["required"]).not.toHaveLength(0);
    const { properties = {} } = tools[0]?.inputSchema ?? {};
    expect(properties["optimize"]).toMatchObject({ properties: { quality: { type: "integer", minimum: 1 } } });
    const { description } = properties["filter"] as { description: string };
    expect(description).toContain("blur?: {mode?: gaussian|box|disc|motion|zoom|median, value: 0..100, ");
    await client.close();
  });

  it("has an image optimized for a credit, and counts one request for a call", async () => {
    const { key } = await openAccount(10);
    const client = await connected(key, mode);
    const before = await call(client, "account_usage");
    const { structuredContent, content } = await call(client, "optimize_image", { url: PICTURE });
    expect(structuredContent).toMatchObject({ output: { format: "PNG", url: "https://darkroom.test/temp/x/y" } });
    expect(JSON.parse(content[0]?.text ?? "")).toEqual(structuredContent);
    const after = await call(client, "account_usage");
    expect(after.structuredContent.credits).toEqual({ total: 10, used: 1, remaining: 9 });
    // This call and the one in between.
    expect(after.structuredContent.total.requests - before.structuredContent.total.requests).toBe(2);
    expect(after.structuredContent.total.pictures - before.structuredContent.total.pictures).toBe(1);
    await client.close();
  });

  it("reads the API's own words where a call fails", async () => {
    const { key } = await openAccount(0);
    const client = await connected(key, mode);
    const words = async (name: string, args: Record<string, unknown>) => {
      const { isError, content } = await call(client, name, args);
      return [isError, content[0]?.text];
    };
    expect(await words("optimize_image", { url: PICTURE })).toEqual([true, "No credits left in this period"]);
    expect(await words("account_usage", { start: "soon" })).toEqual([true, expect.stringMatching(/^start must be/)]);
    const store = { url: PICTURE, store: {} };
    expect(await words("optimize_image", store)).toEqual([true, "store is not a known parameter"]);
    await expect(call(client, "paint_image")).rejects.toThrow("params.name must be the name of a tool");
    await client.close();
  });
});

it("describes an image in its own pixels, with a preview", async () => {
  const { key } = await openAccount();
  const client = await connected(key, "auto", photoPipeline);
  const { structuredContent } = await call(client, "describe_image", { url: PICTURE });
  expect(structuredContent.image).toMatchObject({ format: "JPEG", bytes: photo.byteLength });
  expect(structuredContent.analysis.color).toMatch(/^#[\da-f]{6}$/);
  expect(Array.isArray(structuredContent.analysis.faces)).toBe(true);
  expect(Math.max(structuredContent.preview.width, structuredContent.preview.height)).toBeLessThanOrEqual(640);
  expect(JSON.stringify(structuredContent).length).toBeLessThan(4_000);
  await client.close();
});

it.each(["describe_image", "optimize_image"])("shows the image of %s where that is asked for", async (name) => {
  const { key } = await openAccount();
  const client = await connected(key, "auto", photoPipeline);
  const shown = async (args: Record<string, unknown>) => {
    const { isError, content } = await call(client, name, { url: PICTURE, ...args });
    expect(isError).toBeUndefined();
    return content.slice(1) as unknown as { type: string; mimeType: string; data: string }[];
  };
  expect(await shown({})).toEqual([]);
  const resized = name === "optimize_image" ? { resize: { width: 64 }, output: { format: "webp" } } : {};
  const [image, ...others] = await shown({ ...resized, show: true });
  expect([image?.type, image?.mimeType, others]).toEqual(["image", "image/webp", []]);
  const head = Uint8Array.fromBase64(image?.data ?? "").subarray(0, 12);
  expect(new TextDecoder("latin1").decode(head)).toMatch(/^RIFF....WEBP$/s);
  await client.close();
});

it("shows no result that models are not shown", async () => {
  const { key } = await openAccount();
  const client = await connected(key, "auto", photoPipeline);
  const args = { url: PICTURE, resize: { width: 64 }, output: { format: "avif" }, show: true };
  const { content, structuredContent } = await call(client, "optimize_image", args);
  expect([content.length, structuredContent.output.format]).toEqual([1, "AVIF"]);
  await client.close();
});

it("tells who made an image, and has results signed", async () => {
  const { key } = await openAccount();
  await api("POST", "/1.0/signers", { key, json: { name: "prints", ...SIGNERS.es256 } });
  const client = await connected(key, "auto", signedPipeline);
  const described = await call(client, "describe_image", { url: PICTURE, analyze: ["provenance"] });
  expect(described.structuredContent.image.provenance).toMatchObject({
    state: "valid",
    signer: "Darkroom test signer",
  });
  expect(described.structuredContent.analysis.provenance.manifests[0].actions).toMatchObject([
    { action: "c2pa.created" },
  ]);
  const signing = { url: PICTURE, output: { format: "png", provenance: "sign" } };
  const { structuredContent } = await call(client, "optimize_image", signing);
  const { bytes } = await api("GET", new URL(structuredContent.output.url).pathname);
  const found = await verifyFile(bytes, FORMATS.png.manifest, { anchors: async () => [], now: NOW });
  expect(found).toMatchObject({ state: "valid", manifests: [{ generator: "Service 1.0" }, {}] });
  await client.close();
});

describe("a key for agents", () => {
  it("opens this entrance and nothing else", async () => {
    const { key } = await agentKey({ kind: "agent" });
    const client = await connected(key, "auto");
    expect((await call(client, "account_usage")).isError).toBeUndefined();
    for (const path of ["/1.0/account", "/1.0/fetch", "/1.0/nowhere"]) {
      const { status, body } = await api(path === "/1.0/fetch" ? "POST" : "GET", path, { key });
      expect([status, body.message]).toEqual([403, "This key is for agents: it opens POST /mcp and nothing else"]);
    }
    expect((await api("GET", "/mcp", { key })).status).toBe(405);
    await client.close();
  });

  it("has so many images processed on a day, however many calls come at once", async () => {
    const { key } = await agentKey({ kind: "agent", daily_limit: 2 });
    const client = await connected(key, "auto");
    const calls = Array.from({ length: 5 }, () => call(client, "optimize_image", { url: PICTURE }));
    const results = await Promise.all(calls);
    const refused = results.filter(({ isError }) => isError);
    expect(refused).toHaveLength(3);
    for (const { content } of refused) {
      expect(content[0]?.text).toMatch(/^The daily limit of this key is reached, resets in \d+ seconds$/);
    }
    const { structuredContent } = await call(client, "account_usage");
    expect(structuredContent.credits.used).toBe(2);
    await client.close();
  });

  it("has no image processed whose files together are more than is left of its day", async () => {
    const { key } = await agentKey({ kind: "agent", daily_limit: 2 });
    const client = await connected(key, "auto");
    const refused = await call(client, "optimize_image", { url: PICTURE, srcset: { widths: [9, 8, 7] } });
    expect(refused.content[0]?.text).toMatch(
      /^Not enough of this key's daily limit is left, which resets in \d+ seconds: this request takes 9$/,
    );
    const { structuredContent } = await call(client, "account_usage");
    expect(structuredContent.credits.used).toBe(0);
    await client.close();
  });

  it("is listed as one, and only it has a limit", async () => {
    const { account, id } = await agentKey({ kind: "agent" });
    const { body } = await api("GET", `/admin/accounts/${account}/keys`, { headers: ADMIN });
    const kinds = body.keys.map((key: { id: string; kind: string; daily_limit?: number }) => [
      key.id === id,
      key.kind,
      key.daily_limit,
    ]);
    expect(kinds).toEqual(
      expect.arrayContaining([
        [true, "agent", 200],
        [false, "api", undefined],
      ]),
    );
    const refused = await api("POST", `/admin/accounts/${account}/keys`, { headers: ADMIN, json: { daily_limit: 5 } });
    expect([refused.status, refused.body.message]).toEqual([422, "daily_limit is for keys of the kind agent"]);
  });
});

describe("a message", () => {
  let key: string;
  beforeEach(async () => {
    ({ key } = await openAccount());
  });

  // oxlint-disable-next-line typescript/no-explicit-any -- tests read members freely
  type Said = Record<string, any>;

  async function post(body: unknown, headers: Record<string, string> = {}): Promise<[number, Said]> {
    const init = { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers };
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const answer = await send(new Request(MCP, { method: "POST", headers: init, body: text }));
    const said = await answer.text();
    return [answer.status, said === "" ? {} : (JSON.parse(said) as Said)];
  }

  const request = (method: string, params?: object) => ({ jsonrpc: "2.0", id: 7, method, params });
  const ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const NAMED = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/list" };

  it.each([
    ["{", -32_700, 400],
    ["[]", -32_600, 400],
    [[request("ping")], -32_600, 400],
    [{ id: 1, method: "ping" }, -32_600, 400],
    [{ jsonrpc: "2.0", id: {}, method: "ping" }, -32_600, 400],
    [{ jsonrpc: "2.0", id: 1 }, -32_600, 400],
    ['{"jsonrpc":"2.0","id":1e400,"method":"ping"}', -32_600, 400],
    ["[".repeat(20_000), -32_700, 400],
    [`{"jsonrpc":"2.0","a":${"[".repeat(30)}${"]".repeat(30)}}`, -32_600, 400],
    [request("resources/list"), -32_601, 200],
    [request("initialize", {}), -32_602, 200],
    [request("tools/call", { name: "optimize_image", arguments: [] }), -32_602, 200],
    [request("tools/list", { _meta: { "io.modelcontextprotocol/protocolVersion": 5 } }), -32_602, 400],
  ])("like %j is refused with %i", async (body, code, status) => {
    const [answered, said] = await post(body);
    expect([answered, said["error"]?.code]).toEqual([status, code]);
  });

  it.each([
    ["names no method", { "mcp-protocol-version": "2026-07-28" }, -32_020],
    ["names another method", { ...NAMED, "mcp-method": "ping" }, -32_020],
    ["names another revision", { ...NAMED, "mcp-protocol-version": "2025-11-25" }, -32_020],
  ])("with an envelope whose header %s is refused", async (_, headers, code) => {
    const [status, said] = await post(request("tools/list", { _meta: ENVELOPE }), headers);
    expect([status, said["id"], said["error"].code]).toEqual([400, 7, code]);
  });

  it("in a revision that is not spoken here is told which are", async () => {
    const [status, said] = await post(request("ping"), { "mcp-protocol-version": "2024-11-05" });
    expect([status, said["error"]]).toEqual([
      400,
      {
        code: -32_022,
        message: "Unsupported protocol version",
        data: { supported: ["2026-07-28", "2025-11-25", "2025-06-18"], requested: "2024-11-05" },
      },
    ]);
  });

  it("with an envelope has no methods of the past", async () => {
    const [status, said] = await post(request("ping", { _meta: ENVELOPE }), { ...NAMED, "mcp-method": "ping" });
    expect([status, said["error"].code]).toEqual([404, -32_601]);
  });

  it("that wants no answer gets none", async () => {
    expect(await post({ jsonrpc: "2.0", method: "notifications/initialized" })).toEqual([202, {}]);
    expect(await post({ jsonrpc: "2.0", id: 3, result: {} })).toEqual([202, {}]);
  });

  it("agrees on the revision that was asked for, else on the newest with a handshake", async () => {
    const agreed = async (protocolVersion: string) =>
      (await post(request("initialize", { protocolVersion, capabilities: {}, clientInfo: {} })))[1]["result"]
        .protocolVersion;
    expect(await agreed("2025-06-18")).toBe("2025-06-18");
    expect(await agreed("2024-11-05")).toBe("2025-11-25");
  });

  it("of a page of another site is refused, of a page of this one not", async () => {
    expect((await post(request("ping"), { origin: "https://evil.example.com" }))[0]).toBe(403);
    expect((await post(request("ping"), { origin: "null" }))[0]).toBe(403);
    expect((await post(request("ping"), { origin: "https://darkroom.test" }))[0]).toBe(200);
  });

  it("has a size, a type and a sender", async () => {
    const long = request("ping", { text: "x".repeat(MAX_JSON_BYTES) });
    expect((await post(long))[0]).toBe(413);
    expect((await post(request("ping"), { "content-type": "text/plain" }))[0]).toBe(415);
    expect((await post(request("ping"), { authorization: "Bearer wrong" }))[0]).toBe(401);
  });
});

it("takes no other method than POST", async () => {
  const { key } = await openAccount();
  for (const method of ["GET", "DELETE"]) {
    const { status, headers } = await api(method, "/mcp", { key });
    expect([status, headers.get("allow")]).toEqual([405, "POST, OPTIONS"]);
  }
});
