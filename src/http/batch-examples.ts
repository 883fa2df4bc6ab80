/** Examples of batches for the API document. */

const id = "0f8fad5b-d9cb-469f-a165-70867728950e";
const createdAt = "2026-11-20T12:00:00.000Z";

export const newBatch = {
  source: { connector: "k7Qm2xV9aL", prefix: "uploads/" },
  target: "in-place",
  optimize: { compression: "medium" },
};

const batch = {
  id,
  state: "running",
  source: { connector: "k7Qm2xV9aL", prefix: "uploads/" },
  target: "in-place",
  only_if_smaller: 5,
  dry_run: false,
  counts: {
    found: 1_400,
    found_bytes: 3_221_225_472,
    listed: false,
    others: 12,
    done: 1_120,
    skipped: 31,
    failed: 1,
    bytes_before: 2_415_919_104,
    bytes_after: 1_073_741_824,
  },
  cursor: "uploads/2026/11/harbor-0812.jpg",
  created_at: createdAt,
  updated_at: createdAt,
};

const failures = [
  {
    key: "uploads/2026/11/broken.jpg",
    error: "image.damaged",
    reason: "The JPEG file is damaged: it is cut short",
    at: createdAt,
  },
];

const { cursor: _, ...begun } = batch;
export const batchAccepted = {
  success: true,
  code: 202,
  batch: {
    ...begun,
    state: "listing",
    counts: Object.fromEntries(Object.keys(batch.counts).map((name) => [name, name === "listed" ? false : 0])),
  },
};
const estimate = {
  objects: 1_400,
  bytes: 3_221_225_472,
  credits: 1_400,
  dollars: 0.037_348,
  bytes_saved: 1_771_674_010,
  rests_on: {
    listed: 1_412,
    sampled: 12,
    sampled_bytes: 27_262_976,
    sampled_failed: 0,
    sampled_ms: 7_104,
    requests: 1,
    queue_operations: 3,
    calls: 4,
    rows: 7,
    reads: 3,
    writes: 1,
  },
};
const dryRun = {
  ...begun,
  id: "7c9e6679-7425-40de-944b-e07fc1f90ae7",
  state: "done",
  dry_run: true,
  counts: { ...batch.counts, listed: true, done: 0, skipped: 0, failed: 0, bytes_before: 0, bytes_after: 0 },
  estimate,
};
export const batchFound = { success: true, code: 200, batch, failures };
export const batchChanged = { success: true, code: 200, batch };
export const batchList = { success: true, code: 200, batches: [batch, dryRun] };
export const batchEnded = { success: true, code: 200, id, batch: { ...batch, state: "done" } };
export const batchDuplicates = {
  success: true,
  code: 200,
  duplicates: [{ key: "uploads/harbor.jpg", phash: "d27a1d85b4e2693c", count: 1, keys: ["uploads/port.jpg"] }],
  complete: true,
};
export const batchFailures = { success: true, code: 200, failures };
