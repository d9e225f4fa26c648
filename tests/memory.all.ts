import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { LIMITS } from '../src/contract/limits.ts'
import { temporaryFolder } from './support/folder.ts'
import { startService } from './support/service.ts'

const CALLERS = 32

interface Answer {
  readonly status: number
  readonly text: string
}

function send(agent: Agent, url: string, key: string, body: string, seconds: number): Promise<Answer> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), 'request-timeout': seconds }
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', agent, headers }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk) => chunks.push(chunk))
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString() }))
      answer.on('error', reject)
    })
    // A connection on which a starved process has read nothing for 10 s is closed, and opened again; a process that has died refuses that.
    sent.on('error', (error: NodeJS.ErrnoException) =>
      ['EPIPE', 'ECONNRESET'].includes(error.code ?? '') ? resolve(send(agent, url, key, body, seconds)) : reject(error),
    )
    sent.end(body)
  })
}

/** A caller who comes again until it is served, however slow the machine is. */
async function insist(again: () => Promise<Answer>): Promise<Answer> {
  const answer = await again()
  return answer.status === 200 ? answer : insist(again)
}

/** Of each answer that it is whole or a clear refusal; returns how many were whole. */
function whole(answers: readonly Answer[]): number {
  for (const { status, text } of answers) {
    const body = JSON.parse(text) as { code?: string }
    if (status !== 200) expect(['429 rate_limited', '422 too_expensive']).toContain(`${status} ${body.code}`)
  }
  return answers.filter(({ status }) => status === 200).length
}

test('a process with little memory survives callers who want much at the same time, and answers others meanwhile', async () => {
  const service = await startService(await temporaryFolder(), { node: ['--max-old-space-size=128'] })
  const { url, call } = service
  const large = (key: string, body: string, seconds: number) => send(agent, `${url}/v1/batch`, key, body, seconds)
  const agent = new Agent({ keepAlive: true, maxSockets: 2 * CALLERS })
  onTestFinished(() => agent.destroy())
  const keys = await Promise.all(
    Array.from({ length: CALLERS }, async () => {
      const { UserID } = await call('create_user', { Name: 'Load', Role: 'admin' })
      return String((await call('create_key', { UserID, Scopes: ['read', 'write'] })).Key)
    }),
  )
  const [firstKey = ''] = keys
  const { LeadID } = await call('create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace' })
  const answered = async () => expect(await call('get_leads', { LeadID })).toMatchObject({ FirstName: 'Ada' })

  const Operations = Array.from({ length: 500 }, () => ({ Operation: 'create_case', Input: { Subject: 'Large', Description: 'x'.repeat(LIMITS.longText) } }))
  const body = JSON.stringify({ Operations })
  expect(Buffer.byteLength(body)).toBeGreaterThan(0.9 * LIMITS.batchBytes)
  const batches = Promise.all(keys.map((key) => large(key, body, 2)))
  const batch = insist(() => large(firstKey, body, 300))
  await answered()
  whole(await batches)
  expect(whole([await batch])).toBe(1)

  const dense = JSON.stringify({
    Operations: Array.from({ length: 300 }, () => ({ Operation: 'nothing', Input: { Values: Array.from({ length: 500 }, () => ({})) } })),
  })
  const documents = Promise.all(keys.map((key) => large(key, dense, 2)))
  const document = insist(() => large(firstKey, dense, 300))
  await answered()
  whole(await documents)
  expect(whole([await document])).toBe(1)

  for (const key of keys) {
    const unread = connect(Number(new URL(url).port), '127.0.0.1')
    unread.on('error', () => {})
    onTestFinished(() => void unread.destroy())
    unread.write(
      `POST /v1/operations/get_many_cases HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nAccept: application/x-ndjson\r\nContent-Length: 2\r\n\r\n{}`,
    )
  }
  const pages = Promise.all(keys.map((key) => send(agent, `${url}/v1/operations/get_many_cases`, key, '{"Limit":1000}', 1)))
  await answered()
  whole(await pages)
  await answered()
  expect(service.child.exitCode).toBeNull()
})
