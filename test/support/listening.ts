/** A server on a loopback port, for as long as a test needs it. */
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

export interface Listening {
  /** With a slash at its end. */
  readonly url: URL;
  /** Cuts off whoever is connected. */
  readonly close: () => Promise<void>;
}

export async function listening(serve: RequestListener): Promise<Listening> {
  const server = createServer(serve);
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  return {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`),
    close() {
      server.closeAllConnections();
      return new Promise((closed) => server.close(() => closed()));
    },
  };
}
