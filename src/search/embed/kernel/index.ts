/**
 * The arithmetic of the embedded model, in AssemblyScript: `scripts/build-embedder.ts` compiles it
 * twice. `kernel-relaxed.wasm` has the instructions of relaxed SIMD; `kernel.wasm` works without
 * them, two to three times as long, and gives the same bits. The kernel does not know the model:
 * `forward-pass.ts` says what is multiplied with what, and where in memory it is. Matrices are
 * stored row by row; `[rows, columns]` after a name is its shape.
 */
export { attend } from './attention';
export { multiply, quantiseRows } from './multiply';
export { addRows, applyTanh, divideRow, lookUpTokens, normaliseRows, scaleToUnit } from './rows';

/** The first byte that the compiler's own tables leave free. */
export function firstFreeByte(): usize {
  return __heap_base;
}

/** 1 when it is compiled for relaxed SIMD. */
export function isRelaxed(): i32 {
  return ASC_FEATURE_RELAXED_SIMD ? 1 : 0;
}
