/** The types of the API, made from openapi.json by `npm run openapi`. */

/** A file as an upload takes it. */
export type FileBody = Blob | ArrayBuffer | Uint8Array<ArrayBuffer>;

export type FetchBody = {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly trim?: Trim;
  readonly flip?: Flip;
  readonly rotate?: Rotate;
  readonly upscale?: Upscale;
  readonly crop?: Crop;
  readonly resize?: Resize;
  readonly scale?: Scale;
  readonly auto?: Auto;
  readonly adjust?: Adjust;
  readonly filter?: Filter;
  readonly redact?: Redact;
  readonly watermark?: Watermark;
  readonly text?: Text;
  readonly mask?: Mask;
  readonly border?: Border;
  readonly padding?: Padding;
  readonly background?: Background;
  readonly analyze?: readonly ("thumbhash" | "blurhash" | "color" | "palette" | "phash" | "focus" | "faces" | "provenance")[];
  readonly output?: Output;
  readonly optimize?: Optimize;
  readonly store?: Store;
  readonly input?: {
    readonly damaged?: "refuse" | "show";
  };
  readonly outputs?: Outputs;
  readonly srcset?: Srcset;
  readonly response?: {
    readonly mode?: "json" | "binary";
    readonly keep?: boolean;
    readonly explain?: boolean;
  };
  readonly webhook?: Webhook;
  readonly reuse?: boolean;
  readonly cdn?: {
    readonly push?: false;
  };
};

export type UploadBody = {
  readonly trim?: Trim;
  readonly flip?: Flip;
  readonly rotate?: Rotate;
  readonly upscale?: Upscale;
  readonly crop?: Crop;
  readonly resize?: Resize;
  readonly scale?: Scale;
  readonly auto?: Auto;
  readonly adjust?: Adjust;
  readonly filter?: Filter;
  readonly redact?: Redact;
  readonly watermark?: Watermark;
  readonly text?: Text;
  readonly mask?: Mask;
  readonly border?: Border;
  readonly padding?: Padding;
  readonly background?: Background;
  readonly analyze?: readonly ("thumbhash" | "blurhash" | "color" | "palette" | "phash" | "focus" | "faces" | "provenance")[];
  readonly output?: Output;
  readonly optimize?: Optimize;
  readonly store?: Store;
  readonly input?: {
    readonly damaged?: "refuse" | "show";
  };
  readonly outputs?: Outputs;
  readonly srcset?: Srcset;
  readonly response?: {
    readonly mode?: "json" | "binary";
    readonly keep?: boolean;
    readonly explain?: boolean;
  };
  readonly webhook?: Webhook;
  readonly reuse?: boolean;
  readonly cdn?: {
    readonly push?: false;
  };
};

export type NewUploadToken = {
  readonly data?: UploadBody;
  readonly max_bytes?: number;
  readonly ttl?: number;
  readonly uses?: number;
  readonly origins?: readonly (string)[];
};

export type UploadTokenCreated = {
  readonly success: true;
  readonly code: 201;
  readonly token: string;
  readonly url: string;
  readonly expires_at: string;
};

/** Removes edges of one color (of `color`, or that of the corners) or transparent ones, before all other operations. */
export type Trim = {
  readonly threshold?: number;
  readonly color?: string;
  readonly padding?: number;
  readonly equal?: "horizontal" | "vertical" | "both";
  readonly top?: number;
  readonly right?: number;
  readonly bottom?: number;
  readonly left?: number;
  readonly width?: number;
  readonly height?: number;
};

/** Mirrors the picture: `horizontal` swaps left and right, `vertical` top and bottom. */
export type Flip = {
  readonly horizontal?: boolean;
  readonly vertical?: boolean;
  readonly mode?: "horizontal" | "vertical" | "both";
};

/** Turns the picture clockwise by `angle` degrees, quarter turns without loss. */
export type Rotate = {
  readonly angle: number;
  readonly background?: string;
  readonly upright?: boolean;
};

/** Super-resolution: enlarges the picture `factor` times, with edges and textures sharper than `resize` makes them, up to 4 megapixels of it; larger ones are enlarged as by `resize`. */
export type Upscale = {
  readonly factor: number;
};

/** Cuts out a region: `rect` of width and height (pixels, or below 1 a part of the side), at x and y or where `gravity` pulls it; `ratio` the largest region of the shape W:H; `face` the most prominent face, or with `faces: all` every face, and `padding` times half its size around it. */
export type Crop = {
  readonly mode?: "rect" | "ratio" | "face";
  readonly width?: number | string;
  readonly height?: number | string;
  readonly x?: number;
  readonly y?: number;
  readonly gravity?: "center" | "top-left" | "top" | "top-right" | "right" | "bottom-right" | "bottom" | "bottom-left" | "left" | "face" | "faces" | "auto";
  readonly focus?: {
    readonly x: number;
    readonly y: number;
  };
  readonly offset?: {
    readonly x: number;
    readonly y: number;
  };
  readonly padding?: number;
  readonly faces?: "one" | "all";
  readonly ratio?: string;
};

/** Changes the size. */
export type Resize = {
  readonly width?: number;
  readonly height?: number;
  readonly min_width?: number;
  readonly min_height?: number;
  readonly mode?: "auto" | "fit" | "fill" | "exact" | "match" | "shape";
  readonly gravity?: "center" | "top-left" | "top" | "top-right" | "right" | "bottom-right" | "bottom" | "bottom-left" | "left" | "face" | "faces" | "auto";
  readonly focus?: {
    readonly x: number;
    readonly y: number;
  };
  readonly position?: {
    readonly x: number;
    readonly y: number;
  };
  readonly offset?: {
    readonly x: number;
    readonly y: number;
  };
  readonly upscale?: boolean;
  readonly background?: string;
  readonly linear?: boolean;
  readonly density?: number;
  readonly canvas?: "box" | "ratio";
  readonly canvas_gravity?: "center" | "top-left" | "top" | "top-right" | "right" | "bottom-right" | "bottom" | "bottom-left" | "left";
  readonly canvas_offset?: {
    readonly x: number;
    readonly y: number;
  };
};

/** Changes the size by the factor `size`; `ratio` stretches the width by a further factor. */
export type Scale = {
  readonly size: number;
  readonly ratio?: number;
  readonly linear?: boolean;
};

/** Improves the picture by itself: `redeye` makes pairs of red pupils dark. */
export type Auto = {
  readonly enhance?: boolean;
  readonly redeye?: boolean;
  readonly size?: unknown;
  readonly color?: unknown;
  readonly radius?: unknown;
  readonly background?: unknown;
};

