/** Examples of the API document; a test holds each against its schema. */

const id = "0f8fad5b-d9cb-469f-a165-70867728950e";
const accountId = "7c9e6679-7425-40de-944b-e07fc1f90ae7";
const keyId = "3f333df6-90a4-4fda-8dd3-9485d27cee36";
const key = "dk_4fT9wQ2mZxA7bLkP0sVnR6yHc3JdE8uG1iOaXzTqC6mDk7";
const createdAt = "2026-11-20T12:00:00.000Z";

const deployed = { version: "0.1.0", build: "b0e2f7a4-3f6c-4a52-9d6e-2f1d0c7f6a11" };

export const fetchBody = {
  url: "https://images.example.com/harbor.jpg",
  resize: { width: 1200 },
  optimize: { compression: "medium" },
};

export const selfTest = {
  success: true,
  code: 200,
  formats: ["JPEG", "PNG", "GIF", "WEBP", "AVIF", "TIFF"],
};

export const uploadBody = { resize: { width: 1200 } };

export const newUploadToken = {
  data: { resize: { width: 1200 } },
  max_bytes: 10_000_000,
  origins: ["https://app.example.com"],
};

export const uploadTokenCreated = {
  success: true,
  code: 201,
  token: "du_AkYd1jJf8mZQ2vT7aXw9Lr0cNpEbUoGhKsWtViYxRzq4Dn5Mh6Bg3FeCjPlOu0uR2x",
  url: "https://darkroom.example.com/1.0/upload",
  expires_at: "2026-11-20T12:10:00.000Z",
};

const measured = {
  width: 4000,
  height: 3000,
  colorspace: "YCbCr",
  interlaced: false,
  subsample: "4:2:0",
  sampling: "4:2:0",
  depth: 24,
  frames: 1,
  alpha: false,
};

export const success = {
  success: true,
  code: 200,
  id,
  input: {
    ...measured,
    name: "harbor.jpg",
    format: "JPEG",
    quality: 92,
    bytes: 3_145_728,
    sha1: "2fd4e1c67a2d28fced849ee1bb76e7391b93eb12",
  },
  output: {
    ...measured,
    name: "harbor.jpg",
    format: "JPEG",
    width: 1200,
    height: 900,
    interlaced: true,
    quality: 78,
    bytes: 154_213,
    saved: 2_991_515,
    score: 75.4,
    looks: "same",
    sha1: "de9f2c7fd25e1b3afad3e85a0bd17d9b100db4b3",
    url: "https://darkroom.example.com/temp/6fa459ea-ee8a-4ca4-894e-db77e160355e/harbor.jpg",
  },
};

export const failure = {
  success: false,
  code: 422,
  id,
  message: "resize.width must be a positive integer",
  error: "resize.width.range",
  param: "resize.width",
};

export const account = {
  success: true,
  code: 200,
  ...deployed,
  subscription: { name: "standard" },
  credits: { total: 10_000, used: 2_311, remaining: 7_689 },
  failed_ms: { limit: 120_000, used: 0 },
};

export const accepted = { success: true, code: 202, id };

const webhookRecord = {
  id,
  status: "delivered",
  created_at: createdAt,
  updated_at: "2026-11-20T12:00:05.630Z",
  code: 200,
  payload: success,
  attempts: [
    { at: "2026-11-20T12:00:00.121Z", code: 503, duration_ms: 84 },
    { at: "2026-11-20T12:00:05.214Z", code: 200, duration_ms: 412 },
  ],
};

export const webhookList = { success: true, code: 200, webhooks: [webhookRecord] };
export const webhookFound = { success: true, code: 200, webhook: webhookRecord };
export const webhookSecret = {
  success: true,
  code: 200,
  secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
  created_at: createdAt,
  previous: { secret: "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD", valid_until: "2026-11-21T12:00:00.000Z" },
};

const accountRecord = {
  id: accountId,
  database: "DB",
  originals: null,
  name: "Harbor Prints",
  plan: "standard",
  credits_total: 10_000,
  status: "active",
  created_at: createdAt,
};

