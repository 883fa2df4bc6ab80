/** Watermarks, keyfiles, connectors and signers, saved under ids. */
import type * as v from "valibot";

import * as admin from "../../contract/admin.ts";
import * as saved from "../../contract/assets.ts";
import * as signers from "../../contract/signers.ts";
import * as examples from "../examples.ts";
import { addConnector, editConnector, removeConnector, showConnector, showConnectors } from "../handlers/connectors.ts";
import { addKeyfile, removeKeyfile, showKeyfile, showKeyfiles } from "../handlers/keyfiles.ts";
import { addSigner, changeTrust, removeSigner, showSigner, showSigners, showTrust } from "../handlers/signers.ts";
import { addWatermark, removeWatermark, showWatermark, showWatermarks } from "../handlers/watermarks.ts";
import type { Route } from "../route.ts";

interface Said {
  readonly schema: v.GenericSchema;
  readonly example: unknown;
}

type Handled = Pick<Route, "handler">;
type Told = Pick<Route, "summary">;

/** What the routes of a kind of asset differ in. */
interface Kind {
  /** As the paths and the ids of its operations have it. */
  readonly name: string;
  readonly add: Handled & Told & { readonly mime?: "multipart/form-data"; readonly body: Said; readonly answer: Said };
  readonly list: Handled & Told & Said;
  readonly find: Handled & Told & Said;
  /** Absent: an asset stays as it was saved. */
  readonly change?: Handled & Told & { readonly body: Said };
  readonly remove: Route["handler"];
}

const COMMON = { tag: "Saved assets", access: "key" } as const;

/** The routes by which assets of a kind are saved, listed, shown, changed and deleted. */
function routesOf(kind: Kind): readonly Route[] {
  const { name } = kind;
  const named = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  return [...routesOfAll(kind, named), ...routesOfOne(kind, named)];
}

function routesOfAll({ name, add, list }: Kind, named: string): readonly Route[] {
  const path = `/1.0/${name}s`;
  return [
    {
      ...COMMON,
      method: "post",
      path,
      operationId: `add${named}`,
      summary: add.summary,
      body: { mime: add.mime ?? "application/json", ...add.body, required: true },
      answers: { 201: { description: "Saved", ...add.answer } },
      refusals: [400, 413, 415, 422],
      handler: add.handler,
    },
    {
      ...COMMON,
      method: "get",
      path,
      operationId: `list${named}s`,
      summary: list.summary,
      query: admin.PageQuery,
      answers: { 200: { description: `The ${name}s`, schema: list.schema, example: list.example } },
      refusals: [422],
      handler: list.handler,
    },
  ];
}

function routesOfOne({ name, find, change, remove }: Kind, named: string): readonly Route[] {
  const path = `/1.0/${name}s/:asset`;
  const answers = { 200: { description: `The ${name}`, schema: find.schema, example: find.example } };
  const shown: Route = {
    ...COMMON,
    method: "get",
    path,
    operationId: `find${named}`,
    summary: find.summary,
    answers,
    refusals: [404],
    handler: find.handler,
  };
  const changed: Route | undefined = change && {
    ...COMMON,
    method: "patch",
    path,
    operationId: `change${named}`,
    summary: change.summary,
    body: { mime: "application/json", ...change.body, required: true },
    answers,
    refusals: [400, 404, 413, 415, 422],
    handler: change.handler,
  };
  const deleted: Route = {
    ...COMMON,
    method: "delete",
    path,
    operationId: `remove${named}`,
    summary: `Deletes a ${name}.`,
    answers: { 200: { description: "Deleted", schema: saved.AssetDeleted, example: examples.assetDeleted } },
    refusals: [404],
    handler: remove,
  };
  return [shown, ...(changed ? [changed] : []), deleted];
}