/** Adjusts tone and color, in this order: exposure, temperature, tint, brightness, contrast, gamma, highlights and shadows, vibrance, hue, saturation, grayscale, invert, sharpen, unsharp. */
export type Adjust = {
  readonly exposure?: number;
  readonly temperature?: number;
  readonly tint?: number;
  readonly brightness?: number;
  readonly contrast?: number;
  readonly gamma?: number;
  readonly highlights?: number;
  readonly shadows?: number;
  readonly vibrance?: number;
  readonly hue?: number;
  readonly saturation?: number;
  readonly grayscale?: boolean;
  readonly invert?: boolean;
  readonly sharpen?: number;
  readonly unsharp?: number;
};

/** Filters, any number of them, applied in the order in which they are named. */
export type Filter = {
  /** Blurs. */
  readonly blur?: {
    readonly mode?: "gaussian" | "box" | "disc" | "motion" | "zoom" | "median";
    readonly value: number;
    readonly angle?: number;
  };
  /** Brown shades of an old photograph; `value` per cent of them. */
  readonly sepia?: {
    readonly value: number;
  };
  /** Square cells of `value` pixels, each in the mean color of its pixels; 0 and 1 change nothing. */
  readonly pixellate?: {
    readonly value: number;
  };
  /** The grayscale picture between two colors: `dark` for black, `light` for white. */
  readonly duotone?: {
    readonly light: string;
    readonly dark: string;
  };
  /** The grayscale picture in one color, from black to `color`; `value` per cent of it. */
  readonly monochrome?: {
    readonly value: number;
    readonly color: string;
  };
  /** A printing screen: tones as dots, lines, rings or hatching that are `value` pixels apart, turned by `angle` degrees; `cmyk` prints dots of four inks. */
  readonly halftone?: {
    readonly mode?: "dot" | "line" | "circular" | "hatched" | "cmyk";
    readonly value: number;
    readonly angle?: number;
    readonly sharpness?: number;
  };
  /** One color for another: what is within `value` units of `from` in CIELAB (difference by CIE 1976) becomes `to`, fading out over the outer half of that distance. */
  readonly replace?: {
    readonly from: string;
    readonly to: string;
    readonly value?: number;
  };
  /** Factors on encoded values, as CSS filters have them, in this order: `brightness`, `contrast` around the middle, `gamma` (above 1 brightens), `saturation` (0 is gray); 1 changes nothing. */
  readonly tone?: {
    readonly brightness?: number;
    readonly contrast?: number;
    readonly gamma?: number;
    readonly saturation?: number;
  };
};

/** Hides faces and rectangles for good. */
export type Redact = {
  readonly faces?: "blur" | "pixellate" | "fill";
  readonly mode?: "blur" | "pixellate" | "fill";
  readonly padding?: number;
  readonly regions?: readonly ({
    readonly x: number;
    readonly y: number;
    readonly width: number | string;
    readonly height: number | string;
  })[];
  readonly color?: string;
};

/** Lays a saved watermark on the picture: where `gravity` pulls it, `padding` pixels from the edges, or at x and y. */
export type Watermark = {
  readonly id: string;
  readonly gravity?: "center" | "top-left" | "top" | "top-right" | "right" | "bottom-right" | "bottom" | "bottom-left" | "left";
  readonly padding?: number;
  readonly x?: number;
  readonly y?: number;
  readonly opacity?: number;
  readonly scale?: number;
  readonly width?: number;
  readonly height?: number;
  readonly fit?: boolean;
};

/** Writes `value` on the picture: where `gravity` pulls it, `padding` pixels from the edges, or at x and y. */
export type Text = {
  readonly value: string;
  readonly size?: number | string;
  readonly font?: "sans" | "serif" | "mono";
  readonly weight?: 400 | 700;
  readonly color?: string;
  readonly background?: string;
  readonly gravity?: "center" | "top-left" | "top" | "top-right" | "right" | "bottom-right" | "bottom" | "bottom-left" | "left";
  readonly padding?: number;
  readonly x?: number;
  readonly y?: number;
  readonly opacity?: number;
  readonly width?: number | string;
  readonly align?: "left" | "center" | "right";
  readonly angle?: number;
};

/** Cuts the picture to an ellipse inside its bounds, with a smooth edge. */
export type Mask = {
  readonly shape: "ellipse";
  readonly background?: string;
};

/** Paints a border of `size` pixels inside the edges; the picture keeps its size. */
export type Border = {
  readonly size?: number;
  readonly color?: string;
  readonly radius?: number;
  readonly background?: string;
};

/** Adds canvas around the picture: `size` on all sides, a named side overrides it. */
export type Padding = {
  readonly size?: number;
  readonly top?: number;
  readonly right?: number;
  readonly bottom?: number;
  readonly left?: number;
  readonly background?: string;
};

/** Lays the picture on `color`: nothing of it is transparent then. */
export type Background = {
  readonly color: string;
};

export type Output = {
  readonly format?: "auto" | "jpeg" | "jpg" | "jpeg2000" | "jp2" | "png" | "apng" | "gif" | "webp" | "avif" | "heic" | "heif" | "jxl" | "bmp" | "ico" | "tiff" | "tif" | "mp4";
  readonly sizes?: readonly (number)[];
  readonly quality?: number;
  readonly encoding?: "baseline" | "progressive";
  readonly animation?: boolean;
  readonly metadata?: "none" | "copyright" | "no-location" | "all";
  readonly provenance?: "auto" | "drop" | "keep" | "sign";
  readonly signer?: string;
  readonly profile?: "srgb" | "p3" | "keep";
  readonly hdr?: "drop" | "keep";
  readonly name?: string;
};

export type Optimize = {
  readonly compression?: "low" | "medium" | "high" | "ultra" | "lossless";
  readonly effort?: "fast" | "balanced" | "best";
  readonly lossless?: boolean;
  readonly quality?: number;
  readonly target_bytes?: number;
};

