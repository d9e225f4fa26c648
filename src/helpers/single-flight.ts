/** Never runs twice at the same time: a call made during a run gets the result of that run. */
export function singleFlight<A extends unknown[], T>(run: (...args: A) => Promise<T>): (...args: A) => Promise<T> {
  let running: Promise<T> | undefined
  return (...args) => {
    running ??= run(...args).finally(() => {
      running = undefined
    })
    return running
  }
}
