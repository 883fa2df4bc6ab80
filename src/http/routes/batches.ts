/** Batches: whole buckets, object by object. */
import { PageQuery } from "../../contract/admin.ts";
import * as contract from "../../contract/batches.ts";
import * as examples from "../batch-examples.ts";
import {
  addBatch,
  showBatch,
  showBatchDuplicates,
  showBatches,
  showBatchFailures,
  steerBatch,
} from "../handlers/batches.ts";
import type { Route } from "../route.ts";

const steering = {
  method: "post",
  tag: "Batches",
  access: "key",
  answers: { 200: { description: "The batch", schema: contract.BatchChanged, example: examples.batchChanged } },
  refusals: [404],
} as const;

export const batches: readonly Route[] = [
  {
    method: "post",
    path: "/1.0/batches",
    operationId: "addBatch",
    summary: "Works on every picture of a bucket, or with `dry_run` says how many there are.",
    tag: "Batches",
    access: "key",
    body: { mime: "application/json", schema: contract.NewBatch, example: examples.newBatch, required: true },
    answers: { 202: { description: "Begun", schema: contract.BatchAccepted, example: examples.batchAccepted } },
    refusals: [400, 413, 415, 422],
    handler: addBatch,
  },
  {
    method: "get",
    path: "/1.0/batches",
    operationId: "listBatches",
    summary: "Lists batches, newest first, as they were within the last seconds.",
    tag: "Batches",
    access: "key",
    query: PageQuery,
    answers: { 200: { description: "The batches", schema: contract.BatchList, example: examples.batchList } },
    refusals: [422],
    handler: showBatches,
  },
  {
    method: "get",
    path: "/1.0/batches/:batch",
    operationId: "findBatch",
    summary: "Shows what a batch has come to, and its latest failures.",
    tag: "Batches",
    access: "key",
    answers: { 200: { description: "The batch", schema: contract.BatchFound, example: examples.batchFound } },
    refusals: [404],
    handler: showBatch,
  },
  {
    method: "get",
    path: "/1.0/batches/:batch/failures",
    operationId: "listBatchFailures",
    summary: "Lists objects that have failed, the latest first.",
    tag: "Batches",
    access: "key",
    query: contract.FailureQuery,
    answers: { 200: { description: "Failures", schema: contract.FailureList, example: examples.batchFailures } },
    refusals: [404, 422],
    handler: showBatchFailures,
  },
  {
    method: "get",
    path: "/1.0/batches/:batch/duplicates",
    operationId: "listBatchDuplicates",
    summary: "Lists pictures that look like others of the batch, which was given `analyze`.",
    tag: "Batches",
    access: "key",
    query: contract.DuplicateQuery,
    answers: { 200: { description: "Duplicates", schema: contract.DuplicateList, example: examples.batchDuplicates } },
    refusals: [404, 422],
    handler: showBatchDuplicates,
  },
  {
    ...steering,
    path: "/1.0/batches/:batch/pause",
    operationId: "pauseBatch",
    summary: "Pauses a batch: what is worked on is brought to its end.",
    handler: (c) => steerBatch(c, "pause"),
  },
  {
    ...steering,
    path: "/1.0/batches/:batch/resume",
    operationId: "resumeBatch",
    summary: "Lets a batch go on that is paused, or has failed.",
    handler: (c) => steerBatch(c, "resume"),
  },
  {
    ...steering,
    path: "/1.0/batches/:batch/cancel",
    operationId: "cancelBatch",
    summary: "Ends a batch: what was not begun stays as it is.",
    handler: (c) => steerBatch(c, "cancel"),
  },
];