export type Store = {
  readonly provider: "provider-a" | "aws" | "aws-s3";
  readonly key: string;
  readonly secret: string;
  readonly bucket: string;
  readonly region: string;
  readonly path?: string;
  readonly acl?: "private" | "public-read" | "public-read-write" | "aws-exec-read" | "authenticated-read" | "bucket-owner-read" | "bucket-owner-full-control";
  readonly class?: "standard" | "reduced-redundancy" | "standard-ia" | "onezone-ia" | "intelligent-tiering" | "glacier" | "deep-archive";
  readonly metadata?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly tags?: Readonly<Record<string, string>>;
} | {
  readonly provider: "provider-b" | "google" | "gcs";
  readonly keyfile?: string;
  readonly key?: string;
  readonly secret?: string;
  readonly bucket: string;
  readonly path?: string;
  readonly acl?: "authenticatedRead" | "bucketOwnerFullControl" | "bucketOwnerRead" | "private" | "projectPrivate" | "publicRead";
  readonly metadata?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
} | {
  readonly provider: "provider-c" | "alibaba";
  readonly key: string;
  readonly secret: string;
  readonly bucket: string;
  readonly region: string;
  readonly path?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
} | {
  readonly provider: "provider-d" | "rackspace";
  readonly username: string;
  readonly key: string;
  readonly container: string;
  readonly region: "iad" | "dfw" | "hkg" | "syd" | "ord" | "lon";
  readonly path?: string;
  readonly secure?: boolean;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
} | {
  readonly provider: "provider-e" | "azure" | "provider-e-alt" | "microsoft" | "microsoft-azure";
  readonly account: string;
  readonly key: string;
  readonly container: string;
  readonly path?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
} | {
  readonly provider: "provider-f" | "ibm" | "softlayer";
  readonly key: string;
  readonly bucket: string;
  readonly region: string;
  readonly path?: string;
  readonly acl?: "private" | "public-read" | "public-read-write" | "authenticated-read";
  readonly metadata?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
} | {
  readonly provider: "provider-g" | "digitalocean" | "spaces";
  readonly key: string;
  readonly secret: string;
  readonly bucket: string;
  readonly region: string;
  readonly path?: string;
  readonly acl?: "private" | "public-read" | "public-read-write" | "aws-exec-read" | "authenticated-read" | "bucket-owner-read" | "bucket-owner-full-control";
  readonly metadata?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
} | {
  readonly provider: "s3" | "r2" | "edge";
  readonly key: string;
  readonly secret: string;
  readonly endpoint: string;
  readonly bucket: string;
  readonly region?: string;
  readonly path?: string;
  readonly acl?: "private" | "public-read" | "public-read-write" | "aws-exec-read" | "authenticated-read" | "bucket-owner-read" | "bucket-owner-full-control";
  readonly metadata?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly public_url?: string;
} | {
  readonly provider?: never;
  readonly id: string;
  readonly bucket?: unknown;
  readonly region?: unknown;
  readonly path?: unknown;
  readonly acl?: unknown;
  readonly class?: unknown;
  readonly metadata?: unknown;
  readonly headers?: unknown;
  readonly tags?: unknown;
  readonly container?: unknown;
  readonly secure?: unknown;
  readonly public_url?: unknown;
};

export type OutputEntry = {
  readonly trim?: Trim;
  readonly flip?: Flip;
  readonly rotate?: Rotate;
  readonly upscale?: Upscale;
  readonly crop?: Crop;
  readonly resize?: Resize;
  readonly scale?: Scale;
  readonly auto?: Auto;
  readonly adjust?: Adjust;
  readonly filter?: Filter;
  readonly redact?: Redact;
  readonly watermark?: Watermark;
  readonly text?: Text;
  readonly mask?: Mask;
  readonly border?: Border;
  readonly padding?: Padding;
  readonly background?: Background;
  readonly analyze?: readonly ("thumbhash" | "blurhash" | "color" | "palette" | "phash" | "focus" | "faces" | "provenance")[];
  readonly output?: Output;
  readonly optimize?: Optimize;
  readonly store?: Store;
};

export type Outputs = Readonly<Record<string, OutputEntry>>;

export type Srcset = {
  readonly widths: readonly (number)[];
  readonly formats?: readonly ("avif" | "jxl" | "webp" | "jpeg" | "png")[];
  readonly sizes?: string;
};

export type Processed = Success | SetSuccess;

export type Success = {
  readonly success: true;
  readonly code: 200;
  readonly id: string;
  readonly input: Input;
  readonly output: {
    readonly name: string;
    readonly format: string;
    readonly width: number;
    readonly height: number;
    readonly colorspace: string;
    readonly interlaced: boolean;
    readonly subsample: string;
    readonly sampling: string;
    readonly depth: number;
    readonly quality: number;
    readonly bytes: number;
    readonly frames: number;
    readonly alpha: boolean;
    readonly sha1: string;
    readonly saved: number;
    readonly score?: number;
    readonly searched?: false;
    readonly looks?: "same" | "nearly" | "visible";
    readonly search?: {
      readonly target_score?: number;
      readonly target_bytes?: number;
      readonly probes: readonly ({
        readonly format: string;
        readonly part: "whole" | "tiles";
        readonly quality: number;
        readonly bytes?: number;
        readonly score?: number;
        readonly stricter?: number;
        readonly lossless?: true;
        readonly draft?: true;
      })[];
      readonly omitted?: number;
    };
    readonly warnings?: readonly (string)[];
    readonly url?: string;
    readonly expires_at?: string;
    readonly reused?: true;
  };
  readonly analysis?: Analysis;
};

export type SetSuccess = {
  readonly success: true;
  readonly code: 200;
  readonly id: string;
  readonly input: Input;
  readonly outputs: Readonly<Record<string, SetOutput>>;
  readonly skipped?: readonly (number)[];
  readonly srcset?: Readonly<Record<string, string>>;
  readonly html?: string;
  readonly analysis?: Analysis;
};

export type SetOutput = {
  readonly name: string;
  readonly format: string;
  readonly width: number;
  readonly height: number;
  readonly colorspace: string;
  readonly interlaced: boolean;
  readonly subsample: string;
  readonly sampling: string;
  readonly depth: number;
  readonly quality: number;
  readonly bytes: number;
  readonly frames: number;
  readonly alpha: boolean;
  readonly sha1: string;
  readonly saved: number;
  readonly score?: number;
  readonly searched?: false;
  readonly looks?: "same" | "nearly" | "visible";
  readonly search?: {
    readonly target_score?: number;
    readonly target_bytes?: number;
    readonly probes: readonly ({
      readonly format: string;
      readonly part: "whole" | "tiles";
      readonly quality: number;
      readonly bytes?: number;
      readonly score?: number;
      readonly stricter?: number;
      readonly lossless?: true;
      readonly draft?: true;
    })[];
    readonly omitted?: number;
  };
  readonly warnings?: readonly (string)[];
  readonly url: string;
  readonly expires_at?: string;
  readonly reused?: true;
  readonly analysis?: Analysis;
};

export type Input = {
  readonly name: string;
  readonly format: string;
  readonly width: number;
  readonly height: number;
  readonly colorspace: string;
  readonly interlaced: boolean;
  readonly subsample: string;
  readonly sampling: string;
  readonly depth: number;
  readonly quality: number;
  readonly bytes: number;
  readonly frames: number;
  readonly alpha: boolean;
  readonly sha1: string;
  readonly preview?: true;
  readonly faces?: readonly ({
    readonly x: number;
    readonly y: number;
    readonly width: number;
    readonly height: number;
  })[];
  readonly focus?: {
    readonly x: number;
    readonly y: number;
  };
  readonly provenance?: {
    readonly manifest: true;
    readonly generator?: string;
    readonly issued_at?: string;
    readonly signer?: string;
    readonly digital_source_type?: string;
    readonly state: "trusted" | "valid" | "invalid" | "unreadable";
    readonly failures: readonly (string)[];
    readonly informational?: readonly (string)[];
  };
};

