import { rmSync } from 'node:fs'
import { createInterface } from 'node:readline'

/**
 * Runs beside a server and outlives who started it, however that ends: when its input closes, it ends the server and removes the
 * folder. Each line of the input is the process id of the server, or empty while there is none.
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

/** Whether there is a server to send it to. */
function send(signal) {
  try {
    return server > 0 && process.kill(server, signal)
  } catch {
    return false
  }
}
