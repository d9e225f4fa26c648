/** Lets those who must not go on side by side take turns within this process, so that not each of them holds a connection while it waits. */
export function createTurns() {
  let last: Promise<void> = Promise.resolve()

  /** Resolves when it is the caller's turn, to what ends it. */
  return async (): Promise<() => void> => {
    const before = last
    let end = () => {}
    last = new Promise((resolve) => {
      end = resolve
    })
    await before
    return end
  }
}
