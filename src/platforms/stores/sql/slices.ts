/** So much goes in one transaction: few enough that the writes that wait behind it hardly notice. */
export const SLICE = 500

/** Lets go of one slice after the other, everyone else having a turn between two, until there is no whole one left or enough has been said. */
export async function inSlices(slice: () => Promise<number>, signal: AbortSignal | undefined): Promise<number> {
  let gone = 0
  while (!signal?.aborted) {
    const count = await slice()
    gone += count
    if (count < SLICE) break
    await new Promise(setImmediate)
  }
  return gone
}
