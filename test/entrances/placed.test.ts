/** Where the objects of a deployment are asked for. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";

import { placed } from "../../src/entrances/placed.ts";
import { Images } from "../../src/index.ts";
import { openAccount } from "../support/accounts.ts";

/** Bindings of objects that note how they were asked, since the local runtime has one place. */
function bindings(variables: Readonly<Record<string, string>>) {
  const asked: string[] = [];
  const namespace = (name: string, within: string): object => ({
    jurisdiction: (jurisdiction: string) => namespace(name, jurisdiction),
    getByName: (object: string, options?: { readonly locationHint?: string }) => {
      asked.push([name, within, object, options?.locationHint ?? ""].join(" "));
      return {};
    },
  });
  const objects = Object.fromEntries(["METER", "COURIER", "MAKER", "BATCH"].map((name) => [name, namespace(name, "")]));
  return { asked, env: { ...env, ...objects, ...variables } as unknown as Env };
}

it.each([
  [{}, ["METER  a ", "COURIER  a ", "MAKER  a ", "BATCH  a "]],
  [{ REGION: "weur" }, ["METER  a weur", "COURIER  a weur", "MAKER  a weur", "BATCH  a weur"]],
  [{ JURISDICTION: "eu" }, ["METER eu a ", "COURIER eu a ", "MAKER eu a ", "BATCH eu a "]],
  [{ REGION: "weur", JURISDICTION: "eu" }, ["METER eu a ", "COURIER eu a ", "MAKER eu a ", "BATCH eu a "]],
])("%j: every object is asked for where it is to be", (variables, said) => {
  const { asked, env: given } = bindings(variables);
  const { METER, COURIER, MAKER, BATCH } = placed(given);
  for (const namespace of [METER, COURIER, MAKER, BATCH]) namespace.getByName("a");
  expect(asked).toEqual(said);
  // An isolate asks with each request.
  expect(placed(given)).toBe(placed(given));
});

it("objects work where a region is named", async () => {
  const { METER } = placed({ ...env, REGION: "weur" } as Env);
  const ask = { key: "key", limit: 10 };
  expect(await METER.getByName("placed").take(ask)).toMatchObject({ allowed: true, remaining: 9 });
});

it("pictures by RPC are counted by the meter that counts those by HTTP", async () => {
  const { account, key } = await openAccount(10);
  const { asked, env: given } = bindings({ JURISDICTION: "eu" });
  const context = Object.assign(createExecutionContext(), { props: { key } });
  const { body } = new Response("no picture");
  if (!body) throw new Error("a response without a body");
  await expect(new Images(context, given).input(body).output({ format: "image/png" })).rejects.toThrow();
  expect(new Set(asked)).toEqual(new Set([`METER eu account:${account.id} `]));
});
