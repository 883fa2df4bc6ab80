/**
 * Which addresses callers may make the service call: the guard against requests into the operator's own network
 * (SSRF). It stands before origins, webhook endpoints and custom stores.
 */
import { withoutEnd } from "./without-end.ts";

/** Names that never lead to a public host: RFC 6761, RFC 6762, RFC 8375, and what private networks use. */
const PRIVATE_SUFFIXES = new Set([
  "localhost",
  "local",
  "localdomain",
  "internal",
  "intranet",
  "private",
  "corp",
  "home",
  "lan",
  "test",
  "invalid",
  "onion",
  "arpa",
]);

/** IPv4 blocks that are not globally reachable (IANA special-purpose registry), as [first address, prefix bits]. */
const PRIVATE_IPV4: readonly (readonly [number, number])[] = [
  [0x00000000, 8], // this network
  [0x0a000000, 8], // private
  [0x64400000, 10], // shared address space (CGNAT); one cloud's metadata at 100.100.100.200
  [0x7f000000, 8], // loopback
  [0xa83f8110, 32], // 168.63.129.16, one cloud's host agent
  [0xa9fe0000, 16], // link-local; metadata at 169.254.169.254
  [0xac100000, 12], // private
  [0xc0000000, 24], // protocol assignments; one cloud's metadata at 192.0.0.192
  [0xc0000200, 24], // documentation
  [0xc0586300, 24], // 6to4 relays, deprecated
  [0xc0a80000, 16], // private
  [0xc6120000, 15], // benchmarking
  [0xc6336400, 24], // documentation
  [0xcb007100, 24], // documentation
  [0xe0000000, 4], // multicast
  [0xf0000000, 4], // reserved, broadcast
];

/**
 * Blocks inside 2000::/3 that are not ordinary hosts, as [first 32 bits, prefix bits]. All else outside 2000::/3 is
 * refused as a whole: unspecified, loopback, IPv4-mapped and -compatible, NAT64, unique local, link-local, multicast.
 */
const PRIVATE_IPV6: readonly (readonly [number, number])[] = [
  [0x20010000, 23], // protocol assignments: Teredo (wraps IPv4), benchmarking, ORCHID
  [0x20010db8, 32], // documentation
  [0x20020000, 16], // 6to4 (wraps IPv4)
  [0x3ffe0000, 16], // 6bone, returned
  [0x3fff0000, 20], // documentation
];

/**
 * Whether a host may be called: a public IPv4 or IPv6 address, or a name that can be public.
 *
 * A Worker cannot resolve names, so a public name that resolves to a private address passes here; the platform stops
 * that (Workers reach public addresses only, `global_fetch_strictly_public` adds the operator's own zone).
 * @param hostname as `URL.hostname` gives it: every decimal, octal, hex and short form of IPv4 is dotted already
 */
export function isPublicAddress(hostname: string): boolean {
  if (hostname.startsWith("[")) return isPublicIpv6(hostname.slice(1, -1));
  const name = withoutEnd(hostname.toLowerCase(), ".");
  const ipv4 = parseIpv4(name);
  if (ipv4 !== undefined) return !inBlock(ipv4, PRIVATE_IPV4);
  const labels = name.split(".");
  if (labels.length < 2 || labels.some((label) => label === "")) return false;
  return !PRIVATE_SUFFIXES.has(labels.at(-1) ?? "");
}

/**
 * Whether a host is an IP address. A deployed Worker calls hosts by their names alone: the platform answers a call of an
 * address with its error 1003 (https://developers.cloudflare.com/workers/platform/known-issues/).
 * @param hostname as `URL.hostname` gives it
 */
export function isIpAddress(hostname: string): boolean {
  return hostname.startsWith("[") || parseIpv4(withoutEnd(hostname, ".")) !== undefined;
}

/**
 * What is wrong with an address that a caller names, as the end of a sentence; undefined where it may be called.
 * @param hostname as `URL.hostname` gives it
 */
export function addressProblem(hostname: string): string | undefined {
  if (!isPublicAddress(hostname)) return "must have a public address";
  return isIpAddress(hostname) ? "must name a host, not an IP address" : undefined;
}

/** Whether a host is in an operator's list, where `*.example.com` stands for every host below `example.com`. */
export function isListedHost(hostname: string, hosts: readonly string[]): boolean {
  return hosts.some((host) => (host.startsWith("*.") ? hostname.endsWith(host.slice(1)) : hostname === host));
}

/** @returns the 32 bits of a dotted IPv4 address */
function parseIpv4(name: string): number | undefined {
  if (!/^\d{1,3}(?:\.\d{1,3}){3}$/.test(name)) return undefined;
  return name.split(".").reduce((bits, part) => bits * 256 + Number(part), 0);
}

function isPublicIpv6(address: string): boolean {
  const groups = parseIpv6(address);
  if (groups === undefined) return false;
  const [first = 0, second = 0] = groups;
  // ISATAP (RFC 5214) carries an IPv4 address behind this interface id.
  const wrapsIpv4 = groups[5] === 0x5efe && ((groups[4] ?? 0) & 0xfdff) === 0;
  return first >>> 13 === 1 && !wrapsIpv4 && !inBlock(first * 65_536 + second, PRIVATE_IPV6);
}

/** @returns eight groups; undefined when it is no IPv6 address in the form that URL writes */
function parseIpv6(address: string): number[] | undefined {
  if (!/^[\da-f:]{2,39}$/i.test(address)) return undefined;
  const [head = "", tail, ...rest] = address.split("::");
  if (rest.length > 0) return undefined;
  const before = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const gap = 8 - before.length - after.length;
  if (tail === undefined ? gap !== 0 : gap < 1) return undefined;
  const groups = [...before, ...Array<string>(tail === undefined ? 0 : gap).fill("0"), ...after];
  return groups.every((group) => /^[\da-f]{1,4}$/i.test(group))
    ? groups.map((group) => Number.parseInt(group, 16))
    : undefined;
}

function inBlock(bits: number, blocks: readonly (readonly [number, number])[]): boolean {
  return blocks.some(([first, prefix]) => bits >= first && bits < first + 2 ** (32 - prefix));
}