export type Result = {
  readonly name: string;
  readonly format: string;
  readonly width: number;
  readonly height: number;
  readonly colorspace: string;
  readonly interlaced: boolean;
  readonly subsample: string;
  readonly sampling: string;
  readonly depth: number;
  readonly quality: number;
  readonly bytes: number;
  readonly frames: number;
  readonly alpha: boolean;
  readonly sha1: string;
  readonly saved: number;
  readonly score?: number;
  readonly searched?: false;
  readonly looks?: "same" | "nearly" | "visible";
  readonly search?: {
    readonly target_score?: number;
    readonly target_bytes?: number;
    readonly probes: readonly ({
      readonly format: string;
      readonly part: "whole" | "tiles";
      readonly quality: number;
      readonly bytes?: number;
      readonly score?: number;
      readonly stricter?: number;
      readonly lossless?: true;
      readonly draft?: true;
    })[];
    readonly omitted?: number;
  };
  readonly warnings?: readonly (string)[];
  readonly url: string;
  readonly expires_at?: string;
  readonly reused?: true;
};

export type Analysis = {
  readonly thumbhash?: string;
  readonly blurhash?: string;
  readonly color?: string;
  readonly palette?: readonly ({
    readonly color: string;
    readonly share: number;
  })[];
  readonly phash?: string;
  readonly focus?: {
    readonly x: number;
    readonly y: number;
  };
  readonly faces?: readonly ({
    readonly x: number;
    readonly y: number;
    readonly width: number;
    readonly height: number;
  })[];
  readonly provenance?: {
    readonly state: "trusted" | "valid" | "invalid" | "unreadable";
    readonly failures: readonly (string)[];
    readonly manifests: readonly ({
      readonly generator?: string;
      readonly title?: string;
      readonly format?: string;
      readonly signer?: string;
      readonly issued_at?: string;
      readonly trusted: boolean;
      readonly actions: readonly ({
        readonly action: string;
        readonly when?: string;
        readonly software?: string;
        readonly digital_source_type?: string;
        readonly description?: string;
      })[];
      readonly ingredients: readonly ({
        readonly title?: string;
        readonly format?: string;
        readonly relationship: string;
        readonly manifest?: number;
      })[];
      readonly failures: readonly (string)[];
      readonly informational?: readonly (string)[];
    })[];
  } | null;
};

export type Failure = {
  readonly success: false;
  readonly code: number;
  readonly id: string;
  readonly message: string;
  readonly error: string;
  readonly param?: string;
};

export type Account = {
  readonly success: true;
  readonly code: 200;
  readonly version: string;
  readonly build: string;
  readonly subscription: {
    readonly name: string;
  };
  readonly credits: {
    readonly total: number;
    readonly used: number;
    readonly remaining: number;
    readonly unlimited?: true;
  };
  readonly cpu_seconds?: {
    readonly limit: number;
    readonly used: number;
  };
  readonly finals?: {
    readonly limit: number;
    readonly used: number;
  };
  readonly failed_ms: {
    readonly limit: number;
    readonly used: number;
  };
  readonly egress_ranges?: readonly (string)[];
};

export type UsageRecord = {
  readonly day: string;
  readonly account_id: string;
  readonly key_id: string;
  readonly key_name: string;
  readonly key_hint: string;
  readonly requests: number;
  readonly errors: number;
  readonly pictures: number;
  readonly bytes_in: number;
  readonly bytes_out: number;
  readonly credits: number;
  readonly failed_ms: number;
};

export type DeliveryUsage = {
  readonly day: string;
  readonly account_id: string;
  readonly delivery_id: string;
  readonly finals: number;
  readonly drafts: number;
  readonly stored_hits: number;
  readonly delivered_bytes: number;
};

export type UsageList = {
  readonly success: true;
  readonly code: 200;
  readonly start: string;
  readonly end: string;
  readonly usage: readonly (UsageRecord)[];
  readonly total: {
    readonly requests: number;
    readonly errors: number;
    readonly pictures: number;
    readonly bytes_in: number;
    readonly bytes_out: number;
    readonly credits: number;
    readonly failed_ms: number;
  };
  readonly deliveries: readonly (DeliveryUsage)[];
};

export type Similar = {
  readonly id: string;
  readonly name: string;
  readonly phash: string;
  readonly distance: number;
  readonly kept_at: string;
};

export type SimilarList = {
  readonly success: true;
  readonly code: 200;
  readonly similar: readonly (Similar)[];
  readonly complete: boolean;
};

export type Health = {
  readonly success: true;
  readonly code: 200;
  readonly version: string;
  readonly build: string;
};

export type Webhook = {
  readonly url: string;
  readonly delay?: number;
};

export type Accepted = {
  readonly success: true;
  readonly code: 202;
  readonly id: string;
};

export type WebhookRecord = {
  readonly id: string;
  readonly status: "created" | "scheduled" | "dispatched" | "delivered" | "failed";
  readonly created_at: string;
  readonly updated_at: string;
  readonly code: number;
  readonly payload: Success | SetSuccess | Failure | BatchEnded | BudgetAlert | Readonly<Record<string, never>>;
  readonly attempts: readonly ({
    readonly at: string;
    readonly code: number;
    readonly duration_ms: number;
  })[];
};

export type WebhookFound = {
  readonly success: true;
  readonly code: 200;
  readonly webhook: WebhookRecord;
};

export type WebhookList = {
  readonly success: true;
  readonly code: 200;
  readonly webhooks: readonly (WebhookRecord)[];
};

export type WebhookSecret = {
  readonly success: true;
  readonly code: 200;
  readonly secret: string;
  readonly created_at: string;
  readonly previous?: {
    readonly secret: string;
    readonly valid_until: string;
  };
};

export type NewAsset = {
  readonly name?: string;
};

export type NewConnector = {
  readonly name: string;
  readonly provider: "provider-a" | "aws" | "aws-s3" | "provider-b" | "google" | "gcs" | "provider-c" | "alibaba" | "provider-d" | "rackspace" | "provider-e" | "azure" | "provider-e-alt" | "microsoft" | "microsoft-azure" | "provider-f" | "ibm" | "softlayer" | "provider-g" | "digitalocean" | "spaces" | "s3" | "r2" | "edge";
  readonly key?: unknown;
  readonly secret?: unknown;
  readonly bucket?: unknown;
  readonly region?: unknown;
  readonly path?: unknown;
  readonly acl?: unknown;
  readonly class?: unknown;
  readonly metadata?: unknown;
  readonly headers?: unknown;
  readonly tags?: unknown;
  readonly keyfile?: unknown;
  readonly username?: unknown;
  readonly container?: unknown;
  readonly secure?: unknown;
  readonly account?: unknown;
  readonly endpoint?: unknown;
  readonly public_url?: unknown;
};