const keyRecord = { id: keyId, name: "website", hint: key.slice(-4), created_at: createdAt, kind: "api" };

const counts = {
  requests: 812,
  errors: 9,
  pictures: 790,
  bytes_in: 2_485_166_080,
  bytes_out: 121_828_270,
  credits: 790,
  failed_ms: 4_180,
};

export const usageList = {
  success: true,
  code: 200,
  start: "2026-10-22",
  end: "2026-11-20",
  usage: [
    {
      day: "2026-11-20",
      account_id: accountId,
      key_id: keyId,
      key_name: "website",
      key_hint: key.slice(-4),
      ...counts,
    },
  ],
  total: counts,
  deliveries: [
    {
      day: "2026-11-20",
      account_id: accountId,
      delivery_id: "dl_7Kq2mZxA4bLkP0sV",
      finals: 12,
      drafts: 12,
      stored_hits: 96,
      delivered_bytes: 2_410_112,
    },
  ],
};

export const similarList = {
  success: true,
  code: 200,
  similar: [{ id, name: "harbor-small.jpg", phash: "d27a1d85b4e2693c", distance: 2, kept_at: createdAt }],
  complete: true,
};

export const newAccount = { name: "Harbor Prints", credits_total: 10_000 };
export const accountChange = {
  limits: { credits_per_month: 8_000, cpu_seconds_per_day: 3_600 },
  alerts: { webhook: "https://hooks.example.com/budget" },
};
export const budgetAlert = {
  success: true,
  code: 200,
  id,
  budget: { name: "credits_per_month", period: "2026-11", percent: 80, used: 6_400, limit: 8_000 },
};
export const accountCreated = { success: true, code: 201, account: accountRecord, key };
export const accountFound = { success: true, code: 200, account: { ...accountRecord, ...accountChange } };
export const accountList = { success: true, code: 200, accounts: [accountRecord] };
export const newKey = { name: "website" };
export const rpcMessage = {
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: "optimize_image", arguments: { url: "https://images.example.com/harbor.jpg" } },
};
export const rpcAnswer = {
  jsonrpc: "2.0",
  id: 1,
  result: { content: [{ type: "text", text: JSON.stringify({ output: { bytes: 154_213 } }) }] },
};
export const keyCreated = { success: true, code: 201, ...keyRecord, key };
export const keyList = { success: true, code: 200, keys: [keyRecord] };
export const keyDeleted = { success: true, code: 200, id: keyId };
export const vaultResealed = { success: true, code: 200, resealed: 500, left: 1_204 };
export const health = { success: true, code: 200, ...deployed };

const assetId = "q7RmX2kTz9";

const watermarkRecord = {
  id: assetId,
  name: "logo",
  format: "PNG",
  width: 640,
  height: 160,
  bytes: 18_204,
  sha1: "2fd4e1c67a2d28fced849ee1bb76e7391b93eb12",
  created_at: createdAt,
};

const keyfileRecord = {
  id: assetId,
  name: "uploads",
  client_email: "uploads@harbor-prints.iam.gserviceaccount.com",
  project_id: "harbor-prints",
  created_at: createdAt,
};

const connectorRecord = {
  id: assetId,
  name: "originals",
  provider: "provider-g",
  key_hint: "X7Q2",
  created_at: createdAt,
  updated_at: createdAt,
};

