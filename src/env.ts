/** Turns the Worker's variables and secrets into Settings, once per isolate; nothing else reads them. */
import * as v from "valibot";

import {
  DEFAULT_LOG_SAMPLE,
  DEFAULT_TEMPORARY_TTL_SECONDS,
  MAX_TEMPORARY_TTL_SECONDS,
  RATE_LIMIT_REQUESTS,
} from "./limits.ts";
import {
  DATABASE_BYTES,
  DEFAULT_METER_BLOCK_SECONDS,
  MAX_DATABASE_BYTES,
  MAX_METER_BLOCK_SECONDS,
} from "./limits/accounts.ts";
import { DEFAULT_DELIVERY_KEEP_DAYS, DEFAULT_HIT_SAMPLE } from "./limits/delivery.ts";
import { DEFAULT_FAILED_MS, DEFAULT_JOB_MS, MAX_MAKERS, MAX_WAIT_SECONDS } from "./limits/isolate.ts";
import { WEBHOOK_BYTES_PER_DAY, WEBHOOK_JOBS_PER_DAY } from "./limits/webhook.ts";

/** The binding of the database of accounts and keys; where the records of an account lie that says nothing else. */
export const DIRECTORY = "DB";
/** The bindings of databases: `DB`, `DB_1`, `DB_2` and so on. */
export const DATABASE_BINDING = /^DB(?:_([1-9]\d{0,2}))?$/;

/** Where the platform can be asked to make something, and what it can be asked to keep it within. */
export const REGIONS = ["weur", "eeur", "wnam", "enam", "apac", "oc"] as const;
export const JURISDICTIONS = ["eu", "fedramp"] as const;

const KEY_BYTES = 32;

/** A variable that holds a whole number. */
function number(fallback: number, min: number, max: number) {
  const rule = `must be a whole number between ${min} and ${max}`;
  return v.optional(
    v.pipe(
      v.union([v.string(), v.number()]),
      v.transform(Number),
      v.number(rule),
      v.integer(rule),
      v.minValue(min, rule),
      v.maxValue(max, rule),
    ),
    fallback,
  );
}

/** A variable that holds `true` or `false`. */
function flag() {
  return v.optional(
    v.pipe(
      v.union([v.boolean(), v.picklist(["true", "false"], "must be true or false")]),
      v.transform((value) => value === true || value === "true"),
    ),
    false,
  );
}

/** A variable that holds names of hosts, separated by commas. */
function hosts() {
  return v.optional(
    v.pipe(
      v.string(),
      v.transform((value) =>
        value
          .split(",")
          .map((host) => host.trim().toLowerCase())
          .filter(Boolean),
      ),
    ),
    "",
  );
}

/** A variable that holds a JSON object of texts. */
function jsonTexts() {
  const rule = "must be a JSON object whose values are texts";
  return v.optional(
    v.pipe(v.string(rule), v.parseJson(undefined, rule), v.record(v.string(), v.string(rule), rule)),
    "{}",
  );
}

/** A variable that holds one of these names; blank is none. */
function oneOf<const Name extends string>(names: readonly Name[]) {
  const rule = `must be one of ${names.join(", ")}`;
  return v.optional(
    v.pipe(
      v.picklist([...names, ""] as const, rule),
      v.transform((value): Name | undefined => (value === "" ? undefined : (value as Name))),
    ),
  );
}

/** A secret that may be absent; a blank one is, as forms of the platform save fields that nobody filled in. */
function token() {
  return v.optional(
    v.pipe(
      v.string(),
      v.transform((value) => (value.trim() === "" ? undefined : value)),
    ),
  );
}

/** A variable that holds keys of 32 bytes. */
function keys() {
  const rule = "must be keys of 32 bytes in base64, separated by commas or spaces";
  return v.optional(
    v.pipe(
      v.string(rule),
      v.rawTransform(({ dataset, addIssue, NEVER }) => {
        const words = dataset.value.split(/[\s,]+/).filter(Boolean);
        const found = words.flatMap(keyOf);
        if (found.length > 0 && found.length === words.length) return found;
        addIssue({ message: rule });
        return NEVER;
      }),
    ),
  );
}

function keyOf(base64: string): Uint8Array<ArrayBuffer>[] {
  try {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    return bytes.length === KEY_BYTES ? [bytes] : [];
  } catch {
    return [];
  }
}

