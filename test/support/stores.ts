/** Starts the stores that the tests upload to, on free loopback ports, before any test runs. */
import { generateKeyPairSync } from "node:crypto";

import type { TestProject } from "vitest/node";

import { CLIENT_EMAIL } from "./stores/accounts.ts";
import { blob } from "./stores/blob.ts";
import { google } from "./stores/google.ts";
import { iam } from "./stores/iam.ts";
import { oss } from "./stores/oss.ts";
import { s3 } from "./stores/s3.ts";
import { serve } from "./stores/server.ts";
import { swift } from "./stores/swift.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Provider code to the base URL of the store that stands in for it. */
    storeEndpoints: Record<string, string>;
    /** The text of a service account's keyfile. */
    keyfile: string;
  }
}

/** The regions in which the stores of the tests are. */
export default async function startStores(project: TestProject): Promise<() => Promise<void>> {
  const pair = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  const blobs = blob();
  const dialects = {
    "provider-a": s3("eu-central-1"),
    "provider-b": google(pair.publicKey),
    "provider-c": oss("eu-central-1"),
    "provider-d": swift("iad"),
    "provider-e": blobs,
    "provider-f": iam(),
    "provider-g": s3("fra1"),
    s3: s3("auto"),
  };
  const entries = Object.entries(dialects);
  const servers = await Promise.all(entries.map(([, dialect]) => serve(dialect)));
  project.provide("storeEndpoints", Object.fromEntries(entries.map(([code], at) => [code, servers[at]?.url ?? ""])));
  project.provide("keyfile", keyfileOf(pair.privateKey.export({ type: "pkcs8", format: "pem" }).toString()));
  return async () => {
    blobs.stop();
    await Promise.all(servers.map((server) => server.close()));
  };
}

function keyfileOf(privateKey: string): string {
  return JSON.stringify({
    type: "service_account",
    project_id: "project-1",
    private_key_id: "0123456789abcdef",
    private_key: privateKey,
    client_email: CLIENT_EMAIL,
    client_id: "1",
    token_uri: "https://oauth2.googleapis.com/token",
  });
}