export const newWatermark = { name: "logo" };
export const watermarkCreated = { success: true, code: 201, watermark: watermarkRecord };
export const watermarkFound = { success: true, code: 200, watermark: watermarkRecord };
export const watermarkList = { success: true, code: 200, watermarks: [watermarkRecord] };
export const newKeyfile = { name: "uploads" };
export const keyfileCreated = { success: true, code: 201, keyfile: keyfileRecord };
export const keyfileFound = { success: true, code: 200, keyfile: keyfileRecord };
export const keyfileList = { success: true, code: 200, keyfiles: [keyfileRecord] };
export const newConnector = {
  name: "originals",
  provider: "provider-g",
  key: "DO00EXAMPLEX7Q2",
  secret: "wR5tY8uI1oP4aS7dF0gH",
  bucket: "harbor-prints",
  region: "fra1",
};
export const connectorChange = { bucket: "harbor-prints-2" };
export const connectorCreated = { success: true, code: 201, connector: connectorRecord };
export const connectorFound = { success: true, code: 200, connector: connectorRecord };
export const connectorList = { success: true, code: 200, connectors: [connectorRecord] };
const certificate = "-----BEGIN CERTIFICATE-----\nMIIBlzCCAT2gAwIBAgIUYh…\n-----END CERTIFICATE-----\n";
const signerRecord = {
  id: assetId,
  name: "prints",
  algorithm: "ES256",
  holder: "Harbor Prints",
  expires_at: "2027-11-28T00:00:00.000Z",
  tsa: "https://timestamp.example.com/",
  created_at: "2026-11-28T09:12:44.000Z",
};
export const newSigner = {
  name: "prints",
  certificates: certificate,
  key: "-----BEGIN PRIVATE KEY-----\nMIGHAgEAMBMGByqGSM49…\n-----END PRIVATE KEY-----\n",
  tsa: "https://timestamp.example.com/",
};
export const signerCreated = { success: true, code: 201, signer: signerRecord };
export const signerFound = { success: true, code: 200, signer: signerRecord };
export const signerList = { success: true, code: 200, signers: [signerRecord] };
export const trust = { anchors: certificate };
export const trustFound = { success: true, code: 200, anchors: certificate, count: 1 };
export const assetDeleted = { success: true, code: 200, id: assetId };

const deliveryId = "dl_7Kq2mZxA4bLkP0sV";
const signing = {
  key: "0b5c2f7e91d84a36a5f0c3d2e1b4978860d7f4a2c9135e8b7a6d0f2c4e18b395",
  salt: "7f3d9a1c5e2b8460d4f6a8c0e1357b9d2c4e6f8091a3b5c7d9e1f30527496b8d",
};
const deliveryRecord = {
  id: deliveryId,
  name: "shop",
  sources: [{ kind: "web", prefix: "https://www.example.com/uploads/" }],
  presets: { card: { resize: { width: 320, height: 240, mode: "fit" } } },
  unsigned: { widths: [320, 640, 1280], formats: ["avif", "webp"] },
  refine: true,
  ttl: 2_592_000,
  provenance: "auto",
  url: `https://darkroom.example.com/i/${deliveryId}`,
  created_at: createdAt,
};

export const newDelivery = {
  name: "shop",
  sources: [{ kind: "web", prefix: "https://www.example.com/uploads/" }],
  presets: { card: { resize: { width: 320, height: 240, mode: "fit" } } },
  unsigned: { widths: [320, 640, 1280], formats: ["avif", "webp"] },
};
export const deliveryChange = { ttl: 86_400 };
export const deliveryCreated = { success: true, code: 201, delivery: deliveryRecord, signing };
export const deliveryFound = { success: true, code: 200, delivery: deliveryRecord };
export const deliveryList = { success: true, code: 200, deliveries: [deliveryRecord] };
export const deliveryDeleted = { success: true, code: 200, id: deliveryId };
export const deliverySigning = { success: true, code: 200, signing };
export const purge = { source: "https://www.example.com/uploads/harbor.jpg" };
export const deliveryPurged = { success: true, code: 202, id: deliveryId };
export const addressExplained = {
  success: true,
  code: 200,
  allowed: false,
  dialect: "i",
  signature: "none",
  refusal: {
    code: 403,
    error: "address.refused",
    message: "This address is not allowed: its width is not in unsigned.widths, which has 320, 640",
  },
  asked: { source: "harbor.jpg", presets: [], width: 750, format: "auto", request: { resize: { width: 750 } } },
  original: "https://www.example.com/uploads/harbor.jpg",
  request: { resize: { width: 750 }, output: { format: "auto" } },
  accept: "image/jpeg,image/png,image/gif",
};
