/** The networks that judge what may be a face. A deployment can leave them out: `without-judge.ts`. */
import far from "../../../wasm/faces/far.bin";
import mmod from "../../../wasm/faces/mmod.bin";

/** The weights of the second network, and of the third. */
export interface Judge {
  readonly far: Uint8Array;
  readonly mmod: Uint8Array;
}

export const judge: Judge | undefined = { far: new Uint8Array(far), mmod: new Uint8Array(mmod) };
