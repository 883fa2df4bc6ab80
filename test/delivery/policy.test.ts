/** What addresses may ask for: signatures, sources, and what needs no signature. */
import { describe, expect, it } from "vitest";

import { FRAMEWORKS } from "../../src/contract/frameworks.ts";
import { canonicalOf } from "../../src/delivery/canonical.ts";
import { edgeNetwork } from "../../src/delivery/dialects/edge-network.ts";
import { imgproxy } from "../../src/delivery/dialects/imgproxy.ts";
import { admit } from "../../src/delivery/policy.ts";
import type { OpenedDelivery } from "../../src/delivery/records.ts";
import { signedUntil, signatureOf } from "../../src/delivery/signature.ts";
import { identityOf, locate, plainSource } from "../../src/delivery/sources.ts";
import { openedDelivery } from "../support/opened-delivery.ts";
import { refusal } from "../support/refusal.ts";

const PAIR = {
  key: "943b421c9eb07c830af81030552c86009268de4e532ba2ee2eab8247c6da0881",
  salt: "520f986b998545b4785e0defbc4f3c1203f22de2374a3d53cb7a7fe9fea309c5",
};
const OTHER = { key: PAIR.salt, salt: PAIR.key };
const NOW = 1_700_000_000_000;

const DELIVERY = openedDelivery(PAIR, {
  sources: [
    { kind: "web", prefix: "https://www.example.com/uploads" },
    { kind: "store", name: "shop", connector: "abcdefghij", path: "originals" },
    { kind: "bucket", name: "art" },
  ],
  presets: { card: { resize: { width: 320 } } },
  unsigned: { widths: [320, 640], formats: ["webp"] },
});
const PLAIN = "https://www.example.com/uploads/a.jpg";

const ofEdge = async (path: string, more: Partial<OpenedDelivery> = {}) => {
  const spelled = edgeNetwork.split(path);
  if (!spelled) throw new Error("no address");
  return admit({ ...DELIVERY, ...more }, edgeNetwork, spelled, NOW);
};
const signed = async (options: string, source: string, pair = PAIR) => {
  const signature = await signatureOf(pair, `/${options}/${source}`);
  return `/${options === "" ? "" : `${options},`}sig=${signature}/${source}`;
};
const NOT_ALLOWED = { status: 403, message: "This address is not allowed" };

describe("a signature", () => {
  it("is the one of imgproxy's documentation", async () => {
    const path = "/rs:fill:300:400:0/g:sm/aHR0cDovL2V4YW1w/bGUuY29tL2ltYWdl/cy9jdXJpb3NpdHku/anBn.png";
    const signature = "oKfUtW34Dvo2BGQehJFR4Nr0_rIjOtdtzJ3QFsUcXH8";
    expect(await signatureOf({ key: "736563726574", salt: "68656c6c6f" }, path)).toBe(signature);
    expect(imgproxy.split(`/${signature}${path}`)).toMatchObject({ signature, signed: path });
  });

  it("is about every character, by the pair that is valid", async () => {
    const signature = await signatureOf(PAIR, "text");
    const check = (text: string, given: string, signing = { current: PAIR }) => signedUntil(signing, text, given, NOW);
    expect(await check("text", signature)).toBe(Infinity);
    for (const wrong of ["", "x", signature.slice(1), `${signature}A`, signature.replace(/^./, "-"), "***"]) {
      expect(await check("text", wrong)).toBeUndefined();
    }
    expect(await check("text2", signature)).toBeUndefined();
    expect(await check("text", signature, { current: OTHER })).toBeUndefined();
    const rotated = (until: number) => ({ current: OTHER, previous: { ...PAIR, until } });
    expect(await check("text", signature, rotated(NOW + 1))).toBe(NOW + 1);
    expect(await check("text", signature, rotated(NOW))).toBeUndefined();
  });

  it("opens what nothing else does", async () => {
    const options = "w=111,h=99,fit=cover,rotate=45";
    expect(await refusal(ofEdge(`/w=111,h=99/${PLAIN}`))).toEqual(NOT_ALLOWED);
    const { asked } = await ofEdge(await signed("w=111,h=99,blur=3", PLAIN));
    expect(asked.body).toMatchObject({ resize: { width: 111, height: 99 } });
    expect(await refusal(ofEdge(await signed(options, PLAIN)))).toMatchObject({ status: 422 });
    expect(await refusal(ofEdge(await signed("w=111", PLAIN, OTHER)))).toEqual(NOT_ALLOWED);
    // Its place does not matter, two of them are none.
    const one = await signatureOf(PAIR, `/w=111,h=99/${PLAIN}`);
    expect((await ofEdge(`/sig=${one},w=111,h=99/${PLAIN}`)).asked.width).toBe(111);
    expect(await refusal(ofEdge(`/sig=${one},w=111,h=99,sig=${one}/${PLAIN}`))).toEqual(NOT_ALLOWED);
    expect((await ofEdge(await signed("", PLAIN))).asked.body).toEqual({});
  });

  it("includes the query of the source", async () => {
    const path = await signed("w=111", `${PLAIN}?v=1`);
    expect(identityOf((await ofEdge(path)).located)).toBe(`${PLAIN}?v=1`);
    expect(await refusal(ofEdge(path.replace("v=1", "v=2")))).toEqual(NOT_ALLOWED);
  });

  it("is needed for everything where nothing may be unsigned", async () => {
    for (const path of [`/-/${PLAIN}`, `/w=320/${PLAIN}`, `/p=card/${PLAIN}`, `/nonsense=1/${PLAIN}`]) {
      expect(await refusal(ofEdge(path, { unsigned: false }))).toEqual(NOT_ALLOWED);
    }
  });

  it("ends when the address says so", async () => {
    const at = (seconds: number) => signed(`exp=${seconds}`, PLAIN);
    expect((await ofEdge(await at(NOW / 1_000 + 1))).asked.expires).toBe(NOW / 1_000 + 1);
    expect(await refusal(ofEdge(await at(NOW / 1_000)))).toEqual(NOT_ALLOWED);
    const path = `/exp:${NOW / 1_000}/plain/${PLAIN}`;
    const spelled = imgproxy.split(`/${await signatureOf(PAIR, path)}${path}`);
    if (!spelled) throw new Error("no address");
    expect((await refusal(admit(DELIVERY, imgproxy, spelled, NOW))).status).toBe(404);
  });
});

