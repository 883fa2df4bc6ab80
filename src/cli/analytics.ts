/** What the platform's analytics have counted of an account. */

/** One question for all of the month; names as the platform's schema has them. */
const QUERY = `query Bill($account: string, $start: Time, $end: Time, $from: Date, $to: Date) {
  viewer {
    accounts(filter: { accountTag: $account }) {
      workers: workersInvocationsAdaptive(limit: 10000, filter: { datetime_geq: $start, datetime_leq: $end }) {
        sum { requests cpuTimeUs } dimensions { scriptName }
      }
      bucket: r2OperationsAdaptiveGroups(limit: 10000, filter: { datetime_geq: $start, datetime_leq: $end }) {
        sum { requests } dimensions { actionType }
      }
      stored: r2StorageAdaptiveGroups(limit: 10000, filter: { date_geq: $from, date_leq: $to }) {
        max { payloadSize metadataSize } dimensions { date bucketName }
      }
      databases: d1AnalyticsAdaptiveGroups(limit: 10000, filter: { date_geq: $from, date_leq: $to }) {
        sum { rowsWritten } dimensions { date }
      }
      calls: durableObjectsInvocationsAdaptiveGroups(limit: 10000, filter: { datetime_geq: $start, datetime_leq: $end }) {
        sum { requests } dimensions { scriptName }
      }
      objects: durableObjectsPeriodicGroups(limit: 10000, filter: { datetime_geq: $start, datetime_leq: $end }) {
        sum { activeTime rowsWritten } dimensions { namespaceId }
      }
      queues: queueMessageOperationsAdaptiveGroups(limit: 10000, filter: { datetime_geq: $start, datetime_leq: $end }) {
        sum { billableOperations } dimensions { actionType }
      }
    }
  }
}`;

export interface Group {
  readonly sum?: Readonly<Partial<Record<string, number>>>;
  readonly max?: Readonly<Partial<Record<string, number>>>;
  readonly dimensions?: Readonly<Partial<Record<string, string>>>;
}

const NODES = ["workers", "bucket", "stored", "databases", "calls", "objects", "queues"] as const;
export type Counted = Readonly<Record<(typeof NODES)[number], readonly Group[]>>;

interface Answer {
  readonly data?: { readonly viewer?: { readonly accounts?: readonly Partial<Counted>[] } } | null;
  readonly errors?: readonly { readonly message?: string }[] | null;
}

/** Where the platform answers; a test puts a stand-in there. */
const ENDPOINT = process.env["CLOUDFLARE_API_BASE_URL"] ?? "https://api.cloudflare.com/client/v4";

/**
 * What was counted between two moments.
 * @param help what else is said where something is missing
 * @throws Error that says what is missing, or what the platform said
 */
export async function countedIn(start: Date, end: Date, help: string): Promise<Counted> {
  const { CLOUDFLARE_API_TOKEN: token, CLOUDFLARE_ACCOUNT_ID: account } = process.env;
  const missing = Object.entries({ CLOUDFLARE_ACCOUNT_ID: account, CLOUDFLARE_API_TOKEN: token }).flatMap(
    ([name, value]) => (value === undefined || value.trim() === "" ? [name] : []),
  );
  if (missing.length > 0) throw new Error(`${missing.join(" and ")} must be set.\n\n${help}`);
  const day = (date: Date): string => date.toISOString().slice(0, 10);
  const variables = {
    account,
    start: start.toISOString(),
    end: end.toISOString(),
    from: day(start),
    to: day(end),
  };
  const response = await fetch(`${ENDPOINT}/graphql`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ query: QUERY, variables }),
    signal: AbortSignal.timeout(30_000),
  }).catch((cause: unknown) => {
    throw new Error("The platform's analytics were not reached", { cause });
  });
  if (response.status === 401 || response.status === 403) {
    throw new Error(`The platform refused the token: it needs the permission Account Analytics: read.\n\n${help}`);
  }
  const { data, errors } = (await response.json().catch(() => ({}))) as Answer;
  const [first] = errors ?? [];
  if (first) throw new Error(`The platform's analytics answered: ${first.message ?? "an error without words"}`);
  const found = data?.viewer?.accounts?.[0];
  if (!found) throw new Error("The platform's analytics know no account of this CLOUDFLARE_ACCOUNT_ID");
  const absent = NODES.filter((node) => !Array.isArray(found[node]));
  if (absent.length > 0) throw new Error(`The platform's analytics say nothing of: ${absent.join(", ")}`);
  return found as Counted;
}
