/** The second network, which judges what may be a face. A deployment can leave it out: `without-judge.ts`. */
import weights from "../../../wasm/faces/far.bin";

export interface Judge {
  readonly weights: Uint8Array;
}

export const judge: Judge | undefined = { weights: new Uint8Array(weights) };