export type NewSigner = {
  readonly name: string;
  readonly certificates: string;
  readonly key: string;
  readonly algorithm?: "ES256" | "ES384" | "PS256" | "Ed25519";
  readonly tsa?: string;
};

export type Trust = {
  readonly anchors: string;
};

export type ConnectorChange = {
  readonly name?: string;
  readonly key?: unknown;
  readonly secret?: unknown;
  readonly bucket?: unknown;
  readonly region?: unknown;
  readonly path?: unknown;
  readonly acl?: unknown;
  readonly class?: unknown;
  readonly metadata?: unknown;
  readonly headers?: unknown;
  readonly tags?: unknown;
  readonly keyfile?: unknown;
  readonly username?: unknown;
  readonly container?: unknown;
  readonly secure?: unknown;
  readonly account?: unknown;
  readonly endpoint?: unknown;
  readonly public_url?: unknown;
};

export type WatermarkRecord = {
  readonly id: string;
  readonly name: string;
  readonly format: string;
  readonly width: number;
  readonly height: number;
  readonly bytes: number;
  readonly sha1: string;
  readonly created_at: string;
};

export type WatermarkCreated = {
  readonly success: true;
  readonly code: 201;
  readonly watermark: WatermarkRecord;
};

export type WatermarkFound = {
  readonly success: true;
  readonly code: 200;
  readonly watermark: WatermarkRecord;
};

export type WatermarkList = {
  readonly success: true;
  readonly code: 200;
  readonly watermarks: readonly (WatermarkRecord)[];
};

export type KeyfileRecord = {
  readonly id: string;
  readonly name: string;
  readonly client_email: string;
  readonly project_id?: string;
  readonly created_at: string;
};

export type KeyfileCreated = {
  readonly success: true;
  readonly code: 201;
  readonly keyfile: KeyfileRecord;
};

export type KeyfileFound = {
  readonly success: true;
  readonly code: 200;
  readonly keyfile: KeyfileRecord;
};

export type KeyfileList = {
  readonly success: true;
  readonly code: 200;
  readonly keyfiles: readonly (KeyfileRecord)[];
};

export type ConnectorRecord = {
  readonly id: string;
  readonly name: string;
  readonly provider: string;
  readonly key_hint: string;
  readonly created_at: string;
  readonly updated_at: string;
};

export type SignerRecord = {
  readonly id: string;
  readonly name: string;
  readonly algorithm: "ES256" | "ES384" | "PS256" | "Ed25519";
  readonly holder?: string;
  readonly expires_at: string;
  readonly tsa?: string;
  readonly created_at: string;
};

export type ConnectorCreated = {
  readonly success: true;
  readonly code: 201;
  readonly connector: ConnectorRecord;
};

export type ConnectorFound = {
  readonly success: true;
  readonly code: 200;
  readonly connector: ConnectorRecord;
};

export type ConnectorList = {
  readonly success: true;
  readonly code: 200;
  readonly connectors: readonly (ConnectorRecord)[];
};

export type SignerCreated = {
  readonly success: true;
  readonly code: 201;
  readonly signer: SignerRecord;
};

export type SignerFound = {
  readonly success: true;
  readonly code: 200;
  readonly signer: SignerRecord;
};

export type SignerList = {
  readonly success: true;
  readonly code: 200;
  readonly signers: readonly (SignerRecord)[];
};

export type TrustFound = {
  readonly success: true;
  readonly code: 200;
  readonly anchors: string;
  readonly count: number;
};

export type AssetDeleted = {
  readonly success: true;
  readonly code: 200;
  readonly id: string;
};

export type NewBatch = {
  readonly source: {
    readonly connector: string;
    readonly prefix?: string;
    readonly include?: readonly (string)[];
    readonly exclude?: readonly (string)[];
    readonly after?: string;
  };
  readonly target: "in-place" | {
    readonly connector: string;
    readonly prefix?: string;
  };
  readonly only_if_smaller?: number;
  readonly dry_run?: boolean;
  readonly events?: boolean | "only";
  readonly webhook?: Webhook;
  readonly trim?: Trim;
  readonly flip?: Flip;
  readonly rotate?: Rotate;
  readonly upscale?: Upscale;
  readonly crop?: Crop;
  readonly resize?: Resize;
  readonly scale?: Scale;
  readonly auto?: Auto;
  readonly adjust?: Adjust;
  readonly filter?: Filter;
  readonly redact?: Redact;
  readonly watermark?: Watermark;
  readonly text?: Text;
  readonly mask?: Mask;
  readonly border?: Border;
  readonly padding?: Padding;
  readonly background?: Background;
  readonly output?: Output;
  readonly optimize?: Optimize;
  readonly analyze?: readonly ("phash")[];
};

export type BatchRecord = {
  readonly id: string;
  readonly state: "listing" | "running" | "paused" | "done" | "failed" | "canceled";
  readonly error?: string;
  readonly reason?: string;
  readonly source: {
    readonly connector: string;
    readonly prefix: string;
    readonly include?: readonly (string)[];
    readonly exclude?: readonly (string)[];
    readonly after?: string;
  };
  readonly target: "in-place" | {
    readonly connector: string;
    readonly prefix: string;
  };
  readonly only_if_smaller: number;
  readonly dry_run: boolean;
  readonly events?: true | "only";
  readonly last_event_at?: string;
  readonly counts: {
    readonly found: number;
    readonly found_bytes: number;
    readonly listed: boolean;
    readonly others: number;
    readonly done: number;
    readonly skipped: number;
    readonly failed: number;
    readonly bytes_before: number;
    readonly bytes_after: number;
  };
  readonly estimate?: {
    readonly objects: number;
    readonly bytes: number;
    readonly credits: number;
    readonly dollars: number;
    readonly bytes_saved: number;
    readonly rests_on: {
      readonly listed: number;
      readonly sampled: number;
      readonly sampled_bytes: number;
      readonly sampled_failed: number;
      readonly sampled_ms: number;
      readonly requests: number;
      readonly queue_operations: number;
      readonly calls: number;
      readonly rows: number;
      readonly reads: number;
      readonly writes: number;
    };
  };
  readonly cursor?: string;
  readonly created_at: string;
  readonly updated_at: string;
};

export type BatchAccepted = {
  readonly success: true;
  readonly code: 202;
  readonly batch: BatchRecord;
};

export type BatchFound = {
  readonly success: true;
  readonly code: 200;
  readonly batch: BatchRecord;
  readonly failures: readonly ({
    readonly key: string;
    readonly error: string;
    readonly reason: string;
    readonly at: string;
  })[];
};

