/** Deliveries: what addresses may ask for. */
import * as v from "valibot";

import { PageQuery } from "../../contract/admin.ts";
import * as contract from "../../contract/deliveries.ts";
import { AddressExplained, ExplainQuery } from "../../contract/explanation.ts";
import * as examples from "../examples.ts";
import {
  addDelivery,
  editDelivery,
  explainAddress,
  purgeDelivery,
  removeDelivery,
  rotateDeliverySigning,
  showDeliveries,
  showDelivery,
  showSigning,
} from "../handlers/deliveries.ts";
import { showPicture } from "../handlers/pictures.ts";
import type { Route } from "../route.ts";

const found = {
  description: "The delivery",
  schema: contract.DeliveryFound,
  example: examples.deliveryFound,
} as const;
const signing = {
  description: "The pair that signs, and the one before it while it is valid",
  schema: contract.DeliverySigning,
  example: examples.deliverySigning,
} as const;

/** As the document tells of it: the dialect judges it by itself, in words of its own. */
const NextQuery = v.object({
  /** The original: an address, or a path that begins with a slash. */
  url: v.string(),
  /** Width in pixels. */
  w: v.pipe(v.number(), v.integer(), v.minValue(1)),
  /** Quality. */
  q: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(100)),
});

const pictures = {
  method: "get",
  tag: "Deliveries",
  access: "open",
  answers: {
    200: { description: "The picture, or with `format=json` facts of it", mime: "image/*" },
    206: { description: "The part of it that `Range` asks for", mime: "image/*" },
    302: { description: "With `onerror=redirect`: the original, because the picture cannot be made" },
    304: { description: "What the caller has is still right" },
  },
  refusals: [402, 403, 404, 412, 413, 415, 416, 422, 429, 502, 503, 504],
} as const;

export const deliveries: readonly Route[] = [
  {
    ...pictures,
    path: "/i/:delivery/:operations/:source",
    pattern: "/i/:delivery/*",
    operationId: "showPicture",
    summary: "Shows a picture of a delivery; options are `key=value`, separated by commas, or `-`.",
    handler: (c) => showPicture(c, "i"),
  },
  {
    ...pictures,
    path: "/imgproxy/:delivery/:signature/:operations/:source",
    pattern: "/imgproxy/:delivery/*",
    operationId: "showPictureAsImgproxy",
    summary: "Shows a picture of a delivery, asked for as imgproxy is; the options are segments of the path.",
    handler: (c) => showPicture(c, "imgproxy"),
  },
  {
    ...pictures,
    path: "/next/:delivery/_next/image",
    pattern: "/next/:delivery/*",
    operationId: "showPictureAsNext",
    summary: "Shows a picture of a delivery, asked for as Next.js does; failures are plain text, in its words.",
    query: NextQuery,
    refusals: [400, ...pictures.refusals],
    handler: (c) => showPicture(c, "next"),
  },
  {
    method: "post",
    path: "/1.0/deliveries",
    operationId: "addDelivery",
    summary: "Makes a delivery: which originals addresses may ask for, and what they may do to them.",
    tag: "Deliveries",
    access: "key",
    body: { mime: "application/json", schema: contract.NewDelivery, example: examples.newDelivery, required: true },
    answers: { 201: { description: "Made", schema: contract.DeliveryCreated, example: examples.deliveryCreated } },
    refusals: [400, 413, 415, 422],
    handler: addDelivery,
  },
  {
    method: "get",
    path: "/1.0/deliveries",
    operationId: "listDeliveries",
    summary: "Lists deliveries, newest first.",
    tag: "Deliveries",
    access: "key",
    query: PageQuery,
    answers: { 200: { description: "The deliveries", schema: contract.DeliveryList, example: examples.deliveryList } },
    refusals: [422],
    handler: showDeliveries,
  },
  {
    method: "get",
    path: "/1.0/deliveries/:delivery",
    operationId: "findDelivery",
    summary: "Shows one delivery.",
    tag: "Deliveries",
    access: "key",
    answers: { 200: found },
    refusals: [404],
    handler: showDelivery,
  },
  {
    method: "patch",
    path: "/1.0/deliveries/:delivery",
    operationId: "editDelivery",
    summary: "Replaces the members that are given; it takes up to a minute until every place knows.",
    tag: "Deliveries",
    access: "key",
    body: {
      mime: "application/json",
      schema: contract.DeliveryChange,
      example: examples.deliveryChange,
      required: true,
    },
    answers: { 200: found },
    refusals: [400, 404, 413, 415, 422],
    handler: editDelivery,
  },
  {
    method: "delete",
    path: "/1.0/deliveries/:delivery",
    operationId: "removeDelivery",
    summary: "Deletes a delivery and its results; its addresses end within a minute.",
    tag: "Deliveries",
    access: "key",
    answers: { 200: { description: "Deleted", schema: contract.DeliveryDeleted, example: examples.deliveryDeleted } },
    refusals: [404],
    handler: removeDelivery,
  },
  {
    method: "get",
    path: "/1.0/deliveries/:delivery/explain",
    operationId: "explainAddress",
    summary: "Explains an address: what it asks for, the request that is worked on, and why visitors are refused.",
    tag: "Deliveries",
    access: "key",
    query: ExplainQuery,
    answers: { 200: { description: "What it means", schema: AddressExplained, example: examples.addressExplained } },
    refusals: [404, 422],
    handler: explainAddress,
  },
  {
    method: "get",
    path: "/1.0/deliveries/:delivery/signing",
    operationId: "showDeliverySigning",
    summary: "Shows what addresses are signed with.",
    tag: "Deliveries",
    access: "key",
    answers: { 200: signing },
    refusals: [404],
    handler: showSigning,
  },
  {
    method: "post",
    path: "/1.0/deliveries/:delivery/signing",
    operationId: "rotateDeliverySigning",
    summary: "Makes a new pair; addresses that the old one signed stay valid for 24 hours.",
    tag: "Deliveries",
    access: "key",
    answers: { 200: signing },
    refusals: [404],
    handler: rotateDeliverySigning,
  },
  {
    method: "post",
    path: "/1.0/deliveries/:delivery/purge",
    operationId: "purgeDelivery",
    summary:
      "Forgets all results, or those of one original, in any spelling of it; it takes up to a minute everywhere.",
    tag: "Deliveries",
    access: "key",
    body: { mime: "application/json", schema: contract.Purge, example: examples.purge, required: true },
    answers: { 202: { description: "Being done", schema: contract.DeliveryPurged, example: examples.deliveryPurged } },
    refusals: [400, 404, 413, 415, 422],
    handler: purgeDelivery,
  },
];