export const assets: readonly Route[] = [
  ...routesOf({
    name: "watermark",
    add: {
      summary: "Saves a PNG, SVG, WebP, GIF or JPEG of at most 5 MB to be laid over images.",
      mime: "multipart/form-data",
      body: { schema: saved.NewAsset, example: examples.newWatermark },
      answer: { schema: saved.WatermarkCreated, example: examples.watermarkCreated },
      handler: addWatermark,
    },
    list: {
      summary: "Lists watermarks, newest first.",
      schema: saved.WatermarkList,
      example: examples.watermarkList,
      handler: showWatermarks,
    },
    find: {
      summary: "Shows one watermark.",
      schema: saved.WatermarkFound,
      example: examples.watermarkFound,
      handler: showWatermark,
    },
    remove: removeWatermark,
  }),
  ...routesOf({
    name: "keyfile",
    add: {
      summary:
        "Saves a service account's JSON keyfile, as the part `file` or as the whole JSON body; it is never shown.",
      mime: "multipart/form-data",
      body: { schema: saved.NewAsset, example: examples.newKeyfile },
      answer: { schema: saved.KeyfileCreated, example: examples.keyfileCreated },
      handler: addKeyfile,
    },
    list: {
      summary: "Lists keyfiles, newest first.",
      schema: saved.KeyfileList,
      example: examples.keyfileList,
      handler: showKeyfiles,
    },
    find: {
      summary: "Shows one keyfile, without its secrets.",
      schema: saved.KeyfileFound,
      example: examples.keyfileFound,
      handler: showKeyfile,
    },
    remove: removeKeyfile,
  }),
  ...routesOf({
    name: "connector",
    add: {
      summary: "Saves the credentials of a store, and defaults for other members, under an id.",
      body: { schema: saved.NewConnector, example: examples.newConnector },
      answer: { schema: saved.ConnectorCreated, example: examples.connectorCreated },
      handler: addConnector,
    },
    list: {
      summary: "Lists connectors, newest first.",
      schema: saved.ConnectorList,
      example: examples.connectorList,
      handler: showConnectors,
    },
    find: {
      summary: "Shows one connector, without its secrets.",
      schema: saved.ConnectorFound,
      example: examples.connectorFound,
      handler: showConnector,
    },
    change: {
      summary: "Replaces the members given; the provider stays.",
      body: { schema: saved.ConnectorChange, example: examples.connectorChange },
      handler: editConnector,
    },
    remove: removeConnector,
  }),
  {
    method: "get",
    path: "/1.0/signers/trust",
    operationId: "showTrust",
    summary: "Shows whom the operator trusts to sign manifests.",
    tag: "Administration",
    access: "operator",
    answers: { 200: { description: "Certificates", schema: signers.TrustFound, example: examples.trustFound } },
    refusals: [],
    handler: showTrust,
  },
  {
    method: "put",
    path: "/1.0/signers/trust",
    operationId: "changeTrust",
    summary: "Replaces the certificates by which signers of manifests are trusted.",
    tag: "Administration",
    access: "operator",
    body: { mime: "application/json", schema: signers.Trust, example: examples.trust, required: true },
    answers: { 200: { description: "Certificates", schema: signers.TrustFound, example: examples.trustFound } },
    refusals: [400, 413, 415, 422],
    handler: changeTrust,
  },
  ...routesOf({
    name: "signer",
    add: {
      summary:
        "Saves a certificate chain and its key, which sign what results say of where they are from; never shown.",
      body: { schema: signers.NewSigner, example: examples.newSigner },
      answer: { schema: signers.SignerCreated, example: examples.signerCreated },
      handler: addSigner,
    },
    list: {
      summary: "Lists signers, newest first: the first one signs.",
      schema: signers.SignerList,
      example: examples.signerList,
      handler: showSigners,
    },
    find: {
      summary: "Shows one signer, without its key.",
      schema: signers.SignerFound,
      example: examples.signerFound,
      handler: showSigner,
    },
    remove: removeSigner,
  }),
];