export type BatchChanged = {
  readonly success: true;
  readonly code: 200;
  readonly batch: BatchRecord;
};

export type BatchList = {
  readonly success: true;
  readonly code: 200;
  readonly batches: readonly (BatchRecord)[];
};

export type FailureList = {
  readonly success: true;
  readonly code: 200;
  readonly failures: readonly ({
    readonly key: string;
    readonly error: string;
    readonly reason: string;
    readonly at: string;
  })[];
};

export type DuplicateList = {
  readonly success: true;
  readonly code: 200;
  readonly duplicates: readonly ({
    readonly key: string;
    readonly phash: string;
    readonly count: number;
    readonly keys: readonly (string)[];
  })[];
  readonly complete: boolean;
};

export type BatchEnded = {
  readonly success: true;
  readonly code: 200;
  readonly id: string;
  readonly batch: BatchRecord;
};

export type BudgetAlert = {
  readonly success: true;
  readonly code: 200;
  readonly id: string;
  readonly budget: {
    readonly name: "credits_per_month" | "cpu_seconds_per_day" | "finals_per_day";
    readonly period: string;
    readonly percent: 80 | 100;
    readonly used: number;
    readonly limit: number;
  };
};

export type NewDelivery = {
  readonly for?: "next" | "astro" | "nuxt";
  readonly name?: string;
  readonly sources: readonly ({
    readonly kind: "web";
    readonly prefix: string;
  } | {
    readonly kind: "store";
    readonly name: string;
    readonly connector: string;
    readonly path?: string;
  } | {
    readonly kind: "bucket";
    readonly name: string;
    readonly path?: string;
  })[];
  readonly presets?: Readonly<Record<string, {
    readonly trim?: Trim;
    readonly flip?: Flip;
    readonly rotate?: Rotate;
    readonly upscale?: Upscale;
    readonly crop?: Crop;
    readonly resize?: Resize;
    readonly scale?: Scale;
    readonly auto?: Auto;
    readonly adjust?: Adjust;
    readonly filter?: Filter;
    readonly redact?: Redact;
    readonly watermark?: Watermark;
    readonly text?: Text;
    readonly mask?: Mask;
    readonly border?: Border;
    readonly padding?: Padding;
    readonly background?: Background;
    readonly output?: Output;
    readonly optimize?: Optimize;
  }>>;
  readonly unsigned?: false | {
    readonly widths?: readonly (number)[];
    readonly formats?: readonly ("avif" | "jxl" | "webp" | "jpeg" | "baseline-jpeg" | "png" | "gif" | "ico" | "bmp" | "tiff" | "mp4" | "jpg")[];
    readonly qualities?: readonly (number)[];
    readonly round_up?: boolean;
    readonly heights?: boolean;
    readonly presets_only?: boolean;
    readonly query?: boolean | readonly (string)[];
    readonly finals_per_hour?: number;
  };
  readonly refine?: boolean;
  readonly ttl?: number;
  readonly provenance?: "auto" | "drop" | "keep" | "sign";
};

export type DeliveryChange = {
  readonly for?: "next" | "astro" | "nuxt";
  readonly name?: string;
  readonly sources?: readonly ({
    readonly kind: "web";
    readonly prefix: string;
  } | {
    readonly kind: "store";
    readonly name: string;
    readonly connector: string;
    readonly path?: string;
  } | {
    readonly kind: "bucket";
    readonly name: string;
    readonly path?: string;
  })[];
  readonly presets?: Readonly<Record<string, {
    readonly trim?: Trim;
    readonly flip?: Flip;
    readonly rotate?: Rotate;
    readonly upscale?: Upscale;
    readonly crop?: Crop;
    readonly resize?: Resize;
    readonly scale?: Scale;
    readonly auto?: Auto;
    readonly adjust?: Adjust;
    readonly filter?: Filter;
    readonly redact?: Redact;
    readonly watermark?: Watermark;
    readonly text?: Text;
    readonly mask?: Mask;
    readonly border?: Border;
    readonly padding?: Padding;
    readonly background?: Background;
    readonly output?: Output;
    readonly optimize?: Optimize;
  }>>;
  readonly unsigned?: false | {
    readonly widths?: readonly (number)[];
    readonly formats?: readonly ("avif" | "jxl" | "webp" | "jpeg" | "baseline-jpeg" | "png" | "gif" | "ico" | "bmp" | "tiff" | "mp4" | "jpg")[];
    readonly qualities?: readonly (number)[];
    readonly round_up?: boolean;
    readonly heights?: boolean;
    readonly presets_only?: boolean;
    readonly query?: boolean | readonly (string)[];
    readonly finals_per_hour?: number;
  };
  readonly refine?: boolean;
  readonly ttl?: number;
  readonly provenance?: "auto" | "drop" | "keep" | "sign";
};

export type DeliveryRecord = {
  readonly id: string;
  readonly name: string;
  readonly sources: readonly ({
    readonly kind: "web";
    readonly prefix: string;
  } | {
    readonly kind: "store";
    readonly name: string;
    readonly connector: string;
    readonly path?: string;
  } | {
    readonly kind: "bucket";
    readonly name: string;
    readonly path?: string;
  })[];
  readonly presets: Readonly<Record<string, Readonly<Record<string, never>>>>;
  readonly unsigned: false | {
    readonly widths?: readonly (number)[];
    readonly formats?: readonly ("avif" | "jxl" | "webp" | "jpeg" | "baseline-jpeg" | "png" | "gif" | "ico" | "bmp" | "tiff" | "mp4" | "jpg")[];
    readonly qualities?: readonly (number)[];
    readonly round_up?: boolean;
    readonly heights?: boolean;
    readonly presets_only?: boolean;
    readonly query?: boolean | readonly (string)[];
    readonly finals_per_hour?: number;
  };
  readonly refine: boolean;
  readonly ttl: number;
  readonly provenance: "auto" | "drop" | "keep" | "sign";
  readonly url: string;
  readonly created_at: string;
};

export type DeliveryCreated = {
  readonly success: true;
  readonly code: 201;
  readonly delivery: DeliveryRecord;
  readonly signing: {
    readonly key: string;
    readonly salt: string;
  };
};

export type DeliveryFound = {
  readonly success: true;
  readonly code: 200;
  readonly delivery: DeliveryRecord;
};

export type DeliveryList = {
  readonly success: true;
  readonly code: 200;
  readonly deliveries: readonly (DeliveryRecord)[];
};

export type DeliveryDeleted = {
  readonly success: true;
  readonly code: 200;
  readonly id: string;
};