const Variables = v.object({
  /** The name on the wire: `Service/1.0` as User-Agent, `X-Service-Binary`, `X-Service-Metadata`. */
  SERVICE_NAME: v.optional(
    v.pipe(v.string(), v.regex(/^[A-Za-z][A-Za-z0-9]{0,31}$/, "must be letters and digits")),
    "Service",
  ),
  /** The public address of the service; absent: the address that the request came to. */
  BASE_URL: v.optional(v.pipe(v.string(), v.url("must be a URL"))),
  /** How long a result stays in volatile storage. */
  TEMPORARY_TTL_SECONDS: number(DEFAULT_TEMPORARY_TTL_SECONDS, 1, MAX_TEMPORARY_TTL_SECONDS),
  /** Requests per window and key. */
  RATE_LIMIT: number(RATE_LIMIT_REQUESTS, 1, 1_000_000_000),
  /** Requests per window and client address without a valid key. */
  ANONYMOUS_LIMIT: number(1_000, 1, 1_000_000_000),
  /** Declared milliseconds of processor time that one request may take. */
  MAX_JOB_MS: number(DEFAULT_JOB_MS, 1, 1_000_000_000),
  /** How long a request waits for its turn in a busy isolate. */
  MAX_WAIT_SECONDS: number(MAX_WAIT_SECONDS, 0, 600),
  /** How long an isolate keeps requests of a key to itself before it tells the account's meter; 0: each is told at once. */
  METER_BLOCK_SECONDS: number(DEFAULT_METER_BLOCK_SECONDS, 0, MAX_METER_BLOCK_SECONDS),
  /** Objects to which a busy isolate hands requests; 0: none. */
  MAKERS: number(0, 0, MAX_MAKERS),
  /** Declared milliseconds of processor time that failed requests of an account may take, per window. */
  MAX_FAILED_MS: number(DEFAULT_FAILED_MS, 1, 1_000_000_000),
  /** Jobs with a webhook that are accepted of an account on one day, UTC. */
  WEBHOOK_LIMIT: number(WEBHOOK_JOBS_PER_DAY, 0, 1_000_000_000),
  /** Bytes that these jobs take in the database together. */
  WEBHOOK_BYTES_LIMIT: number(WEBHOOK_BYTES_PER_DAY, 0, 1_000_000_000_000),
  /** The size of a database from which on it takes no further jobs. */
  DATABASE_BYTES_LIMIT: number(DATABASE_BYTES, 0, MAX_DATABASE_BYTES),
  /** Waits before further attempts to deliver a notification; empty: one attempt. */
  WEBHOOK_RETRY_SECONDS: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^(?:\d{1,6}(?:,\d{1,6})*)?$/, "must be whole numbers separated by commas"),
      v.transform((value) => (value === "" ? [] : value.split(",").map(Number))),
    ),
    "5,60,600,3600",
  ),
  /** Lets callers name private and loopback addresses: only for local development and tests. */
  ALLOW_PRIVATE_ORIGINS: flag(),
  /** Where outgoing calls come from, if the operator knows: shown by the account query. */
  EGRESS_RANGES: v.optional(
    v.pipe(
      v.string(),
      v.transform((value) =>
        value
          .split(",")
          .map((range) => range.trim())
          .filter(Boolean),
      ),
    ),
    "",
  ),
  /** Provider code to base URL, so that emulators can stand in for the providers. */
  PROVIDER_ENDPOINTS: jsonTexts(),
  /**
   * Hosts of S3-compatible stores that callers may name, separated by commas; `*.example.com` allowed. Empty: none, or
   * any where private origins are allowed.
   */
  STORE_HOSTS: hosts(),
  /**
   * Further names of this machine, separated by commas, where private origins are allowed: the service answers nobody who
   * calls it by another name, and no page of another site. `*`: everybody.
   */
  ALLOWED_HOSTS: hosts(),
  /** Platform to URL template with `{user}`, for profile pictures. */
  PROFILE_URLS: jsonTexts(),
  FACEBOOK_TOKEN: token(),
  TWITTER_TOKEN: token(),
  /** Where objects of the platform are made; absent: near their first caller. */
  REGION: oneOf(REGIONS),
  /** What objects of the platform are kept within; absent: nothing. */
  JURISDICTION: oneOf(JURISDICTIONS),
  /** How long results of deliveries are kept that nobody asks for. */
  DELIVERY_KEEP_DAYS: number(DEFAULT_DELIVERY_KEEP_DAYS, 1, 36_500),
  /** Of so many requests that went well one has a line in the log. */
  LOG_SAMPLE: number(DEFAULT_LOG_SAMPLE, 1, 1_000_000),
  /** Of so many hits of deliveries one is counted, as so many. */
  HIT_SAMPLE: number(DEFAULT_HIT_SAMPLE, 1, 1_000_000),
  /** Opens the administration API; without it, its paths do not exist. */
  ADMIN_TOKEN: token(),
  /** Who signs for accounts that have saved no signer: a JSON object like the body of POST /1.0/signers. */
  SIGNER: token(),
  /** Encrypts saved credentials and jobs at rest: the first key seals, all open. */
  VAULT_KEY: keys(),
  /** Keys that come before those of VAULT_KEY: to change one whose value nobody knows, since a secret cannot be read. */
  VAULT_KEY_NEXT: keys(),
});

