/** A stand-in for wrangler, so that a deployment needs no account. */
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** A wrangler that keeps an account in a JSON file, and a log of what it was asked. */
const FAKE = String.raw`#!/usr/bin/env node
const fs = require("node:fs");
const path = require("node:path");
const state = path.join(__dirname, "account.json");
const account = JSON.parse(fs.readFileSync(state, "utf8"));
const args = process.argv.slice(2);
const said = args.join(" ");
fs.appendFileSync(path.join(__dirname, "log"), said + "\n");
const end = (text, status = 0) => {
  fs.writeFileSync(state, JSON.stringify(account));
  (status ? process.stderr : process.stdout).write(text + "\n");
  process.exit(status);
};
const option = (name) => args[args.indexOf(name) + 1];
const configured = () => {
  const text = fs.readFileSync(option("--config"), "utf8");
  return option("--config").endsWith(".json") ? JSON.parse(text).name : /^name = "(.+)"$/m.exec(text)[1];
};
const named = () => args.includes("--name") ? option("--name") : configured();
const beside = () => /-(objects|pictures)$/.exec(named())?.[1];
if (said.startsWith("whoami")) end(JSON.stringify({ loggedIn: account.login }), account.login ? 0 : 1);
if (account.forbidden?.some((start) => said.startsWith(start))) end("Authentication error [code: 10000]", 1);
if (account.broken && said.startsWith(account.broken)) end("A request to the API failed. [code: 7003]", 1);
if (said.startsWith("r2 bucket info")) account.bucket === args[3] ? end("{}") : end("The specified bucket does not exist. [code: 10006]", 1);
if (said.startsWith("r2 bucket create")) { account.bucket = args[3]; end("made"); }
if (said.startsWith("r2 bucket lifecycle list")) account.bucket ? end(account.rule ?? "There are no lifecycle rules") : end("The specified bucket does not exist. [code: 10006]", 1);
if (said.startsWith("r2 bucket lifecycle add")) { account.rule = "name: " + args[5] + " prefix: " + args[6]; end("made"); }
if (said.startsWith("d1 list")) end(JSON.stringify(account.databases));
if (said.startsWith("d1 create")) { account.databases.push({ name: args[2], uuid: "11111111-2222-3333-4444-555555555555" }); end("made"); }
if (said.startsWith("d1 migrations apply")) end("applied");
if (said.startsWith("queues info")) account.queue === args[2] ? end("Queue") : end('Queue "' + args[2] + '" does not exist.', 1);
if (said.startsWith("queues create")) { account.queue = args[2]; end("made"); }
const secrets = () => beside() ? account[beside()]?.secrets : account.secrets;
if (said.startsWith("secret list")) secrets() ? end(JSON.stringify(Object.keys(secrets()).map((name) => ({ name })))) : end("This Worker does not exist on your account. [code: 10007]", 1);
if (said.startsWith("rollback")) end("rolled back");
if (said.startsWith("deploy --dry-run")) end("--dry-run: exiting now.");
if (said.startsWith("deploy")) {
  if (beside()) {
    const given = JSON.parse(fs.readFileSync(option("--secrets-file"), "utf8"));
    account[beside()] = { secrets: { ...account[beside()]?.secrets, ...given }, config: fs.readFileSync(option("--config"), "utf8") };
    end("Uploaded " + named());
  }
  account.secrets = { ...account.secrets, ...JSON.parse(fs.readFileSync(option("--secrets-file"), "utf8")) };
  account.config = fs.readFileSync(option("--config"), "utf8");
  end("Deployed darkroom triggers\n  " + (account.url ?? "https://darkroom.example.workers.dev") + "\n");
}
if (said.startsWith("queues consumer remove")) end("removed");
if (said.startsWith("queues delete")) { delete account.queue; end("deleted"); }
if (said.startsWith("d1 delete")) { account.databases = account.databases.filter(({ name }) => name !== args[2]); end("deleted"); }
if (said.startsWith("r2 bucket delete")) { delete account.bucket; end("deleted"); }
if (said.startsWith("delete")) { delete account.secrets; end("deleted"); }
if (said.startsWith("tail")) {
  for (let name = 1; name <= 500; name += 1) {
    for (const entrypoint of [undefined, "Maker"]) {
      const event = { request: { headers: { "x-prove": String(name) } } };
      console.log(JSON.stringify({ outcome: "ok", cpuTime: entrypoint ? 5 : 7, entrypoint, logs: [{ message: ["}{\""] }], event }, null, 2));
    }
  }
  setInterval(() => undefined, 1000);
} else
end("unexpected: " + said, 1);
`;

/** Writes it into a folder, where `account.json` is the account and `log` what it was asked. */
export async function writeFakeWrangler(folder: string): Promise<void> {
  await writeFile(join(folder, "wrangler"), FAKE);
  await chmod(join(folder, "wrangler"), 0o755);
}