describe("without a signature", () => {
  it.each(["-", "w=320", "w=160,dpr=2", "w=640,f=webp,fit=cover,g=face,q=70", "p=card", "q=high", "f=auto"])(
    "%s is allowed",
    async (options) => {
      expect((await ofEdge(`/${options}/${PLAIN}`)).asked.source).toBe(PLAIN);
    },
  );

  it.each(["w=321", "w=320,dpr=3", "h=320", "f=avif", "blur=1", "background=red", "json=e30", "onerror=redirect"])(
    "%s is not",
    async (options) => {
      expect(await refusal(ofEdge(`/${options}/${PLAIN}`))).toEqual(NOT_ALLOWED);
    },
  );

  it("qualities are few", async () => {
    const qualities = await Promise.all(
      [1, 40, 50, 62, 69, 74, 100].map(async (quality) => (await ofEdge(`/q=${quality}/${PLAIN}`)).asked.body.optimize),
    );
    expect(qualities.map((one) => one?.["quality"])).toEqual([40, 40, 55, 65, 65, 75, 85]);
  });

  it.each([
    [1, 320],
    [320, 320],
    [321, 640],
    [5_000, 640],
  ])("is rounded up to a width that is listed, where the delivery says so: %d", async (asked, width) => {
    const unsigned = { widths: [640, 320], formats: ["webp" as const], round_up: true };
    const admitted = await ofEdge(`/w=${asked},q=high/${PLAIN}`, { unsigned });
    expect(admitted.asked).toMatchObject({ width, body: { resize: { width, upscale: false } } });
    const none = { ...unsigned, widths: [] };
    expect(await refusal(ofEdge(`/w=${asked}/${PLAIN}`, { unsigned: none }))).toMatchObject(NOT_ALLOWED);
    expect((await ofEdge(`/-/${PLAIN}`, { unsigned: none })).asked.width).toBeUndefined();
  });

  it.each([
    ["w=320,h=200", { width: 320, height: 200 }],
    ["w=300,h=200,fit=crop,gravity=0.5x0.5", { width: 320, height: 213 }],
    ["w=600,h=600,fit=cover", { width: 640, height: 640 }],
    ["w=5000,h=1000,fit=cover", { width: 640, height: 128 }],
    ["h=200", { height: 320 }],
    ["h=5000", { height: 640 }],
  ])("may say a height, where the delivery says so: %s", async (options, resize) => {
    const unsigned = { widths: [640, 320], formats: ["webp" as const], round_up: true, heights: true };
    expect((await ofEdge(`/${options}/${PLAIN}`, { unsigned })).asked.body).toMatchObject({ resize });
    expect(await refusal(ofEdge(`/${options}/${PLAIN}`, { unsigned: { ...unsigned, heights: false } }))).toEqual(
      NOT_ALLOWED,
    );
  });

  it("a height is bounded by the list", async () => {
    const unsigned = { widths: [640, 320], formats: ["webp" as const], heights: true };
    const options = ["w=320,h=641", "h=200", "w=300,h=200"];
    for (const one of options) {
      expect(await refusal(ofEdge(`/${one}/${PLAIN}`, { unsigned }))).toMatchObject(NOT_ALLOWED);
    }
    const rounded = { ...unsigned, round_up: true };
    expect(await refusal(ofEdge(`/w=100,h=300/${PLAIN}`, { unsigned: rounded }))).toMatchObject(NOT_ALLOWED);
    expect(await refusal(ofEdge(`/h=320/${PLAIN}`, { unsigned: { ...unsigned, widths: [] } }))).toMatchObject(
      NOT_ALLOWED,
    );
    expect((await ofEdge(`/h=320/${PLAIN}`, { unsigned })).asked.body).toMatchObject({ resize: { height: 320 } });
  });

  it.each([
    ["w=320,blur=3", 1.2],
    ["w=320,blur=1", 1.2],
    ["w=320,blur=12", 4],
    ["w=320,blur=250", 12],
    ["w=320,blur=3,brightness=1", undefined],
    ["w=640,blur=3", undefined],
    ["blur=3", undefined],
  ])(
    "a placeholder may be blurred, in few ways and as wide as the smallest of the list: %s",
    async (options, sigma) => {
      const admitted = ofEdge(`/${options}/${PLAIN}`);
      if (sigma === undefined) expect(await refusal(admitted)).toEqual(NOT_ALLOWED);
      else expect((await admitted).asked.body).toMatchObject({ filter: { blur: { value: sigma } } });
    },
  );

  it("the placeholder of @nuxt/image is allowed as the module writes it", async () => {
    const { widths, formats, round_up, heights } = FRAMEWORKS.nuxt;
    const unsigned = { widths: [...widths], formats: [...formats], round_up, heights };
    const { asked } = await ofEdge(`/cdn-cgi/image/w=10,h=10,q=50,blur=3/${PLAIN}`, { unsigned });
    expect(asked.body).toMatchObject({ resize: { width: 160, height: 160 }, filter: { blur: { value: 1.2 } } });
  });

  it("few points to cut around: each is a result of its own", async () => {
    const unsigned = { widths: [320], heights: true };
    const delivery = { ...DELIVERY, unsigned };
    const texts = new Set<string>();
    for (const [x, y] of Array.from({ length: 400 }, (_, n) => [((n * 37) % 400) / 400, n / 400])) {
      const spelled = imgproxy.split(`/unsafe/rs:fill:320:200/g:fp:${x}:${y}/plain/${PLAIN}`);
      if (!spelled) throw new Error("no address");
      for (const { asked } of [
        await admit(delivery, imgproxy, spelled, NOW),
        await ofEdge(`/w=320,h=200,fit=cover,gravity=${x}x${y}/${PLAIN}`, { unsigned }),
      ]) {
        texts.add(canonicalOf(delivery, asked, "image/webp").text);
      }
    }
    // Eleven of each side, as a focus and as a position.
    expect(texts.size).toBeLessThanOrEqual(2 * 11 * 11);
    const moved = imgproxy.split(`/unsafe/rs:fill:320:200/g:no:0:3/plain/${PLAIN}`);
    if (!moved) throw new Error("no address");
    expect(await refusal(admit(delivery, imgproxy, moved, NOW))).toMatchObject(NOT_ALLOWED);
    const exact = await ofEdge(await signed("w=320,h=200,fit=cover,gravity=0.123x0.4", PLAIN));
    expect(exact.asked.body).toMatchObject({ resize: { position: { x: 0.123, y: 0.4 } } });
  });

  it("presets alone may be all there is", async () => {
    const unsigned = { presets_only: true, widths: [320] };
    expect((await ofEdge(`/p=card/${PLAIN}`, { unsigned })).asked.presets).toEqual(["card"]);
    for (const options of ["-", "w=320", "p=card,w=320", "q=50"]) {
      expect(await refusal(ofEdge(`/${options}/${PLAIN}`, { unsigned }))).toEqual(NOT_ALLOWED);
    }
  });

  it("imgproxy's addresses have the same rules", async () => {
    const check = async (options: string) => {
      const spelled = imgproxy.split(`/unsafe/${options}/plain/${PLAIN}`);
      if (!spelled) throw new Error("no address");
      return admit(DELIVERY, imgproxy, spelled, NOW);
    };
    for (const options of ["rs:fit:320:0:0", "w:320/q:80/g:sm", "rt:fill/w:640", "w:320/bl:1", "pr:card"]) {
      expect((await check(options)).asked.source).toBe(PLAIN);
    }
    for (const options of [
      "rs:fit:321",
      "s:320:10",
      "bl:1",
      "w:640/bl:1",
      "cb:1",
      "mb:10",
      "f:avif",
      "exp:9999999999",
    ]) {
      expect(await refusal(check(options))).toEqual(NOT_ALLOWED);
    }
  });
});

