/**
 * The compiled kernel of this engine: that with relaxed SIMD where the engine has it, else the one
 * that works everywhere and takes two to three times as long. Both give the same bits.
 *
 * A Worker whose `.wasm` modules cannot all be compiled does not start, so that an imported module
 * could not be tried. Compiling bytes is allowed, and may fail, only while the Worker's modules are
 * evaluated (`allow_eval_during_startup`): this file must be imported statically.
 */
import { RELAXED_KERNEL } from './kernel-relaxed.ts';
import plain from './kernel.wasm';

export const kernel: WebAssembly.Module = compileRelaxed() ?? plain;

function compileRelaxed(): WebAssembly.Module | undefined {
  // The types of Workers hide the constructor, since it throws for all but the start.
  const Module = WebAssembly.Module as unknown as new (bytes: Uint8Array) => WebAssembly.Module;
  try {
    return new Module(Uint8Array.from(atob(RELAXED_KERNEL), (char) => char.charCodeAt(0)));
  } catch {
    return undefined;
  }
}

/** What the compiled kernel exports: all arguments are addresses, counts or modes. */
export interface Kernel {
  readonly memory: WebAssembly.Memory;
  firstFreeByte(): number;
  isRelaxed(): number;
  lookUpTokens(
    tokens: number,
    count: number,
    table: number,
    scales: number,
    positions: number,
    output: number,
    columns: number,
  ): void;
  normaliseRows(
    input: number,
    gain: number,
    bias: number,
    output: number,
    rows: number,
    columns: number,
  ): void;
  quantiseRows(
    input: number,
    output: number,
    scales: number,
    zeros: number,
    rows: number,
    columns: number,
    digits: number,
  ): void;
  multiply(
    input: number,
    inputScales: number,
    inputZeros: number,
    weights: number,
    weightScales: number,
    weightSums: number,
    bias: number,
    output: number,
    rows: number,
    inputs: number,
    outputs: number,
    digits: number,
    mode: number,
  ): void;
  attend(qkv: number, weights: number, output: number, tokens: number, width: number): void;
  addRows(input: number, total: number, rows: number, columns: number): void;
  divideRow(row: number, divisor: number, columns: number): void;
  applyTanh(row: number, columns: number): void;
  scaleToUnit(row: number, columns: number): void;
}
