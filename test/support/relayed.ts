/** Answers of a test to a service in another process, which asks the relay of test/support/served.ts for originals. */

/** Of a request that waits at the relay. */
interface Waiting {
  readonly id: string;
  readonly url: string;
  readonly method: string;
  readonly headers: Record<string, string>;
}

/**
 * Answers what is asked below a prefix, until the test ends.
 * @param prefix an address of the relay, whose first segment is of this test file alone
 * @returns what ends it
 */
export function relayed(prefix: string, answer: (request: Request) => Promise<Response>): () => Promise<void> {
  const { origin, pathname } = new URL(prefix);
  const name = pathname.split("/")[1] ?? "";
  const give = async ({ id, url, method, headers }: Waiting): Promise<void> => {
    const given = await answer(new Request(url, { method, headers }));
    const described = { "x-status": String(given.status), "x-headers": JSON.stringify([...given.headers]) };
    await fetch(`${origin}/given/${id}`, { method: "POST", headers: described, body: await given.arrayBuffer() });
  };
  const begin = async (): Promise<void> => {
    const given: Promise<void>[] = [];
    for (;;) {
      const asked = await fetch(`${origin}/next/${name}`);
      if (asked.status !== 200) break;
      given.push(give(await asked.json<Waiting>()));
    }
    await Promise.allSettled(given);
  };
  const work = begin();
  return async () => {
    await fetch(`${origin}/end/${name}`, { method: "POST" });
    await work;
  };
}
