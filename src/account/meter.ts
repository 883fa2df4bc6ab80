import { DurableObject } from "cloudflare:workers";

/** Counts the requests and the credits of one account. */
export class Meter extends DurableObject<Env> {}
