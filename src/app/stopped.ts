/** Resolves once the process is told to stop. Whoever asks twice does not want to wait. */
export function stopped(): Promise<void> {
  return new Promise((done) => {
    let told = false
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        if (told) process.exit(1)
        told = true
        done()
      })
    }
  })
}
