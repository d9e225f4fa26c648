import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { describe, expect, onTestFinished, test } from 'vitest'
import { LIMITS } from '../../src/contract/limits.ts'
import { lineTransport } from '../../src/transports/mcp/line-transport.ts'
import { cleanEnvironment, collected, crm, main } from '../support/crm.ts'
import { temporaryFolder } from '../support/folder.ts'
import { talkToCommand } from '../support/mcp.ts'
import { startService } from '../support/service.ts'

interface Message {
  readonly id?: number | string
  readonly result?: { readonly [member: string]: unknown }
  readonly error?: { readonly code: number; readonly message: string }
}

const OPENING =
  '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"tests","version":"0"}}}'
const call = (id: number, name: string, input: object) => JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: input } })

/** What was printed, every line of which has to be a message. */
const messagesIn = (out: string) =>
  out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Message & { jsonrpc: '2.0' })

/** Pipes lines in, and resolves to what was answered once the command has ended by itself. */
async function said(lines: readonly string[], words: readonly string[] = [], env = {}): Promise<readonly Message[]> {
  const { code, out, err } = await crm(['mcp', ...words], { cwd: await temporaryFolder(), env, input: lines.join('\n') })
  expect([code, err]).toEqual([0, ''])
  const messages = messagesIn(out)
  for (const message of messages) expect(message.jsonrpc).toBe('2.0')
  return messages
}

