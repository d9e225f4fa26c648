/** Before a request leaves it may take from rate limits that are kept in the store, whose transactions gather for a turn of the event loop each. */
const TURNS = 4

/** Resolves when a request that was just begun has most likely been sent, so that work done while it is answered does not hold it up. */
export async function requestLeft(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) await new Promise(setImmediate)
}
