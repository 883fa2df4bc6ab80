/**
 * The bill of the account, against a stand-in for the platform's analytics. Its answer is made up here, in the shape of the
 * platform's schema.
 */
import { execFile } from "node:child_process";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";

import { ROOT } from "../../src/cli/wrangler.ts";

const ACCOUNT = {
  workers: [
    { sum: { requests: 20_000_000, cpuTimeUs: 100e9 }, dimensions: { scriptName: "darkroom" } },
    { sum: { requests: 1_000_000, cpuTimeUs: 1e9 }, dimensions: { scriptName: "other" } },
  ],
  bucket: [
    { sum: { requests: 3_000_000 }, dimensions: { actionType: "PutObject" } },
    { sum: { requests: 12_000_000 }, dimensions: { actionType: "GetObject" } },
    { sum: { requests: 1_000_000 }, dimensions: { actionType: "HeadObject" } },
    { sum: { requests: 9_000_000 }, dimensions: { actionType: "DeleteObject" } },
  ],
  stored: [
    { max: { payloadSize: 59e9, metadataSize: 1e9 }, dimensions: { date: "2026-11-01", bucketName: "darkroom" } },
    { max: { payloadSize: 79e9, metadataSize: 1e9 }, dimensions: { date: "2026-11-02", bucketName: "darkroom" } },
    { max: { payloadSize: 20e9, metadataSize: 0 }, dimensions: { date: "2026-11-02", bucketName: "originals" } },
  ],
  databases: [{ sum: { rowsWritten: 60_000_000 }, dimensions: { date: "2026-11-02" } }],
  calls: [{ sum: { requests: 5_000_000 }, dimensions: { scriptName: "darkroom" } }],
  objects: [{ sum: { activeTime: 1e12, rowsWritten: 4_000_000 }, dimensions: { namespaceId: "a" } }],
  queues: [{ sum: { billableOperations: 2_000_000 }, dimensions: { actionType: "WriteMessage" } }],
};

let server: Server;
let answer: { status: number; body: unknown };
let asked: { readonly authorization: string | undefined; readonly body: Record<string, unknown> }[];

beforeAll(async () => {
  server = createServer((request, response) => {
    let text = "";
    request.setEncoding("utf8").on("data", (part: string) => (text += part));
    request.on("end", () => {
      asked.push({ authorization: request.headers.authorization, body: JSON.parse(text) as Record<string, unknown> });
      response.writeHead(answer.status, { "content-type": "application/json" }).end(JSON.stringify(answer.body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterAll(() => new Promise((resolve) => server.close(resolve)));
beforeEach(() => {
  asked = [];
  answer = { status: 200, body: { data: { viewer: { accounts: [ACCOUNT] } }, errors: null } };
});

async function bill(variables: Record<string, string>, ...args: string[]) {
  const { CLOUDFLARE_API_TOKEN: _token, CLOUDFLARE_ACCOUNT_ID: _account, ...outer } = process.env;
  const { port } = server.address() as AddressInfo;
  const env = {
    ...outer,
    CLOUDFLARE_API_BASE_URL: `http://127.0.0.1:${port}`,
    // Half of November.
    DARKROOM_NOW: "2026-11-16T00:00:00Z",
    ...variables,
  };
  return new Promise<{ status: number; stdout: string; stderr: string }>((resolve) => {
    execFile(process.execPath, ["src/cli/bill.ts", ...args], { cwd: ROOT, env }, (error, stdout, stderr) => {
      resolve({ status: error === null ? 0 : 1, stdout, stderr });
    });
  });
}

const LOGIN = { CLOUDFLARE_API_TOKEN: "token-of-the-test", CLOUDFLARE_ACCOUNT_ID: "0".repeat(32) };
/** Columns of a row, by what it is of. */
const rowOf = (stdout: string, of: string): string[] => {
  const line = stdout.split("\n").find((one) => one.includes(of)) ?? "";
  return line.slice(0, line.indexOf(of)).trim().split(/\s+/);
};

it("has each row so far and at the pace of the month, beyond what the plan includes", async () => {
  const { status, stdout, stderr } = await bill(LOGIN);
  expect([status, stderr]).toEqual([0, ""]);
  const rows = {
    "The plan": ["$5.00", "$5.00"],
    // 21 million, 42 million at the end; 10 are included, at $0.30.
    "requests, and": ["21,000,000", "$3.30", "$9.60"],
    "milliseconds of CPU": ["101,000,000", "$1.42", "$3.44"],
    "writes of R2": ["3,000,000", "$9.00", "$22.50"],
    // Deletions are free.
    "reads of R2": ["13,000,000", "$1.08", "$5.76"],
    "calls and alarms": ["5,000,000", "$0.60", "$1.35"],
    "rows written in Durable Objects": ["4,000,000", "$0.00", "$0.00"],
    // A million seconds awake are 128,000 GB-seconds, of 400,000.
    "GB-seconds of Durable Objects": ["128,000", "$0.00", "$0.00"],
    "rows written in D1": ["60,000,000", "$10.00", "$70.00"],
    "operations of Queues": ["2,000,000", "$0.40", "$1.20"],
    // 60 GB on one day and 100 on the other.
    "bytes kept in R2": ["80.0", "GB", "$1.05", "$1.05"],
    Together: ["$31.85", "$119.90"],
  };
  for (const [of, said] of Object.entries(rows)) expect([of, ...rowOf(stdout, of)]).toEqual([of, ...said]);
  expect(stdout).toContain("rows written in Durable Objects (16 % of what is included)");
  expect(stdout).toMatch(/not here:\n {2}events of the logs/);
  expect(asked).toHaveLength(1);
  expect(asked[0]?.authorization).toBe("Bearer token-of-the-test");
  expect(asked[0]?.body["variables"]).toEqual({
    account: "0".repeat(32),
    start: "2026-11-01T00:00:00.000Z",
    end: "2026-11-16T00:00:00.000Z",
    from: "2026-11-01",
    to: "2026-11-16",
  });
});

it("has requests and CPU of one Worker where one is named", async () => {
  const { stdout } = await bill(LOGIN, "--worker", "darkroom");
  expect(rowOf(stdout, "requests, and")[0]).toBe("20,000,000");
  expect(rowOf(stdout, "milliseconds of CPU")[0]).toBe("100,000,000");
});

it("says what it needs where it is not there, and asks nobody", async () => {
  const { status, stderr } = await bill({ CLOUDFLARE_ACCOUNT_ID: "0".repeat(32) });
  expect(status).toBe(1);
  expect(stderr).toContain("CLOUDFLARE_API_TOKEN must be set");
  expect(stderr).toContain("Account Analytics: read");
  expect(asked).toEqual([]);
});

it.each([
  [{ status: 403, body: {} }, "The platform refused the token"],
  [{ status: 200, body: { data: null, errors: [{ message: "unknown field" }] } }, "analytics answered: unknown field"],
  [{ status: 200, body: { data: { viewer: { accounts: [] } } } }, "know no account"],
  [{ status: 200, body: { data: { viewer: { accounts: [{ ...ACCOUNT, queues: null }] } } } }, "say nothing of: queues"],
  [{ status: 502, body: "" }, "know no account"],
])("makes no bill of an answer that has none (%#)", async (given, said) => {
  answer = given;
  const { status, stdout, stderr } = await bill(LOGIN);
  expect([status, stdout]).toEqual([1, ""]);
  expect(stderr).toContain(said);
  expect(stderr).not.toContain("token-of-the-test");
});
