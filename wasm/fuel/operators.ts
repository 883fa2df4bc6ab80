/** The operators of a module's functions, with the places where they stand. */
import { BinaryReader, type IOperatorInformation, OperatorCodeNames } from "wasmparser";

/** States of the parser, whose own names for them are gone once it is compiled. */
const FUNCTION_BEGINS = 28;
const OPERATOR = 30;
const FAILED = -1;

export interface Operator {
  readonly name: string;
  /** Places in the binary. */
  readonly start: number;
  readonly end: number;
  /** The function that is called or named. */
  readonly target: number | undefined;
  /** How many blocks a jump leaves at most. */
  readonly jump: number | undefined;
}

/** The operators of each function, in the order in which the functions stand in the binary. */
export function operatorsOf(binary: Uint8Array): Operator[][] {
  const reader = new BinaryReader();
  reader.setData(Uint8Array.from(binary).buffer, 0, binary.length);
  const functions: Operator[][] = [];
  let before = 0;
  while (reader.hasMoreBytes() && reader.read()) {
    const state: number = reader.state;
    if (state === FAILED) throw reader.error;
    if (state === FUNCTION_BEGINS) functions.push([]);
    else if (state === OPERATOR) {
      const { code, funcIndex, brDepth, brTable } = reader.result as IOperatorInformation;
      const name = OperatorCodeNames[code];
      if (name === undefined) throw new Error("an operator has no name");
      const jump = brTable ? Math.max(...brTable) : brDepth;
      functions.at(-1)?.push({ name, start: before, end: reader.position, target: funcIndex, jump });
    }
    before = reader.position;
  }
  return functions;
}
