/**
 * Clients that hang up before their answer came. A browser that cancels a request closes its connection, which the runtime
 * takes for the end of what the client has to say: it computes on for nobody, and whoever comes next waits. A reset it does
 * understand. So on this machine connections pass a listener that makes one of the other.
 */
import { type AddressInfo, connect, createServer, isIPv6, type Socket } from "node:net";

/** Where the runtime listens behind the listener. */
export const BEHIND = "127.0.0.1";

export interface Place {
  readonly host: string;
  readonly port: number;
}

export interface Front {
  readonly url: URL;
  readonly stop: () => Promise<void>;
}

/**
 * Whether only this machine can connect to a host. The runtime then loses nothing by seeing the listener in place of the
 * client, whose address it counts by.
 */
export function isOwnMachine(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/**
 * Listens at a place, and passes on what comes to the port where the runtime listens.
 * @throws Error where nobody can listen there
 */
export async function listenBefore(runtimePort: number, { host, port }: Place): Promise<Front> {
  const open = new Set<Socket>();
  const server = createServer((client) => {
    open.add(client);
    client.once("close", () => open.delete(client));
    passOn(client, connect(runtimePort, BEHIND));
  });
  const listening = Promise.withResolvers<void>();
  server.once("error", listening.reject);
  server.listen(port, host, listening.resolve);
  await listening.promise;
  const { port: taken } = server.address() as AddressInfo;
  const stop = async (): Promise<void> => {
    const closed = Promise.withResolvers<void>();
    server.close(() => closed.resolve());
    for (const client of open) client.destroy();
    await closed.promise;
  };
  return { url: new URL(`http://${isIPv6(host) ? `[${host}]` : host}:${taken}/`), stop };
}

/** Connects both sides until one of them is gone. */
function passOn(client: Socket, runtime: Socket): void {
  for (const socket of [client, runtime]) socket.setNoDelay(true);
  const hangUp = () => void runtime.resetAndDestroy();
  client.once("end", hangUp).once("close", hangUp).on("error", hangUp);
  runtime.once("close", () => client.end()).on("error", () => client.destroy());
  client.pipe(runtime, { end: false });
  runtime.pipe(client);
}
