/** Rows removed in one transaction: few, so that writes that wait behind it are hardly delayed. */
export const SLICE = 500

/** Runs `slice` until it removes less than a full slice or the signal aborts. Other calls run between two slices. */
export async function inSlices(slice: () => Promise<number>, signal: AbortSignal | undefined): Promise<number> {
  let removed = 0
  while (!signal?.aborted) {
    const count = await slice()
    removed += count
    if (count < SLICE) break
    await new Promise(setImmediate)
  }
  return removed
}
