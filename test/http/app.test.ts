/** The application while its configuration is broken. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it, vi } from "vitest";

import { createApp } from "../../src/http/app.ts";
import { shortPipeline } from "../support/pipeline.ts";

it("answers 500 while a variable breaks its rule, and names the variable in the log alone", async () => {
  const lines = vi.spyOn(console, "error").mockImplementation(() => undefined);
  const request = new Request("https://darkroom.test/health");
  const answer = await createApp(shortPipeline).fetch(
    request,
    { ...env, RATE_LIMIT: "lots" },
    createExecutionContext(),
  );
  expect(answer.status).toBe(500);
  const text = await answer.text();
  expect(JSON.parse(text)).toMatchObject({ success: false, code: 500, message: "Internal error" });
  expect(text).not.toContain("RATE_LIMIT");
  expect(String(lines.mock.calls[0])).toContain("The variable RATE_LIMIT must be");
  lines.mockRestore();
});
