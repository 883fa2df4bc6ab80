/** Signatures of notifications, against the specification's libraries. */
import { expect, it } from "vitest";

import { newSecret, signatureHeaders } from "../../src/webhook/sign.ts";

// The example that the Standard Webhooks libraries test with.
const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const ID = "msg_p5jXN8AQM9LWM0D4loKWxJek";
const BODY = '{"test": 2432232314}';
const SIGNATURE = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";

it("signs as the specification's libraries do", async () => {
  expect(await signatureHeaders(ID, 1_614_265_330, BODY, [SECRET])).toEqual({
    "webhook-id": ID,
    "webhook-timestamp": "1614265330",
    "webhook-signature": SIGNATURE,
  });
});

it("signs with each secret in force, the newest first", async () => {
  const other = newSecret();
  const headers = await signatureHeaders(ID, 1_614_265_330, BODY, [other, SECRET]);
  const [first, second, ...rest] = (headers["webhook-signature"] ?? "").split(" ");
  expect(first).toMatch(/^v1,[A-Za-z0-9+/]{43}=$/);
  expect(first).not.toBe(SIGNATURE);
  expect(second).toBe(SIGNATURE);
  expect(rest).toEqual([]);
});

it("makes secrets of 32 bytes that differ", () => {
  expect(newSecret()).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(newSecret()).not.toBe(newSecret());
});
