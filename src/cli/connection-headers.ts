/** Headers of a message without those of the connection that it came by: a proxy has its own to each side. */
import type { IncomingHttpHeaders } from "node:http";

/** RFC 9110, section 7.6.1. */
const OF_CONNECTIONS = [
  "connection",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
];

/** What of the headers is passed on. Those that the sender calls the connection's own are not. */
export function forwarded(headers: NodeJS.Dict<string[]>): IncomingHttpHeaders {
  const named = (headers["connection"] ?? [])
    .flatMap((value) => value.toLowerCase().split(","))
    .map((name) => name.trim());
  const left = new Set([...OF_CONNECTIONS, ...named]);
  const kept = Object.entries(headers).filter(([name]) => !left.has(name));
  return Object.fromEntries(kept) as NodeJS.Dict<string[]> as IncomingHttpHeaders;
}
