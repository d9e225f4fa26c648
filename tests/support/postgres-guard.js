import { rmSync } from 'node:fs'
import { createInterface } from 'node:readline'

/**
 * Outlives the process that started it: when its standard input closes, it stops the server and removes the folder. Each line of the
 * input is the process id of the server, or empty while there is none.
 */
const [folder] = process.argv.slice(2)
let server = 0
createInterface({ input: process.stdin })
  .on('line', (line) => {
    server = Number(line)
  })
  .on('close', end)

async function end() {
  for (let tries = 0; send(tries < 50 ? 'SIGQUIT' : 'SIGKILL') && tries < 100; tries++) await new Promise((resolve) => setTimeout(resolve, 100))
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
}

/** Sends a signal to the server; returns whether it is running. */
function send(signal) {
  try {
    return server > 0 && process.kill(server, signal)
  } catch {
    return false
  }
}
