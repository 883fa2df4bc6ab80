/** The header that describes a result which is sent as bytes. */
import { expect, it } from "vitest";

import type { Success } from "../../src/contract/response.ts";
import * as examples from "../../src/http/examples.ts";
import { metadataHeader } from "../../src/http/reply.ts";
import { MAX_METADATA_HEADER_BYTES, MAX_NAME_CHARACTERS } from "../../src/limits.ts";

const success = examples.success as Success;

it("writes everything when it fits", () => {
  expect(JSON.parse(metadataHeader(success))).toEqual(success);
});

it("leaves faces out when they are too many, and keeps the rest", () => {
  const faces = Array.from({ length: 500 }, (_, x) => ({ x, y: 1, width: 2, height: 3 }));
  const header = metadataHeader({ ...success, input: { ...success.input, faces } });
  expect(JSON.parse(header)).toEqual(success);
});

it("fits with the longest names there are", () => {
  const name = "\u{1f600}".repeat(MAX_NAME_CHARACTERS / 2);
  const url = `${success.output.url}/${encodeURIComponent(name)}`;
  const header = metadataHeader({
    ...success,
    input: { ...success.input, name },
    output: { ...success.output, name, url },
  });
  expect(header.length).toBeLessThan(MAX_METADATA_HEADER_BYTES);
  expect(JSON.parse(header).output.url).toBe(url);
});
