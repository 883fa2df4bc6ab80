/** What the platform does with isolates and objects, and where it has them. */
import { DOCS, READ, type Rule } from "./rule.ts";

export const MEMORY_RULES: readonly Rule[] = [
  {
    name: "128 MB",
    says: "Heap, buffers and linear memories of an isolate are together at most 128 MB. Beyond, it may end with all that runs in it, and new requests go to another.",
    source: `${DOCS}/workers/platform/limits/#memory`,
    read: READ,
  },
];

export const PLACE_RULES: readonly Rule[] = [
  {
    name: "gathered on warm isolates",
    says: "Requests that wait for bytes go to isolates that are warm already; further ones begin once work is noticed to wait for a processor.",
    source: "https://blog.cloudflare.com/unpacking-cloudflare-workers-cpu-performance-benchmarks/",
    read: READ,
  },
  {
    name: "distance",
    says: "Each binding lies where it was made first, which may be as far as any place on Earth; nothing moves it.",
    source: `${DOCS}/durable-objects/reference/data-location/`,
    read: READ,
  },
  {
    name: "no cache on the shared domain",
    says: "On workers.dev `caches.default` keeps nothing and finds nothing.",
    source: `${DOCS}/workers/runtime-apis/cache/`,
    read: READ,
  },
];

export const OBJECT_RULES: readonly Rule[] = [
  {
    name: "evicted at idle moments",
    says: "An object that works on nothing may lose its memory at any moment, ten seconds after its last call at the earliest where nothing else ends it; what it wrote stays.",
    source: `${DOCS}/durable-objects/concepts/durable-object-lifecycle/`,
    read: READ,
  },
  {
    name: "alarms twice",
    says: "An alarm is called at least once, and again when it fails.",
    source: `${DOCS}/durable-objects/api/alarms/`,
    read: READ,
  },
];
