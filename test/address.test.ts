/** Which addresses and names of hosts the service may call. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { isIpAddress, isPublicAddress } from "../src/address.ts";

const PRIVATE_IPV4 = [
  "0.0.0.0",
  "0.1.2.3",
  "10.0.0.1",
  "10.255.255.255",
  "100.64.0.1",
  "100.100.100.200",
  "100.127.255.255",
  "127.0.0.1",
  "127.255.255.254",
  "168.63.129.16",
  "169.254.169.254",
  "172.16.0.1",
  "172.31.255.255",
  "192.0.0.192",
  "192.0.2.1",
  "192.88.99.1",
  "192.168.1.1",
  "198.18.0.1",
  "198.19.255.255",
  "198.51.100.7",
  "203.0.113.9",
  "224.0.0.1",
  "239.255.255.255",
  "240.0.0.1",
  "255.255.255.255",
];
const PUBLIC_IPV4 = [
  "1.1.1.1",
  "8.8.8.8",
  "9.255.255.255",
  "11.0.0.0",
  "100.63.255.255",
  "100.128.0.0",
  "126.255.255.255",
  "128.0.0.0",
  "169.253.255.255",
  "172.15.255.255",
  "172.32.0.0",
  "192.167.255.255",
  "192.169.0.0",
  "198.17.255.255",
  "198.20.0.0",
  "223.255.255.255",
];
const PRIVATE_IPV6 = [
  "::",
  "::1",
  "::127.0.0.1",
  "::ffff:127.0.0.1",
  "::ffff:8.8.8.8",
  "::ffff:a9fe:a9fe",
  "64:ff9b::7f00:1",
  "64:ff9b:1::1",
  "100::1",
  "2001::1",
  "2001:0:4136:e378:8000:63bf:3fff:fdd2",
  "2001:2::1",
  "2001:10::1",
  "2001:db8::1",
  "2002:7f00:1::",
  "2002:a9fe:a9fe::1",
  "3ffe::1",
  "3fff:fff::1",
  "fc00::1",
  "fd00:ec2::254",
  "fe80::1",
  "febf::1",
  "fec0::1",
  "ff02::1",
  "2a00:1450::5efe:7f00:1",
  "2a00:1450::200:5efe:a00:1",
  "4000::1",
];
const PUBLIC_IPV6 = [
  "2606:4700:4700::1111",
  "2a00:1450:4001:81b::200e",
  "2001:4860:4860::8888",
  "2001:200::1",
  "2400:cb00::1",
];
const PRIVATE_NAMES = [
  "localhost",
  "LOCALHOST",
  "localhost.",
  "a.localhost",
  "a.localhost..",
  "printer.local",
  "printer.local.",
  "db.internal",
  "metadata.google.internal",
  "metadata.google.internal.",
  "metadata",
  "instance-data",
  "intranet",
  "router.home.arpa",
  "router.lan",
  "1.0.0.127.in-addr.arpa",
  "x.test",
  "x.invalid",
  "hidden.onion",
  "",
  ".",
  "a..com",
];

const hostOf = (host: string): string => new URL(`http://${host}/`).hostname;

describe("isIpAddress", () => {
  it.each([...PUBLIC_IPV4, ...PRIVATE_IPV4])("knows %s", (address) => expect(isIpAddress(hostOf(address))).toBe(true));
  it.each(PUBLIC_IPV6)("knows [%s]", (address) => expect(isIpAddress(hostOf(`[${address}]`))).toBe(true));
  it.each(["example.com", "1.2.3.4.example.com", "1-2-3-4.example.com"])("lets the name %s pass", (name) =>
    expect(isIpAddress(name)).toBe(false),
  );
});

describe("isPublicAddress", () => {
  it.each(PRIVATE_IPV4)("refuses %s", (address) => expect(isPublicAddress(hostOf(address))).toBe(false));
  it.each(PUBLIC_IPV4)("lets %s pass", (address) => expect(isPublicAddress(hostOf(address))).toBe(true));
  it.each(PRIVATE_IPV6)("refuses [%s]", (address) => expect(isPublicAddress(hostOf(`[${address}]`))).toBe(false));
  it.each(PUBLIC_IPV6)("lets [%s] pass", (address) => expect(isPublicAddress(hostOf(`[${address}]`))).toBe(true));
  it.each(PRIVATE_NAMES)("refuses the name %j", (name) => expect(isPublicAddress(name)).toBe(false));
  it.each([
    "example.com",
    "example.com.",
    "EXAMPLE.com",
    "xn--bcher-kva.example",
    "internal.example.com",
    "1.2.3.4.example.com",
  ])("lets the name %s pass", (name) => expect(isPublicAddress(name)).toBe(true));
  it.each(["[]", "[::1", "[1:2:3]", "[1::2::3]", "[2606:4700:4700::1111%25eth0]", "[::ffff:1.2.3.4]", "[12345::]"])(
    "refuses %s, which is no address",
    (host) => expect(isPublicAddress(host)).toBe(false),
  );

  it("judges every way to write an IPv4 address alike", () => {
    const address = fc.oneof(
      fc.constantFrom(...PRIVATE_IPV4, ...PUBLIC_IPV4),
      fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255)).map((parts) => parts.join(".")),
    );
    fc.assert(
      fc.property(
        address,
        fc.constantFrom("decimal", "hex", "octal", "short", "mixed", "dot", "wide"),
        (dotted, form) => {
          const host = spell(dotted, form);
          expect(isPublicAddress(hostOf(host))).toBe(isPublicAddress(dotted));
        },
      ),
      { numRuns: 500 },
    );
  });

  it("refuses every IPv6 address that wraps an IPv4 address", () => {
    const group = fc.nat(65_535).map((bits) => bits.toString(16));
    const wraps = fc.constantFrom("::ffff:%s", "::%s", "64:ff9b::%s", "::ffff:0:%s", "2001:0:1:2:3:4:%s");
    fc.assert(
      fc.property(group, group, wraps, (high, low, form) => {
        expect(isPublicAddress(hostOf(`[${form.replace("%s", `${high}:${low}`)}]`))).toBe(false);
        expect(isPublicAddress(hostOf(`[2002:${high}:${low}::1]`))).toBe(false);
      }),
    );
  });
});

function spell(dotted: string, form: string): string {
  const [a = 0, b = 0, c = 0, d = 0] = dotted.split(".").map(Number);
  const bits = ((a * 256 + b) * 256 + c) * 256 + d;
  switch (form) {
    case "decimal":
      return String(bits);
    case "hex":
      return `0x${bits.toString(16)}`;
    case "octal":
      return `0${bits.toString(8)}`;
    case "short":
      return `${a}.${(b * 256 + c) * 256 + d}`;
    case "mixed":
      return `0x${a.toString(16)}.0${b.toString(8)}.${c * 256 + d}`;
    case "wide":
      return [...dotted]
        .map((character) => (character === "." ? "。" : String.fromCodePoint(0xff10 + Number(character))))
        .join("");
    default:
      return `${dotted}.`;
  }
}
