/** Qualities, and how the lowest that reaches a score is searched for. */
import type { Scale } from "../codec/writer.ts";

/** The lowest quality that is searched for: what is smooth or dark looks well even there. */
export const MIN_QUALITY = 1;
export const MAX_QUALITY = 98;
/** A score this close above its targetScore is close enough. */
export const CLOSE_POINTS = 1;
/** The part of its bytes that a picture loses with a point of its score, at most. */
const BYTES_PER_POINT = 0.06;
export const MAX_PROBES = 8;

export interface Search {
  /** Where to begin. */
  readonly first: number;
  /** How many probes there may be. */
  readonly probes?: number;
  /** The bytes to beat: the search ends at a probe from which there is no way to fewer. */
  readonly beat?: number;
  /** How many points above the targetScore are close enough. */
  readonly close?: number;
}

/**
 * Whether no probe that just reaches the targetScore can have fewer bytes than `beat`, given the score that a probe has at
 * most.
 */
export function isBeaten(bytes: number, mostScore: number, targetScore: number, beat: number): boolean {
  return bytes * Math.exp(-BYTES_PER_POINT * Math.max(0, mostScore - targetScore)) >= beat;
}

/**
 * The nearest quality above or below one whose files differ from its own; it may be beyond 1 to 100, where there is
 * none.
 */
export function neighborOf(quality: number, towards: "above" | "below", { step, coded }: Scale): number {
  const encoder = towards === "above" ? step : -step;
  let next = quality + encoder;
  while (coded && next >= 1 && next <= 100 && coded(next) === coded(quality)) next += encoder;
  return next;
}
