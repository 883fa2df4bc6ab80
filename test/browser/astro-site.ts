/** A small site of Astro, whose image service signs. */
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";

import type { Place } from "#clients/image-url";
import type { SigningPair } from "#clients/sign";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "..", "..");
const ASTRO = join(ROOT, "node_modules", "astro", "bin", "astro.mjs");

const FILES = {
  "package.json": "{}",
  "astro.config.mjs": `export default { image: { service: { entrypoint: "./src/image-service.js" } } };`,
  "src/image-service.js": `import { createService } from "@darkroom-images/client/astro";
export default createService(JSON.parse(process.env.PLACE));`,
  "src/pages/index.astro": `---
import { Image } from "astro:assets";
import sample from "../sample.jpg";
const remote = JSON.parse(process.env.PLACE).origin + sample.src;
---
<Image src={sample} alt="" widths={[160, 320]} sizes="320px" quality={75} />
<Image src={remote} alt="" width={300} height={200} densities={[1, 2]} quality={75} />
<Image src={sample} alt="" width={120} height={120} fit="cover" position="right top" format="webp" quality={75} />`,
};

/**
 * Builds the site, and serves what was built for as long as the work lasts: the service reads its originals there.
 * @param placeBelow the delivery of originals below an origin
 */
export async function withAstroSite(
  placeBelow: (origin: string) => Promise<Place & { signing: SigningPair }>,
  work: (html: string, origin: string) => Promise<void>,
): Promise<void> {
  const site = await mkdtemp(join(ROOT, ".wrangler", "site-"));
  const server = createServer((request, response) => {
    void readFile(join(site, "dist", request.url ?? "")).then(
      (bytes) => response.end(bytes),
      () => response.writeHead(404).end(),
    );
  });
  try {
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await writeSite(site);
    const place = JSON.stringify(await placeBelow(origin));
    await run(process.execPath, [ASTRO, "build", "--root", site], {
      env: { ...process.env, PLACE: place, ASTRO_TELEMETRY_DISABLED: "1", NODE_ENV: "production" },
    });
    await work(await readFile(join(site, "dist", "index.html"), "utf8"), origin);
  } finally {
    server.close();
    await rm(site, { recursive: true, force: true });
  }
}

async function writeSite(site: string): Promise<void> {
  await mkdir(join(site, "src", "pages"), { recursive: true });
  for (const [name, text] of Object.entries(FILES)) await writeFile(join(site, name), text);
  await cp(join(ROOT, "src", "playground", "sample.jpg"), join(site, "src", "sample.jpg"));
  // The package, as if it were installed.
  await mkdir(join(site, "node_modules", "@darkroom-images"), { recursive: true });
  await symlink(join(ROOT, "src", "clients"), join(site, "node_modules", "@darkroom-images", "client"));
}
