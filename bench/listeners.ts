/** Opens event streams of a service and reads them: node scripts/run.js bench/listeners.ts URL KEY COUNT */
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'

const [url = '', key = '', count = '0'] = process.argv.slice(2)
const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY })

for (let i = 0; i < Number(count); i++) {
  const outgoing = request(`${url}/v1/events`, { agent, headers: { accept: 'text/event-stream', authorization: `Bearer ${key}` } }).end()
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
  if (incoming.statusCode !== 200) throw new Error(`A stream was refused with ${incoming.statusCode}.`)
  incoming.resume()
}
process.stdout.write(`Listening on ${url}\n`)
