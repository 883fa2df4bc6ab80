/**
 * Pictures at a host of their own: a third Worker, `<name>-pictures`, whose cache answers before it, and which asks the
 * first for what it has not. Each is bound to the other.
 */
import { besideOf, type MainConfig, nameBeside } from "./beside.ts";

const NAME = "pictures";

/** The name of the Worker. */
export function picturesName(worker: string): string {
  return nameBeside(worker, NAME);
}

/** What the first Worker's configuration says of it: whose cache is to forget what has changed. */
export function boundToPictures(worker: string): object {
  return { services: [{ binding: "PICTURES", service: picturesName(worker) }] };
}

/**
 * Its configuration, beside that of the first.
 * @param host in a zone of the account
 * @param isFirst whether the first Worker is not there yet, to which nobody can be bound then
 */
export function picturesConfig(worker: MainConfig, host: string, isFirst: boolean): object {
  return {
    ...besideOf(worker, NAME),
    routes: [{ pattern: host, custom_domain: true }],
    // What is kept is good whatever version has made it: what an upgrade is to change is purged.
    cache: { enabled: true, cross_version_cache: true },
    services: isFirst ? [] : [{ binding: "SERVICE", service: worker.name }],
  };
}
