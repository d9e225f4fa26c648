/** Resolves with the first of these signals. A second one ends the process at once. */
export function stopSignal(signals: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT']): Promise<void> {
  return new Promise((resolve) => {
    let stopping = false
    for (const signal of signals) {
      process.on(signal, () => {
        if (stopping) process.exit(1)
        stopping = true
        resolve()
      })
    }
  })
}