export type DeliverySigning = {
  readonly success: true;
  readonly code: 200;
  readonly signing: {
    readonly key: string;
    readonly salt: string;
  };
  readonly previous?: {
    readonly key: string;
    readonly salt: string;
    readonly valid_until: string;
  };
};

export type DeliveryPurged = {
  readonly success: true;
  readonly code: 202;
  readonly id: string;
};

export type AddressExplained = {
  readonly success: true;
  readonly code: 200;
  readonly allowed: boolean;
  readonly dialect: "i" | "imgproxy" | "next";
  readonly signature: "none" | "valid" | "wrong";
  readonly refusal?: {
    readonly code: number;
    readonly error: string;
    readonly message: string;
  };
  readonly asked?: {
    readonly source?: string;
    readonly presets: readonly (string)[];
    readonly width?: number;
    readonly format: string;
    readonly expires_at?: string;
    readonly request: Readonly<Record<string, unknown>>;
  };
  readonly original?: string;
  readonly request?: Readonly<Record<string, unknown>>;
  readonly accept?: string;
};

export type Purge = {
  readonly source?: string;
};

export type RpcMessage = {
  readonly jsonrpc: "2.0";
  readonly id?: string | number;
  readonly method: string;
  readonly params?: unknown;
};

export type RpcAnswer = {
  readonly jsonrpc: "2.0";
  readonly id: string | number;
  readonly result?: unknown;
  readonly error?: unknown;
};

export type NewAccount = {
  readonly name: string;
  readonly plan?: string;
  readonly credits_total?: number | null;
  readonly limits?: {
    readonly credits_per_month?: number;
    readonly cpu_seconds_per_day?: number;
    readonly finals_per_day?: number;
  } | null;
  readonly alerts?: {
    readonly webhook: string;
  } | null;
};

export type AccountChange = {
  readonly status?: "active" | "suspended";
  readonly plan?: string;
  readonly credits_total?: number | null;
  readonly originals?: string | null;
  readonly limits?: {
    readonly credits_per_month?: number;
    readonly cpu_seconds_per_day?: number;
    readonly finals_per_day?: number;
  } | null;
  readonly alerts?: {
    readonly webhook: string;
  } | null;
};

export type NewKey = {
  readonly name?: string;
  readonly kind?: "api" | "agent";
  readonly daily_limit?: number;
};

export type SelfTest = {
  readonly success: true;
  readonly code: 200;
  readonly formats: readonly (string)[];
};

export type AccountRecord = {
  readonly id: string;
  readonly name: string;
  readonly plan: string;
  readonly credits_total: number | null;
  readonly status: "active" | "suspended";
  readonly created_at: string;
  readonly database: string;
  readonly originals: string | null;
  readonly limits?: {
    readonly credits_per_month?: number;
    readonly cpu_seconds_per_day?: number;
    readonly finals_per_day?: number;
  };
  readonly alerts?: {
    readonly webhook: string;
  };
};

export type AccountCreated = {
  readonly success: true;
  readonly code: 201;
  readonly account: AccountRecord;
  readonly key: string;
};

export type AccountFound = {
  readonly success: true;
  readonly code: 200;
  readonly account: AccountRecord;
};

export type AccountList = {
  readonly success: true;
  readonly code: 200;
  readonly accounts: readonly (AccountRecord)[];
};

export type KeyRecord = {
  readonly id: string;
  readonly name: string;
  readonly hint: string;
  readonly created_at: string;
  readonly kind: "api" | "agent";
  readonly daily_limit?: number;
};

export type KeyCreated = {
  readonly success: true;
  readonly code: 201;
  readonly id: string;
  readonly name: string;
  readonly hint: string;
  readonly created_at: string;
  readonly kind: "api" | "agent";
  readonly daily_limit?: number;
  readonly key: string;
};

export type KeyList = {
  readonly success: true;
  readonly code: 200;
  readonly keys: readonly (KeyRecord)[];
};

export type KeyDeleted = {
  readonly success: true;
  readonly code: 200;
  readonly id: string;
};

export type VaultResealed = {
  readonly success: true;
  readonly code: 200;
  readonly resealed: number;
  readonly left: number;
};

