/** A registry of packages of our scope on this machine: what `npm install` finds once they are published. */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

interface Published {
  readonly name: string;
  readonly version: string;
}

export interface Registry {
  /** The line of `.npmrc` that names it. */
  readonly npmrc: string;
  /** Offers the package of a folder, packed as a tarball, and makes it the latest of its name. */
  readonly publish: (folder: string, tarball: string) => Promise<void>;
  readonly stop: () => void;
}

/** Starts an empty registry of packages that are named like `@darkroom-images/…`. */
export async function startRegistry(): Promise<Registry> {
  const documents = new Map<string, { "dist-tags": { latest: string }; versions: Record<string, object> }>();
  const tarballs = new Map<string, Buffer>();
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? "/").slice(1);
    const tarball = tarballs.get(path);
    const document = documents.get(path);
    // What is the latest now is not what it was.
    response.setHeader("cache-control", "no-store");
    if (tarball) response.end(tarball);
    else if (document)
      response.setHeader("content-type", "application/json").end(JSON.stringify({ name: path, ...document }));
    else response.writeHead(404).end("{}");
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return {
    npmrc: `@darkroom-images:registry=${address}\n`,
    publish: async (folder, tarball) => {
      const manifest = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as Published;
      const bytes = await readFile(tarball);
      const path = `${manifest.name}/-/${manifest.version}.tgz`;
      tarballs.set(path, bytes);
      const integrity = `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
      const version = { ...manifest, dist: { tarball: address + path, integrity } };
      const versions = { ...documents.get(manifest.name)?.versions, [manifest.version]: version };
      documents.set(manifest.name, { "dist-tags": { latest: manifest.version }, versions });
    },
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
