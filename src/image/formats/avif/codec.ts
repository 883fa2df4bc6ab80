/** AV1 as the container needs it, by dav1d in `wasm/av1-decode`. */
import { AV1_WINDOW_ROWS, av1DecodeEstimate, av1Picture, openAv1Stills } from "../../../../wasm/av1-decode/decoder.ts";
import type { Av1DecodeExports } from "../../../../wasm/av1-decode/exports.ts";
import {
  av1Sample,
  Av1Sequence,
  av1SequenceEstimate,
  type Av1Work,
  referencesOf,
} from "../../../../wasm/av1-decode/sequence.ts";
import type { NativeStills } from "../../../../wasm/canvas.ts";
import { parallel, held } from "../../../../wasm/estimate.ts";
import { joined } from "../../../joined.ts";
import type { Size } from "../../pixels/geometry.ts";
import { damaged, Fields } from "../heif/bytes.ts";
import type { Codec, Coded, CodedHeaders, SequenceCodec } from "../heif/codec.ts";
import { estimateQuality } from "./quality.ts";
import { readStillHeader } from "./still-header.ts";
import { readSequence, type Sequence, UNIT, unitOf, Units } from "./units.ts";

interface Av1Headers extends CodedHeaders {
  /** Pictures that the decoder may hold at once: layers, and grain on top of what it is put on. */
  readonly copies: number;
  /** Its rows can be decoded one after the other, and those above are not needed any more. */
  readonly byRows: boolean;
  /** The size of the largest of its layers. */
  readonly coded: Size;
}

/** Samples of all planes for one of luma. */
const PLANES = { gray: 1, "4:2:0": 1.5, "4:2:2": 2, "4:4:4": 3 } as const;
/** The decoder's buffers hold whole blocks of this side. */
const BLOCK = 128;
const CONFIG_BYTES = 4;
/** Where the bitstream does not say in a way that is looked at. */
const UNKNOWN_QUALITY = 75;

/** The units of a configuration, behind four bytes that say in short what they do. */
function configured(config: Uint8Array): Uint8Array {
  if (new Fields(config).number(1) !== 0x81) throw damaged();
  return config.subarray(CONFIG_BYTES);
}

/** What a picture is coded in: its own units, after those of its configuration if it has no sequence header itself. */
function codedBytes({ config, payload }: Coded): Uint8Array {
  const units = configured(config);
  return unitOf(payload, UNIT.sequence) ? payload : joined([units, payload]);
}

function readHeaders({ config, payload, layers }: Coded): Av1Headers {
  const units = configured(config);
  const first = unitOf(payload, UNIT.sequence) ?? unitOf(units, UNIT.sequence);
  const frame = unitOf(payload, UNIT.frame, UNIT.frameHeader);
  if (!first || !frame) throw damaged();
  const sequence = readSequence(first);
  const { bits, matrix, grain, layered } = sequence;
  const coded = { width: sequence.width, height: sequence.height };
  // Layers may be smaller than what the sequence allows: the decoder finds out whether the item is right.
  const { width, height } = layered && layers ? layers.size : coded;
  if (width > coded.width || height > coded.height || (layers?.point ?? 0) >= sequence.operatingPoints) throw damaged();
  const still = readStillHeader(frame, sequence);
  return {
    width,
    height,
    coded,
    bits,
    chroma: chromaOf(sequence),
    quality: still ? estimateQuality(still.quantizer, bits > 8 ? "fine" : "still") : UNKNOWN_QUALITY,
    rgb: matrix === 0 && !sequence.gray,
    copies: (layered ? 3 : 1) + (grain ? 1 : 0),
    byRows: still !== undefined && !still.copiesBlocks && !still.scaled && !layered && !grain,
  };
}

function chromaOf({ gray, halfX, halfY }: Sequence): CodedHeaders["chroma"] {
  if (gray) return "gray";
  if (halfX) return halfY ? "4:2:0" : "4:2:2";
  return "4:4:4";
}

function paddedPixels({ width, height }: Size): number {
  return (Math.ceil(width / BLOCK) * BLOCK + 64) * Math.ceil(height / BLOCK) * BLOCK;
}

function samplesBytes(headers: CodedHeaders): number {
  return paddedPixels(codedSize(headers)) * PLANES[headers.chroma] * (headers.bits > 8 ? 2 : 1);
}

/** The size of the largest layer; of a result, which has none, its own. */
function codedSize(headers: CodedHeaders & Partial<Pick<Av1Headers, "coded">>): Size {
  return headers.coded ?? headers;
}

/** What is held of them where rows are decoded one after the other. */
function windowBytes(headers: CodedHeaders): number {
  const { width, height } = codedSize(headers);
  return samplesBytes({ ...headers, coded: { width, height: Math.min(height, AV1_WINDOW_ROWS) } } as Av1Headers);
}

export const av1: Codec = {
  itemTypes: ["av01"],
  configType: "av1C",
  headers: readHeaders,
  samplesBytes,
  decodeEstimate(headers, payloadBytes, alone) {
    const { copies, byRows } = headers as Av1Headers;
    const work = av1DecodeEstimate({ pixels: paddedPixels(codedSize(headers)), bits: headers.bits, payloadBytes });
    return parallel(work, held(alone && byRows ? windowBytes(headers) : copies * samplesBytes(headers)));
  },
  openStills: openAv1Stills,
  picture(coded, headers, alone) {
    const byRows = alone && (headers as Av1Headers).byRows;
    const { width, height } = codedSize(headers);
    const { point = 0, layer } = coded.layers ?? {};
    const units = codedBytes(coded);
    return av1Picture({ ...headers, units, byRows, codedPixels: width * height, point, layer });
  },
};

function workOf(headers: CodedHeaders): Av1Work {
  const { width, height, chroma } = headers;
  return { pixels: width * height, heldPixels: paddedPixels(codedSize(headers)), samplesPerPixel: PLANES[chroma] };
}

/** @throws ApiError 422 where a picture has more units than any has */
function counted(payload: Uint8Array): Uint8Array {
  const units = new Units(payload);
  while (units.next()) continue;
  return payload;
}

export const av1Sequences: SequenceCodec = {
  ...av1,
  brand: "avis",
  sequenceEstimate(headers, samples) {
    const { copies } = headers as Av1Headers;
    return parallel(
      av1SequenceEstimate(workOf(headers), samples),
      held((referencesOf(samples.count) + copies) * samplesBytes(headers)),
    );
  },
  openSequence: (stills, headers) => new Av1Sequence(stills as NativeStills<Av1DecodeExports>, headers),
  sample(payload, config, headers) {
    // What is decoded without its headers being read is counted here.
    return av1Sample(config ? codedBytes({ config, payload }) : counted(payload), workOf(headers));
  },
};
