/** The baseline: a bare Fastify route that validates a body by the contract's own schema and echoes it. */
import Fastify from 'fastify'
import { createALead, getLeads, getManyLeads } from '../src/contract/records/lead.ts'

const text = (value: string) => !value.includes('\u0000') && value.isWellFormed()
const app = Fastify({ ajv: { customOptions: { strict: false, formats: { text, email: (value: string) => text(value) && /^[^@\s]+@[^@\s]+$/.test(value) } } } })
for (const { id, input } of [createALead, getLeads, getManyLeads]) {
  const body = JSON.parse(JSON.stringify(input))
  // Only the validator needs the formats.
  const answer = JSON.parse(JSON.stringify(input, (key, value) => (key === 'format' ? undefined : value)))
  app.post(`/${id}`, { schema: { body, response: { 200: answer } } }, async (request) => request.body)
}
await app.listen({ host: '127.0.0.1', port: Number(process.argv[2] ?? 0) })
process.stdout.write(`Listening on http://127.0.0.1:${(app.server.address() as { port: number }).port}\n`)
process.once('SIGTERM', () => app.close())
