/**
 * Originals of the third set of pairs that are looked at: what is drawn of flat tones, even slopes and sharp edges between them,
 * where rings and steps have nothing that hides them.
 */
import { BLUR, type Drawn, drawn, LETTERS, type LookSource } from "./look-sources.ts";

/** Originals of the third set. */
export async function flatSources(): Promise<LookSource[]> {
  const sources: LookSource[] = [];
  for (const one of FLAT) sources.push(await drawn(one));
  return sources;
}

/** The same drawing at another size. */
function scaledTo(width: number, height: number, body: string): Pick<Drawn, "width" | "height" | "body"> {
  return { width, height, body: `<svg width="${width}" height="${height}" viewBox="0 0 400 300">${body}</svg>` };
}

const BOX_SHADOW = `${BLUR(18)}<rect x="100" y="75" width="200" height="150" rx="20" filter="url(#f)" fill="#555"/><rect x="100" y="65" width="200" height="150" rx="20" fill="#fff"/>`;
const GLOW = `${BLUR(18)}<circle cx="200" cy="150" r="75" filter="url(#f)" fill="#ff2010"/><circle cx="200" cy="150" r="60" fill="#fff"/>`;
const BALL = `<defs><radialGradient id="g" cx=".35" cy=".3"><stop stop-color="#fff"/><stop offset=".5" stop-color="#5090d0"/><stop offset="1" stop-color="#082040"/></radialGradient></defs><circle cx="200" cy="150" r="130" fill="url(#g)"/>`;
const SHAPES = `<circle cx="110" cy="120" r="80" fill="#d03040"/><rect x="180" y="60" width="160" height="140" rx="18" fill="#2a60b0"/><path d="M60 260 L200 120 L340 270 Z" fill="#f0b020" fill-opacity=".85"/>`;
const MARK = `<path d="M40 250 L130 50 L220 250 Z" fill="#e03010"/><circle cx="290" cy="150" r="70" fill="#10a060"/><path d="M250 250 h120 v20 h-120z" fill="#202080"/>`;
const DUSK = `<defs><linearGradient id="g" x2="0" y2="1"><stop stop-color="#777"/><stop offset="1" stop-color="#ddd"/></linearGradient></defs><rect width="400" height="300" fill="url(#g)"/><path d="M0 300V220L130 150 240 230 330 180 400 220V300Z" fill="#444"/>`;

const FLAT: readonly Drawn[] = [
  { kind: "shadow", name: "box-shadow-96", ...scaledTo(96, 72, BOX_SHADOW), background: "#ececec" },
  { kind: "shadow", name: "box-shadow-240", ...scaledTo(240, 180, BOX_SHADOW), background: "#ececec" },
  { kind: "shadow", name: "glow-96", ...scaledTo(96, 72, GLOW) },
  { kind: "shadow", name: "glow-on-black-160", ...scaledTo(160, 120, GLOW), background: "#000" },
  { kind: "shadow", name: "ball-120", ...scaledTo(120, 90, BALL), background: "#f4f4f4" },
  { kind: "drawing", name: "dusk-128", ...scaledTo(128, 96, DUSK), background: "#777" },
  { kind: "drawing", name: "shapes-96", ...scaledTo(96, 72, SHAPES), background: "#f4f1e8" },
  { kind: "drawing", name: "shapes-220", ...scaledTo(220, 165, SHAPES), background: "#f4f1e8" },
  { kind: "drawing", name: "mark-120", ...scaledTo(120, 90, MARK), background: "#fff" },
  { kind: "letters", name: "black-96", width: 96, height: 72, background: "#fff", body: LETTERS("#111") },
  { kind: "letters", name: "gray-160", width: 160, height: 100, background: "#fff", body: LETTERS("#777", 13) },
  {
    kind: "letters",
    name: "white-on-blue-128",
    width: 128,
    height: 96,
    background: "#204080",
    body: LETTERS("#fff", 15),
  },
  { kind: "letters", name: "black-240", width: 240, height: 140, background: "#e8e8e8", body: LETTERS("#000", 20) },
];