describe("sources", () => {
  const at = (spelled: string, sources = DELIVERY.sources) => {
    const found = locate({ sources, isOpen: false }, plainSource(spelled) ?? "");
    return found && identityOf(found);
  };

  it.each([
    [PLAIN, PLAIN],
    ["https://www.example.com:443/uploads/a.jpg", PLAIN],
    ["HTTPS://WWW.EXAMPLE.COM/uploads/a.jpg", PLAIN],
    ["https://www.example.com/x/../uploads/a.jpg", PLAIN],
    ["https://www.example.com/uploads/./a.jpg#part", PLAIN],
    ["https://www.example.com/uploads/b%2Fa.jpg", "https://www.example.com/uploads/b%2Fa.jpg"],
    ["a.jpg", PLAIN],
    ["..a/.b. c/...d.jpg", "https://www.example.com/uploads/..a/.b.%20c/...d.jpg"],
    ["/a.jpg", PLAIN],
    // Whatever looks like another scheme is a name below the prefix.
    ["ftp://evil.test/a.jpg", "https://www.example.com/uploads/ftp://evil.test/a.jpg"],
    ["javascript:alert(1)", "https://www.example.com/uploads/javascript:alert(1)"],
    ["shop/a.jpg", "store:shop/originals/a.jpg"],
    ["art/x/a%20b.jpg", "bucket:art/x/a b.jpg"],
  ])("%s is one", (spelled, identity) => expect(at(spelled)).toBe(identity));

  it.each([
    "https://www.example.com/uploads",
    "https://www.example.com/uploads2/a.jpg",
    "https://www.example.com/uploads/../a.jpg",
    "https://www.example.com/uploads/%2e%2e/a.jpg",
    "https://www.example.com/uploads/..%2fa.jpg",
    "https://www.example.com/uploads/..%5ca.jpg",
    "https://www.example.com/uploads/x%2f..%2f..%2fa.jpg",
    "https://www.example.com/uploads/%252e%252e%252fa.jpg",
    "https://www.example.com/uploads/%25252e%25252e/a.jpg",
    "https://www.example.com/uploads/..;/a.jpg",
    "https://www.example.com/uploads/..%20/a.jpg",
    "https://www.example.com/uploads/..%C2%A0/a.jpg",
    "https://www.example.com/uploads/..%2520/a.jpg",
    "https://www.example.com/uploads/.../a.jpg",
    "https://www.example.com/uploads/.%20./a.jpg",
    "https://www.example.com/uploads/..:x/a.jpg",
    "https://www.example.com/uploads/a%C2%85.jpg",
    "https://www.example.com/uploads/%c0%ae%c0%ae/a.jpg",
    "https://www.example.com//uploads/a.jpg",
    "https://user@www.example.com/uploads/a.jpg",
    "https://www.example.com@evil.test/uploads/a.jpg",
    "https://www.example.com.evil.test/uploads/a.jpg",
    "https://www.example.com./uploads/a.jpg",
    "http://www.example.com/uploads/a.jpg",
    "https://www.example.com:8443/uploads/a.jpg",
    "https:\\\\evil.test\\a.jpg",
    "../a.jpg",
    "x/%2e%2e/%2e%2e/a.jpg",
    "shop/../a.jpg",
    "shop/%2e%2e/a.jpg",
    "shop/x%2f..%2fa.jpg",
    "shop/a%00.jpg",
    "shop/..%20/a.jpg",
    "art/..%20/a.jpg",
    "art/a%C2%85.jpg",
    "shop/",
    "art/..",
    "https://",
    "https%3A%2F%2Fevil.test%2Fa.jpg",
    "art",
  ])("%s is none", (spelled) => expect(at(spelled)).toBeUndefined());

  it("a bare path needs exactly one web source", () => {
    const web = { kind: "web", prefix: "https://a.test/" } as const;
    expect(at("a.jpg", [web])).toBe("https://a.test/a.jpg");
    expect(at("a.jpg", [web, { ...web, prefix: "https://b.test/" }])).toBeUndefined();
    expect(at("a.jpg", [{ kind: "bucket", name: "art" }])).toBeUndefined();
  });

  it("redirects stay inside the prefix of the source", () => {
    const found = locate(DELIVERY, PLAIN);
    if (found?.kind !== "web") throw new Error("no source");
    expect(found.contains(new URL("https://www.example.com/uploads/b.jpg"))).toBe(true);
    expect(found.contains(new URL("https://www.example.com/b.jpg"))).toBe(false);
    expect(found.contains(new URL("https://evil.test/uploads/b.jpg"))).toBe(false);
  });
});