/** Operations by their name in the API document. */
export interface Operations {
  /** Fetches an image from a URL, processes and optimizes it. */
  readonly fetchImage: { readonly body: FetchBody; readonly answer: Processed | Accepted };
  /** Lists pictures of the account that look like one, by its hash. */
  readonly listSimilar: { readonly query?: { readonly phash?: string; readonly distance?: string; readonly limit?: string }; readonly answer: SimilarList };
  /** Takes an image in the part `file`, processes and optimizes it as the part `data` says. */
  readonly uploadImage: { readonly query?: { readonly data?: string; readonly name?: string }; readonly file: FileBody; readonly body?: UploadBody; readonly answer: Processed | Accepted };
  /** Makes a token with which a page may upload images without a key. */
  readonly createUploadToken: { readonly body: NewUploadToken; readonly answer: UploadTokenCreated };
  /** Makes a delivery. */
  readonly addDelivery: { readonly body: NewDelivery; readonly answer: DeliveryCreated };
  /** Lists deliveries, newest first. */
  readonly listDeliveries: { readonly query?: { readonly offset?: string; readonly limit?: string }; readonly answer: DeliveryList };
  /** Shows one delivery. */
  readonly findDelivery: { readonly path: { readonly delivery: string }; readonly answer: DeliveryFound };
  /** Replaces the members that are given. */
  readonly editDelivery: { readonly path: { readonly delivery: string }; readonly body: DeliveryChange; readonly answer: DeliveryFound };
  /** Deletes a delivery and its results. */
  readonly removeDelivery: { readonly path: { readonly delivery: string }; readonly answer: DeliveryDeleted };
  /** Explains an address. */
  readonly explainAddress: { readonly path: { readonly delivery: string }; readonly query?: { readonly address?: string; readonly accept?: string }; readonly answer: AddressExplained };
  /** Shows what addresses are signed with. */
  readonly showDeliverySigning: { readonly path: { readonly delivery: string }; readonly answer: DeliverySigning };
  /** Makes a new pair. */
  readonly rotateDeliverySigning: { readonly path: { readonly delivery: string }; readonly answer: DeliverySigning };
  /** Forgets all results, or those of one original, in any spelling of it. */
  readonly purgeDelivery: { readonly path: { readonly delivery: string }; readonly body: Purge; readonly answer: DeliveryPurged };
  /** Works on every picture of a bucket, or with `dry_run` says how many there are. */
  readonly addBatch: { readonly body: NewBatch; readonly answer: BatchAccepted };
  /** Lists batches, newest first, as they were within the last seconds. */
  readonly listBatches: { readonly query?: { readonly offset?: string; readonly limit?: string }; readonly answer: BatchList };
  /** Shows what a batch has come to, and its latest failures. */
  readonly findBatch: { readonly path: { readonly batch: string }; readonly answer: BatchFound };
  /** Lists objects that have failed, the latest first. */
  readonly listBatchFailures: { readonly path: { readonly batch: string }; readonly query?: { readonly offset?: string; readonly limit?: string }; readonly answer: FailureList };
  /** Lists pictures that look like others of the batch, which was given `analyze`. */
  readonly listBatchDuplicates: { readonly path: { readonly batch: string }; readonly query?: { readonly offset?: string; readonly limit?: string }; readonly answer: DuplicateList };
  /** Pauses a batch. */
  readonly pauseBatch: { readonly path: { readonly batch: string }; readonly answer: BatchChanged };
  /** Lets a batch go on that is paused, or has failed. */
  readonly resumeBatch: { readonly path: { readonly batch: string }; readonly answer: BatchChanged };
  /** Ends a batch. */
  readonly cancelBatch: { readonly path: { readonly batch: string }; readonly answer: BatchChanged };
  /** Saves a PNG, SVG, WebP, GIF or JPEG of at most 5 MB to be laid over images. */
  readonly addWatermark: { readonly file: FileBody; readonly body?: NewAsset; readonly answer: WatermarkCreated };
  /** Lists watermarks, newest first. */
  readonly listWatermarks: { readonly query?: { readonly offset?: string; readonly limit?: string }; readonly answer: WatermarkList };
  /** Shows one watermark. */
  readonly findWatermark: { readonly path: { readonly asset: string }; readonly answer: WatermarkFound };
  /** Deletes a watermark. */
  readonly removeWatermark: { readonly path: { readonly asset: string }; readonly answer: AssetDeleted };
  /** Saves a service account's JSON keyfile, as the part `file` or as the whole JSON body. */
  readonly addKeyfile: { readonly file: FileBody; readonly body?: NewAsset; readonly answer: KeyfileCreated };
  /** Lists keyfiles, newest first. */
  readonly listKeyfiles: { readonly query?: { readonly offset?: string; readonly limit?: string }; readonly answer: KeyfileList };
  /** Shows one keyfile, without its secrets. */
  readonly findKeyfile: { readonly path: { readonly asset: string }; readonly answer: KeyfileFound };
  /** Deletes a keyfile. */
  readonly removeKeyfile: { readonly path: { readonly asset: string }; readonly answer: AssetDeleted };
  /** Saves the credentials of a store, and defaults for other members, under an id. */
  readonly addConnector: { readonly body: NewConnector; readonly answer: ConnectorCreated };
  /** Lists connectors, newest first. */
  readonly listConnectors: { readonly query?: { readonly offset?: string; readonly limit?: string }; readonly answer: ConnectorList };
  /** Shows one connector, without its secrets. */
  readonly findConnector: { readonly path: { readonly asset: string }; readonly answer: ConnectorFound };
  /** Replaces the members given. */
  readonly changeConnector: { readonly path: { readonly asset: string }; readonly body: ConnectorChange; readonly answer: ConnectorFound };
  /** Deletes a connector. */
  readonly removeConnector: { readonly path: { readonly asset: string }; readonly answer: AssetDeleted };
  /** Shows whom the operator trusts to sign manifests. */
  readonly showTrust: { readonly answer: TrustFound };
  /** Replaces the certificates by which signers of manifests are trusted. */
  readonly changeTrust: { readonly body: Trust; readonly answer: TrustFound };
  /** Saves a certificate chain and its key, which sign what results say of where they are from. */
  readonly addSigner: { readonly body: NewSigner; readonly answer: SignerCreated };
  /** Lists signers, newest first. */
  readonly listSigners: { readonly query?: { readonly offset?: string; readonly limit?: string }; readonly answer: SignerList };
  /** Shows one signer, without its key. */
  readonly findSigner: { readonly path: { readonly asset: string }; readonly answer: SignerFound };
  /** Deletes a signer. */
  readonly removeSigner: { readonly path: { readonly asset: string }; readonly answer: AssetDeleted };
  /** Shows the subscription and the credits of the calendar month. */
  readonly showAccount: { readonly answer: Account };
  /** Shows what the account's keys did by day (UTC), the newest day first. */
  readonly showUsage: { readonly query?: { readonly start?: string; readonly end?: string; readonly key?: string; readonly offset?: string; readonly limit?: string }; readonly answer: UsageList };
  /** Lists notifications of the last 60 days, newest first. */
  readonly listWebhooks: { readonly query?: { readonly status?: string; readonly start?: string; readonly end?: string; readonly offset?: string; readonly limit?: string }; readonly answer: WebhookList };
  /** Shows one notification. */
  readonly showWebhook: { readonly path: { readonly id: string }; readonly answer: WebhookFound };
  /** Delivers a notification once more, which has been delivered or has failed. */
  readonly redeliverWebhook: { readonly path: { readonly id: string }; readonly answer: Accepted };
  /** Shows the secret that signs the account's notifications (Standard Webhooks). */
  readonly showWebhookSecret: { readonly answer: WebhookSecret };
  /** Makes a new secret. */
  readonly rotateWebhookSecret: { readonly answer: WebhookSecret };
  /** Writes and reads a small picture in every format. */
  readonly testService: { readonly answer: SelfTest };
  /** Opens an account and makes its first key, which is shown this once. */
  readonly addAccount: { readonly body: NewAccount; readonly answer: AccountCreated };
  /** Lists accounts, newest first. */
  readonly listAccounts: { readonly query?: { readonly offset?: string; readonly limit?: string }; readonly answer: AccountList };
  /** Shows one account. */
  readonly findAccount: { readonly path: { readonly id: string }; readonly answer: AccountFound };
  /** Changes the status, plan, credits or budgets of an account. */
  readonly changeAccount: { readonly path: { readonly id: string }; readonly body: AccountChange; readonly answer: AccountFound };
  /** Makes another key, which is shown this once. */
  readonly addKey: { readonly path: { readonly id: string }; readonly body?: NewKey; readonly answer: KeyCreated };
  /** Lists the keys of an account by their last characters, newest first. */
  readonly listKeys: { readonly path: { readonly id: string }; readonly answer: KeyList };
  /** Revokes a key. */
  readonly revokeKey: { readonly path: { readonly id: string; readonly key: string }; readonly answer: KeyDeleted };
  /** Lists what keys did by day (UTC). */
  readonly listUsage: { readonly query?: { readonly account?: string; readonly start?: string; readonly end?: string; readonly key?: string; readonly offset?: string; readonly limit?: string }; readonly answer: UsageList };
  /** Seals up to 500 saved secrets and waiting jobs anew with the first key of VAULT_KEY. */
  readonly resealVault: { readonly answer: VaultResealed };
  /** Answers while the Worker runs. */
  readonly showHealth: { readonly answer: Health };
}