/** The variables and secrets that the Worker knows. */
export const SETTING_NAMES: readonly string[] = Object.keys(Variables.entries);

type Parsed = v.InferOutput<typeof Variables>;

export interface Settings {
  readonly serviceName: string;
  readonly baseUrl: string | undefined;
  readonly temporaryTtlSeconds: number;
  readonly rateLimit: number;
  readonly anonymousLimit: number;
  readonly maxJobMs: number;
  readonly maxWaitSeconds: number;
  readonly meterBlockSeconds: number;
  readonly makers: number;
  readonly maxFailedMs: number;
  readonly webhookLimit: number;
  readonly webhookBytesLimit: number;
  readonly databaseBytesLimit: number;
  readonly webhookRetrySeconds: readonly number[];
  readonly allowPrivateOrigins: boolean;
  readonly egressRanges: readonly string[];
  readonly providerEndpoints: Readonly<Record<string, string>>;
  readonly storeHosts: readonly string[];
  readonly allowedHosts: readonly string[];
  readonly profileUrls: Readonly<Record<string, string>>;
  readonly facebookToken: string | undefined;
  readonly twitterToken: string | undefined;
  readonly region: (typeof REGIONS)[number] | undefined;
  readonly jurisdiction: (typeof JURISDICTIONS)[number] | undefined;
  readonly deliveryKeepDays: number;
  readonly logSample: number;
  readonly hitSample: number;
  readonly adminToken: string | undefined;
  /** As JSON; absent: nobody signs for accounts that have saved no signer. */
  readonly signer: string | undefined;
  /** The first seals, all open; none: nothing can be sealed. */
  readonly vaultKeys: readonly Uint8Array<ArrayBuffer>[];
}

/**
 * Which version of the service this is: results of another one may differ. The platform names every deployment, changed
 * settings included.
 */
export function engineVersion(env: object): string {
  const { VERSION } = env as { readonly VERSION?: WorkerVersionMetadata };
  return VERSION?.id ?? "";
}

let known: { env: object; settings: Settings } | undefined;

/**
 * The settings of this isolate.
 * @throws Error naming the variable that breaks its rule
 */
export function settingsOf(env: object): Settings {
  if (known?.env === env) return known.settings;
  const parsed = v.safeParse(Variables, env);
  if (!parsed.success) {
    const [issue] = parsed.issues;
    throw new Error(`The variable ${v.getDotPath(issue) ?? ""} ${issue.message}`);
  }
  const settings = Object.freeze(fromVariables(parsed.output));
  known = { env, settings };
  return settings;
}

function fromVariables(variables: Parsed): Settings {
  return {
    serviceName: variables.SERVICE_NAME,
    baseUrl: variables.BASE_URL?.replace(/\/+$/, ""),
    temporaryTtlSeconds: variables.TEMPORARY_TTL_SECONDS,
    rateLimit: variables.RATE_LIMIT,
    anonymousLimit: variables.ANONYMOUS_LIMIT,
    maxJobMs: variables.MAX_JOB_MS,
    maxWaitSeconds: variables.MAX_WAIT_SECONDS,
    meterBlockSeconds: variables.METER_BLOCK_SECONDS,
    makers: variables.MAKERS,
    maxFailedMs: variables.MAX_FAILED_MS,
    webhookLimit: variables.WEBHOOK_LIMIT,
    webhookBytesLimit: variables.WEBHOOK_BYTES_LIMIT,
    databaseBytesLimit: variables.DATABASE_BYTES_LIMIT,
    webhookRetrySeconds: variables.WEBHOOK_RETRY_SECONDS,
    allowPrivateOrigins: variables.ALLOW_PRIVATE_ORIGINS,
    egressRanges: variables.EGRESS_RANGES,
    providerEndpoints: variables.PROVIDER_ENDPOINTS,
    storeHosts: variables.STORE_HOSTS,
    allowedHosts: variables.ALLOWED_HOSTS,
    profileUrls: variables.PROFILE_URLS,
    facebookToken: variables.FACEBOOK_TOKEN,
    twitterToken: variables.TWITTER_TOKEN,
    region: variables.REGION,
    jurisdiction: variables.JURISDICTION,
    deliveryKeepDays: variables.DELIVERY_KEEP_DAYS,
    logSample: variables.LOG_SAMPLE,
    hitSample: variables.HIT_SAMPLE,
    adminToken: variables.ADMIN_TOKEN,
    signer: variables.SIGNER,
    vaultKeys: [...(variables.VAULT_KEY_NEXT ?? []), ...(variables.VAULT_KEY ?? [])],
  };
}
