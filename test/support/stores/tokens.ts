/** Issues tokens, can be told to revoke them, and counts. */
import type { Received, Reply } from "./server.ts";

export interface TokenOffice {
  readonly issue: () => string;
  readonly accepts: (authorization: string | undefined) => boolean;
  readonly other: (request: Received) => Reply | undefined;
}

export function tokenOffice(): TokenOffice {
  const valid = new Set<string>();
  let issued = 0;
  return {
    issue: () => {
      issued += 1;
      const token = `token-${issued}.${"t".repeat(40)}`;
      valid.add(token);
      return token;
    },
    accepts: (authorization) => valid.has(authorization?.replace(/^Bearer /, "") ?? ""),
    other: ({ path }) => {
      if (path === "/-/issued") return { status: 200, body: String(issued) };
      if (path !== "/-/revoke") return undefined;
      valid.clear();
      return { status: 204 };
    },
  };
}