describe('the command', () => {
  test('answers all it was asked before the input ended, prints nothing but messages, and ends well', async () => {
    const asked = Array.from({ length: 30 }, (_, i) => call(i + 1, 'create_a_lead', { FirstName: 'Ada', LastName: `Lovelace ${i}` }))
    const messages = await said([OPENING, ...asked])
    expect(messages.map(({ id }) => id).sort((a, b) => Number(a) - Number(b))).toEqual(Array.from({ length: 31 }, (_, i) => i))
    for (const { id, result } of messages) if (id) expect(result).toMatchObject({ structuredContent: { LeadID: expect.any(String) } })
  })

  test('says what is wrong with a line that it cannot read, and goes on with the next', async () => {
    const messages = await said([
      OPENING,
      'garbage',
      '{"jsonrpc":"2.0","id":5,"method":7}',
      '[]',
      '"text"',
      '',
      '   ',
      `{"jsonrpc":"2.0","id":6,"method":"ping","params":${'['.repeat(50_000)}${']'.repeat(50_000)}}`,
      call(7, 'create_a_lead', { LastName: 'x'.repeat(LIMITS.bodyBytes) }),
      `{"jsonrpc":"2.0","id":8,"method":"no/such"}`,
      call(9, 'create_a_lead', { LastName: '\u0000' }),
      call(10, 'get_current_user', {}),
      `{"jsonrpc":"2.0","id":11,"method":"tools/call","params":{"name":"get_many_leads","arguments":{"Select":[${'1,'.repeat(LIMITS.values)}1]}}}`,
    ])
    expect(messages.find(({ id }) => id === 6)?.error?.message).toBe('Invalid request: invalid_input: the line is nested more than 64 levels deep.')
    expect(messages.find(({ id }) => id === 11)?.error?.message).toBe('Invalid request: too_large: the line holds more than 100,000 values.')
    const errors = messages.flatMap(({ id, error }) => (error ? [[id, error.code]] : []))
    expect(errors).toEqual(
      expect.arrayContaining([
        [undefined, -32700],
        [5, -32600],
        [undefined, -32600],
        [7, -32600],
        [8, -32601],
      ]),
    )
    expect(messages.find(({ id }) => id === 9)?.result).toMatchObject({ isError: true, structuredContent: { code: 'invalid_input' } })
    expect(messages.find(({ id }) => id === 10)?.result).toMatchObject({ structuredContent: { Role: 'admin' } })
  })

  test('answers a request that is too long under its id, wherever in the line that stands', async () => {
    const name = 'create_a_lead'
    const large = `"params":{"name":"${name}","arguments":{"LastName":"${'x'.repeat(LIMITS.bodyBytes)}","id":7,"method":"ping"}}`
    const messages = await said([
      OPENING,
      `{"jsonrpc":"2.0","id":1,"method":"tools/call",${large}}`,
      `{${large},"method":"tools/call","jsonrpc":"2.0","id":2}`,
      `{ "method" : "tools/call", ${large}, "id" : "thr\\"ee", "jsonrpc" : "2.0" } `,
      `{"jsonrpc":"2.0","id":4,"result":{"x":"${'x'.repeat(LIMITS.bodyBytes)}"}}`,
      `{"x":"${'x'.repeat(LIMITS.bodyBytes)}"`,
      call(5, 'get_current_user', {}),
    ])
    const errors = messages.flatMap(({ id, error }) => (error ? [[id, error.code, error.message]] : []))
    const tooLarge = expect.stringMatching(/too_large: the line is longer than 1,048,576 bytes/)
    expect(errors).toEqual([1, 2, 'thr"ee', undefined, undefined].map((id) => [id, -32600, tooLarge]))
    expect(messages.find(({ id }) => id === 5)?.result).toMatchObject({ structuredContent: { Role: 'admin' } })
  })

  test('says in plain words what is wrong with the params of a request', async () => {
    const messages = await said([
      OPENING,
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_current_user","arguments":[1]}}',
      '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"arguments":{}}}',
      '{"jsonrpc":"2.0","id":3,"method":"tools/call"}',
      '{"jsonrpc":"2.0","id":4,"method":"prompts/get","params":{"name":"review_pipeline","arguments":{"Days":7}}}',
      '{"jsonrpc":"2.0","id":5,"method":"resources/read","params":{}}',
    ])
    expect(messages.flatMap(({ id, error }) => (error ? [[id, error.code, error.message]] : []))).toEqual([
      [1, -32602, 'Invalid params of tools/call: params.arguments must be an object, not a list.'],
      [2, -32602, 'Invalid params of tools/call: params.name is required.'],
      [3, -32602, 'Invalid params of tools/call: params is required.'],
      [4, -32602, 'Invalid params of prompts/get: params.arguments.Days must be a text, not a number.'],
      [5, -32602, 'Invalid params of resources/read: params.uri is required.'],
    ])
  })

  test('refuses an argument called __proto__ as any other that is not known', async () => {
    const sent = call(1, 'create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace' }).replace('"FirstName"', '"__proto__":{"Email":"x"},"FirstName"')
    const messages = await said([OPENING, sent])
    expect(messages.find(({ id }) => id === 1)?.result).toMatchObject({
      isError: true,
      structuredContent: { code: 'invalid_input', errors: [{ field: '__proto__', code: 'unknown' }] },
    })
  })

  test('says where a key that was revoked meanwhile comes from', async () => {
    const cwd = await temporaryFolder()
    const service = await startService(cwd)
    const { Key, KeyID } = await service.call('create_key', { Scopes: ['read'] })
    const local = await talkToCommand([], { cwd, env: { CRM_KEY: Key as string } })
    const through = await talkToCommand([], { cwd, env: { CRM_KEY: Key as string, CRM_URL: service.url } })
    for (const { call } of [local, through]) expect((await call('get_many_leads')).isError).toBe(false)
    await service.call('revoke_key', { KeyID })
    for (const { call } of [local, through]) {
      const { says, text } = await call('get_many_leads')
      expect([says.code, says.hint]).toEqual(['unauthenticated', expect.stringContaining('CRM_KEY')])
      expect(text).not.toMatch(/Authorization/)
    }
  })

  test.each(['SIGTERM', 'SIGINT'] as const)('ends well at %s', async (signal) => {
    const cwd = await temporaryFolder()
    const child = spawn(process.execPath, [main, 'mcp'], { cwd, env: cleanEnvironment(), stdio: ['pipe', 'pipe', 'pipe'] })
    onTestFinished(() => void child.kill('SIGKILL'))
    const [out, err] = [collected(child.stdout), collected(child.stderr)]
    const ended = once(child, 'close')
    child.stdin.write(`${OPENING}\n`)
    await once(child.stdout, 'data')
    child.stdin.write(`${call(1, 'create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace' })}\n`)
    await once(child.stdout, 'data')
    child.kill(signal)
    expect([...(await ended), err()]).toEqual([0, null, ''])
    expect(messagesIn(out()).map(({ id }) => id)).toEqual([0, 1])
  })

  test('acts as the admin of the local store, in the workspace that was named', async () => {
    const cwd = await temporaryFolder()
    await crm(['workspaces', 'add', 'sandbox'], { cwd })
    const { call } = await talkToCommand(['--workspace', 'sandbox'], { cwd })
    expect((await call('get_current_user')).says).toMatchObject({ Role: 'admin', Workspace: 'sandbox' })
    const { ChangeID } = (await call('create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace' })).says
    const [line] = (await call('get_many_changes', { Filters: { ChangeID } })).says.Records as object[]
    expect(line).toMatchObject({ Transport: 'mcp' })
  })

  test('acts as the user of the key it is given, on the local store or through a server', async () => {
    const cwd = await temporaryFolder()
    const service = await startService(cwd)
    const { UserID } = await service.call('create_user', { Name: 'Grace Hopper', Role: 'member' })
    const { Key } = await service.call('create_key', { UserID, Scopes: ['read', 'write:Case'] })
    for (const [where, env] of [
      [cwd, { CRM_KEY: Key as string }],
      [await temporaryFolder(), { CRM_KEY: Key as string, CRM_URL: service.url }],
    ] as const) {
      const { client, call } = await talkToCommand([], { cwd: where, env })
      const tools = (await client.listTools()).tools.map(({ name }) => name)
      expect([tools.includes('create_case'), tools.includes('create_a_lead'), tools.includes('case_delete')]).toEqual([true, false, false])
      const { CaseID } = (await call('create_case', { Subject: 'Engine jams', Description: 'Again.' })).says
      expect((await call('get_case', { CaseID })).says).toMatchObject({ OwnerID: UserID })
      expect((await client.listResources()).resources.length).toBeGreaterThan(3)
    }
  })

  test('says at once that a key is no good, or that nobody answers, and not on standard output', async () => {
    const cwd = await temporaryFolder()
    await crm(['get_current_user'], { cwd })
    for (const [env, code, words] of [
      [{ CRM_KEY: 'nonsense' }, 3, /not known/],
      [{ CRM_KEY: 'nonsense', CRM_URL: 'http://127.0.0.1:9' }, 7, /did not answer/],
    ] as const) {
      const ran = await crm(['mcp'], { cwd, env, input: OPENING })
      expect([ran.code, ran.out, ran.err]).toEqual([code, '', expect.stringMatching(words)])
    }
  })
})

test('however much waits for a slow reader, one listener waits for it, and all of it arrives', async () => {
  const [input, output] = [new PassThrough(), new PassThrough({ highWaterMark: 1 })]
  const transport = lineTransport(input, output)
  await transport.start()
  const before = [output.listenerCount('drain'), output.listenerCount('close')]
  const sent = Array.from({ length: 50 }, (_, id) => transport.send({ jsonrpc: '2.0', id, result: { text: 'x'.repeat(1000) } }))
  expect([output.listenerCount('drain'), output.listenerCount('close')]).toEqual(before.map((count) => count + 1))
  const out = collected(output)
  await Promise.all(sent)
  expect([output.listenerCount('drain'), output.listenerCount('close')]).toEqual(before)
  expect(messagesIn(out()).map(({ id }) => id)).toEqual(Array.from({ length: 50 }, (_, id) => id))
  await transport.close()
})
