/** What the pages handle: the answers of the API, its document, and the parts of a page. */
import type { DeliverySigning, Success, UploadBody } from "../clients/api-types.d.ts";

export type {
  Account,
  BatchAccepted,
  BatchChanged,
  BatchFound,
  BatchList,
  BatchRecord,
  ConnectorList,
  ConnectorRecord,
  DeliveryCreated,
  DeliveryList,
  DeliveryRecord,
  DeliverySigning,
  DeliveryUsage,
  Failure,
  Input,
  KeyfileList,
  KeyfileRecord,
  NewDelivery,
  Result,
  SetOutput,
  SetSuccess,
  Success,
  UploadBody,
  UsageList,
  UsageRecord,
  WatermarkList,
  WatermarkRecord,
  WebhookList,
  WebhookRecord,
} from "../clients/api-types.d.ts";

/** What addresses are signed with, in hex. */
export type SigningPair = DeliverySigning["signing"];

/** What may stand inside an element; lists may be nested. */
export type Child = Node | string | number | false | null | undefined | readonly Child[];

/** JSON Schema, as far as openapi.json uses it. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly string[];
  readonly "x-default"?: string | number | boolean;
  readonly description?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly contentMediaType?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly not?: Schema;
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

interface Media {
  readonly schema: Schema;
  readonly example?: unknown;
}

export interface ApiResponse {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly schema: Schema; readonly description?: string }>>;
  readonly content?: Readonly<Record<string, Media>>;
}

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, ApiResponse>>;
}

/** openapi.json. */
export interface ApiDocument {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** One method of one path. */
export interface Endpoint {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
}

/** Something that can be set; it reads as undefined when it is not. */
export interface Setting {
  // oxlint-disable-next-line typescript/no-explicit-any -- what a request may hold is known to its schema alone
  readonly read: () => any;
  // oxlint-disable-next-line typescript/no-explicit-any -- as above
  readonly write: (value: any) => void;
}

/** A setting and the element that shows it. */
export interface Field extends Setting {
  readonly element: HTMLElement;
}

/** Where a field stands. */
export interface Place {
  readonly root: ApiDocument;
  readonly name: string;
  readonly id: string;
}

/** What is to be processed. */
export type Source =
  | { readonly file: File; readonly url?: undefined }
  | { readonly url: string; readonly file?: undefined };

/** A request that was answered with a result, as this tab remembers it. */
export interface Entry {
  readonly source: Source;
  readonly body: UploadBody | undefined;
  readonly called: Called<Success>;
  /** The bytes of the result, once they were fetched. */
  result?: Blob | undefined;
}

/** A file that was made of one of many. */
export interface MadeFile {
  readonly name: string;
  readonly blob: Blob;
  readonly format: string;
  readonly width: number;
  readonly height: number;
  readonly score: number | undefined;
}

/** A request as the programs show it. */
export interface ShownRequest {
  readonly origin: string;
  readonly key: string;
  readonly source: { readonly file: string; readonly url?: undefined } | { readonly url: string };
  readonly body?: object | undefined;
}

export interface CallOptions {
  /** FormData, or a value to be sent as JSON. */
  readonly body?: unknown;
  /** Resolves `bytes` as well as `answer`, which is read from a header then. */
  readonly binary?: boolean;
  /** Told the sent share, 0 to 1. */
  readonly onUpload?: (share: number) => void;
  readonly signal?: AbortSignal;
}

export interface Called<Answer> {
  readonly answer: Answer;
  readonly bytes: Blob;
  readonly header: (name: string) => string | null;
  readonly milliseconds: number;
}
