import { setTimeout as sleep } from 'node:timers/promises'
import type { Client, ElicitResult } from '@modelcontextprotocol/client'
import { describe, expect, test, vi } from 'vitest'
import { closeWithin } from '../../src/transports/http/graceful-close.ts'
import { answerOf, crm } from '../support/crm.ts'
import { temporaryFolder } from '../support/folder.ts'
import { type HowToTalk, REVISIONS, type Revision, type Talk, talkTo, talkToCommand } from '../support/mcp.ts'
import { problemIn, serverForTest, type TestServer } from '../support/server.ts'
import { startService } from '../support/service.ts'

const ADA = { FirstName: 'Ada', LastName: 'Lovelace', Email: 'ada@example.com' }
const CONFIRM = { query: '?confirm=deletes' }
const PATIENT = { timeout: 60_000 }

/** A client behind which a person answers every question in the same way. */
function person(reply: () => ElicitResult['action'] | Promise<ElicitResult['action']>, revision: Revision): HowToTalk & { readonly asked: string[] } {
  const asked: string[] = []
  return {
    revision,
    asked,
    options: { capabilities: { elicitation: { form: {} } } },
    prepare: (client: Client) =>
      client.setRequestHandler('elicitation/create', async ({ params }) => {
        asked.push(params.message)
        return { action: await reply() }
      }),
  }
}

const personWho = (action: ElicitResult['action'], revision: Revision) => person(() => action, revision)
const brokenClient = (revision: Revision) => person(() => Promise.reject(new Error('no window')), revision)

const lead = async (server: TestServer) => (await server.call('create_a_lead', ADA)).LeadID as string
const isThere = async (server: TestServer, LeadID: string) => (await server.post('get_leads', { LeadID })).status === 200
const plans = async (server: TestServer) => (await server.call('get_many_plans')).Records as { PlanID: string; State: string; DecidedBy: string | null }[]

/** A fetch that keeps the replies of a client to the server's questions, and sends them only if `send` says so. */
function holdingReplies(send: (body: string) => string | undefined) {
  const replies: string[] = []
  const held: typeof fetch = async (url, init) => {
    const body = String(init?.body)
    if (!('result' in (JSON.parse(init?.body ? body : '{}') as object))) return fetch(url, init)
    replies.push(body)
    const to = send(body)
    return to === undefined ? new Response(null, { status: 202 }) : fetch(to, init)
  }
  return { fetch: held, replies }
}

/** Sends a client's reply once more, with any key. */
const sendReply = (url: string, key: string, body: string) =>
  fetch(`${url}/mcp`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body,
  })

describe('a client that can ask', () => {
  test.each(REVISIONS)('asks the person, who sees what would be taken away, and acts once they agree, when it speaks %s', async (revision) => {
    const server = await serverForTest()
    const LeadID = await lead(server)
    const how = personWho('accept', revision)
    const { call } = await talkTo(server.url, server.key, { ...how, ...CONFIRM })
    expect(await call('delete_lead', { LeadID })).toMatchObject({ isError: false, says: { LeadID, Deleted: true } })
    expect(await isThere(server, LeadID)).toBe(false)
    expect(how.asked).toEqual([
      expect.stringMatching(new RegExp(`Delete Lead "Ada Lovelace" \\(${LeadID}\\)\\?[^]*- FirstName: "Ada"\n- LastName: "Lovelace"`)),
    ])
    expect(await plans(server)).toMatchObject([{ State: 'done' }])
  })

  test.each(REVISIONS.flatMap((revision) => (['decline', 'cancel'] as const).map((action) => [action, revision] as const)))(
    'does nothing when they %s, and the plan is refused, when it speaks %s',
    async (action, revision) => {
      const server = await serverForTest()
      const LeadID = await lead(server)
      const { call } = await talkTo(server.url, server.key, { ...personWho(action, revision), ...CONFIRM })
      const { isError, text, says } = await call('delete_lead', { LeadID })
      expect([isError, says.code]).toEqual([true, 'forbidden'])
      expect(text).toContain(action === 'cancel' ? 'dismissed the question. Nothing was changed.' : 'declined. Nothing was changed.')
      expect(await isThere(server, LeadID)).toBe(true)
      expect(await plans(server)).toMatchObject([{ State: 'refused' }])
    },
  )

  test.each(REVISIONS)(
    'does nothing when they decline, and no other caller can act on it either, whatever the key allows, when it speaks %s',
    async (revision) => {
      const server = await serverForTest()
      const LeadID = await lead(server)
      const { Key } = await server.call('create_key', { Scopes: ['read', 'delete'], Confirm: 'deletes' })
      const { call } = await talkTo(server.url, Key as string, personWho('decline', revision))
      expect((await call('delete_lead', { LeadID })).text).toMatch(/declined/)
      expect([await isThere(server, LeadID), await plans(server)]).toMatchObject([true, [{ State: 'refused' }]])
    },
  )

  test.each(REVISIONS)('is asked over standard input and output too, when it speaks %s', async (revision) => {
    const cwd = await temporaryFolder()
    for (const [action, gone] of [
      ['decline', false],
      ['accept', true],
    ] as const) {
      const how = personWho(action, revision)
      const { call } = await talkToCommand(['--confirm', 'deletes'], { cwd }, how)
      const { LeadID } = (await call('create_a_lead', ADA)).says
      const { isError, says } = await call('delete_lead', { LeadID })
      expect(how.asked).toHaveLength(1)
      expect([isError, says.Deleted ?? false]).toEqual([!gone, gone])
      expect((await call('get_leads', { LeadID })).isError).toBe(gone)
    }
  })

  /** What its model sees where the person could not be asked: no token, and where the plan can be allowed. */
  async function failsToAsk({ call }: Talk, LeadID: unknown): Promise<string> {
    const answer = await call('delete_lead', { LeadID })
    expect(answer).toMatchObject({ isError: true, says: { code: 'conflict', detail: expect.stringContaining('could not be asked') } })
    const [, PlanID = ''] = /allow the plan (\w+) under Approvals/.exec(answer.text) ?? []
    expect(JSON.stringify(answer)).not.toMatch(/ConfirmationToken|\w{20}\.[\w-]{43}/)
    expect((await call('get_leads', { LeadID })).says).toMatchObject({ LeadID })
    return PlanID
  }

  test('does nothing once it has cancelled the call, even if they agree right after', async () => {
    const server = await serverForTest()
    const LeadID = await lead(server)
    const cancelling = new AbortController()
    const cancelled = vi.fn()
    const replied = vi.fn()
    const noting: typeof fetch = async (url, init) => {
      const body = String(init?.body)
      const response = await fetch(url, init)
      if (body.includes('notifications/cancelled')) cancelled()
      if (body.includes('"action":"accept"')) replied()
      return response
    }
    const { client } = await talkTo(server.url, server.key, {
      ...person(async () => {
        // Between two of the times at which a call that waits looks for its cancellation.
        await sleep(600)
        cancelling.abort()
        await vi.waitFor(() => expect(cancelled).toHaveBeenCalled(), PATIENT)
        return 'accept' as const
      }, '2025-11-25'),
      ...CONFIRM,
      fetch: noting,
    })
    await expect(client.callTool({ name: 'delete_lead', arguments: { LeadID } }, { signal: cancelling.signal })).rejects.toThrow()
    await vi.waitFor(() => expect(replied).toHaveBeenCalled(), PATIENT)
    await sleep(2000)
    expect(await isThere(server, LeadID)).toBe(true)
  })

  test('never gets the token where it fails to ask, and an admin can allow the plan', async () => {
    const server = await serverForTest()
    const LeadID = await lead(server)
    const PlanID = await failsToAsk(await talkTo(server.url, server.key, { ...brokenClient('2025-11-25'), ...CONFIRM }), LeadID)
    expect(await plans(server)).toMatchObject([{ PlanID, State: 'waiting' }])
    const { Key } = await server.call('create_key', { Scopes: ['read', 'delete', 'admin'] })
    await server.call('allow_plan', { PlanID }, { authorization: `Bearer ${Key}` })
    expect(await isThere(server, LeadID)).toBe(false)
  })

  test('never gets the token where it fails to ask over standard input and output', async () => {
    const cwd = await temporaryFolder()
    const talk = await talkToCommand(['--confirm', 'deletes'], { cwd }, brokenClient('2025-11-25'))
    const { LeadID } = (await talk.call('create_a_lead', ADA)).says
    const PlanID = await failsToAsk(talk, LeadID)
    expect(answerOf(await crm(['allow_plan', '--PlanID', PlanID, '--output', 'json'], { cwd }))).toMatchObject({ State: 'done' })
    expect((await talk.call('get_leads', { LeadID })).says.code).toBe('not_found')
  })

  test('never gets the token where the person does not reply in time', async () => {
    let skipped = 0
    const server = await serverForTest({ wrap: (service) => ({ ...service, now: () => new Date(Date.now() + skipped) }) })
    const LeadID = await lead(server)
    const how = person(() => {
      skipped = 16 * 60_000
      return new Promise(() => {})
    }, '2025-11-25')
    const { call } = await talkTo(server.url, server.key, { ...how, ...CONFIRM })
    const answer = await call('delete_lead', { LeadID })
    expect([answer.says.code, JSON.stringify(answer)]).toEqual(['conflict', expect.not.stringContaining('ConfirmationToken')])
    expect([how.asked.length, await isThere(server, LeadID)]).toEqual([1, true])
  })

  test('has nothing declined that nobody was asked about', async () => {
    const server = await serverForTest()
    const LeadID = await lead(server)
    const { client } = await talkTo(server.url, server.key, {
      ...CONFIRM,
      options: { capabilities: { elicitation: {} }, inputRequired: { autoFulfill: false } },
    })
    for (const requestState of ['nonsense', 'a.b', '']) {
      const params = { name: 'delete_lead', arguments: { LeadID }, requestState, inputResponses: { confirm: { action: 'decline' } } }
      const result = await client.request({ method: 'tools/call', params } as never)
      expect(result).toMatchObject({ isError: true, structuredContent: { code: 'not_found', detail: 'No plan of yours goes with this requestState.' } })
    }
  })

  test('cannot confirm what it was not asked about', async () => {
    const server = await serverForTest()
    const [LeadID, other] = [await lead(server), await lead(server)]
    const { client } = await talkTo(server.url, server.key, {
      ...CONFIRM,
      options: { capabilities: { elicitation: {} }, inputRequired: { autoFulfill: false } },
    })
    const asked = await client.callTool({ name: 'delete_lead', arguments: { LeadID } }, { allowInputRequired: true })
    const { requestState } = asked as { requestState?: string }
    expect(asked).toMatchObject({ resultType: 'input_required', inputRequests: { confirm: { method: 'elicitation/create' } } })
    for (const [input, state] of [
      [{ LeadID: other }, requestState],
      [{ LeadID }, `${requestState}x`],
    ] as const) {
      const params = { name: 'delete_lead', arguments: input, requestState: state, inputResponses: { confirm: { action: 'accept', content: {} } } }
      expect(await client.request({ method: 'tools/call', params } as never)).toMatchObject({ isError: true })
    }
    expect([await isThere(server, LeadID), await isThere(server, other)]).toEqual([true, true])
  })
})

describe('a reply over HTTP', () => {
  test('reaches the call that waits for it through any process of the store', async () => {
    const cwd = await temporaryFolder()
    const [one, other] = [await startService(cwd), await startService(cwd)]
    for (const action of ['accept', 'decline'] as const) {
      const { LeadID } = await one.call('create_a_lead', ADA)
      const { fetch, replies } = holdingReplies(() => `${other.url}/mcp`)
      const { call } = await talkTo(one.url, one.key(), { ...personWho(action, '2025-11-25'), ...CONFIRM, fetch })
      expect((await call('delete_lead', { LeadID })).isError).toBe(action === 'decline')
      expect(replies).toHaveLength(1)
    }
    const { Records } = await other.call('get_many_plans', {})
    expect((Records as { State: string }[]).map(({ State }) => State).sort()).toEqual(['done', 'refused'])
  })

  test('counts once, and from the caller who was asked alone', async () => {
    const server = await serverForTest()
    const LeadID = await lead(server)
    const { Key } = await server.call('create_key', { Scopes: ['read', 'write', 'delete', 'admin'] })
    const { fetch, replies } = holdingReplies(() => undefined)
    const { call } = await talkTo(server.url, server.key, { ...personWho('accept', '2025-11-25'), ...CONFIRM, fetch })
    const answer = call('delete_lead', { LeadID })
    await vi.waitFor(() => expect(replies).toHaveLength(1), PATIENT)
    const [reply = ''] = replies
    const { id, ...rest } = JSON.parse(reply) as { id: string }
    expect(id).not.toContain((await plans(server))[0]?.PlanID)
    for (const [key, body] of [
      [Key as string, reply],
      [server.key, JSON.stringify({ ...rest, id: `${id.slice(0, -2)}AA` })],
      [server.key, JSON.stringify({ ...rest, id: 0 })],
    ] as const)
      expect(await problemIn(await sendReply(server.url, key, body))).toMatchObject({ code: 'invalid_input' })
    expect([await plans(server), await isThere(server, LeadID)]).toMatchObject([[{ State: 'waiting', DecidedBy: null }], true])

    expect((await sendReply(server.url, server.key, reply)).status).toBe(202)
    expect(await answer).toMatchObject({ says: { LeadID, Deleted: true } })
    const { ChangeID } = ((await server.call('get_many_changes', { Filters: { RecordID: LeadID } })).Records as { ChangeID: string }[])[0] ?? {}
    await server.call('undo_change', { ChangeID })
    expect(await problemIn(await sendReply(server.url, server.key, reply))).toMatchObject({ code: 'conflict' })
    expect(await isThere(server, LeadID)).toBe(true)
  })

  test('executes nothing once the call that asked is gone', async () => {
    const server = await serverForTest()
    const LeadID = await lead(server)
    const { fetch, replies } = holdingReplies(() => undefined)
    const { call, client } = await talkTo(server.url, server.key, { ...personWho('accept', '2025-11-25'), ...CONFIRM, fetch })
    const answer = call('delete_lead', { LeadID }).catch((error: Error) => error)
    await vi.waitFor(() => expect(replies).toHaveLength(1), PATIENT)
    await client.close()
    expect(await answer).toBeInstanceOf(Error)
    expect((await sendReply(server.url, server.key, replies[0] ?? '')).status).toBe(202)
    const again = personWho('decline', '2025-11-25')
    const talk = await talkTo(server.url, server.key, { ...again, ...CONFIRM })
    expect((await talk.call('delete_lead', { LeadID })).says.code).toBe('forbidden')
    expect([again.asked.length, await isThere(server, LeadID)]).toEqual([1, true])
  })

  test('is for the latest of two calls that ask the same', async () => {
    const server = await serverForTest()
    const LeadID = await lead(server)
    const { fetch, replies } = holdingReplies(() => undefined)
    const { call } = await talkTo(server.url, server.key, { ...personWho('accept', '2025-11-25'), ...CONFIRM, fetch })
    const first = call('delete_lead', { LeadID })
    await vi.waitFor(() => expect(replies).toHaveLength(1), PATIENT)
    const second = call('delete_lead', { LeadID })
    expect((await first).says).toMatchObject({ code: 'conflict' })
    await vi.waitFor(() => expect(replies).toHaveLength(2), PATIENT)
    expect(await problemIn(await sendReply(server.url, server.key, replies[0] ?? ''))).toMatchObject({ code: 'conflict' })
    expect(await isThere(server, LeadID)).toBe(true)
    expect((await sendReply(server.url, server.key, replies[1] ?? '')).status).toBe(202)
    expect((await second).says).toMatchObject({ LeadID, Deleted: true })
  })

  test('is not awaited by a server that closes', async () => {
    const server = await serverForTest()
    const LeadID = await lead(server)
    const { fetch, replies } = holdingReplies(() => undefined)
    const { call } = await talkTo(server.url, server.key, { ...personWho('accept', '2025-11-25'), ...CONFIRM, fetch })
    const answer = call('delete_lead', { LeadID })
    await vi.waitFor(() => expect(replies).toHaveLength(1), PATIENT)
    await closeWithin(server.app, 60_000)
    expect((await answer).says).toMatchObject({ code: 'conflict', detail: expect.stringContaining('could not be asked') })
  })
})

describe('where a person has to allow it', () => {
  test.each(REVISIONS.flatMap((revision) => [true, false].map((asks) => [revision, asks] as const)))(
    'no client gets a token or is asked, and it is done once it is allowed: %s, with elicitation: %s',
    async (revision, asks) => {
      const server = await serverForTest()
      const { Key } = await server.call('create_key', { Scopes: ['read', 'write', 'delete'], Confirm: 'person' })
      const how = personWho('accept', revision)
      for (const [key, query] of [
        [Key as string, '?confirm=deletes'],
        [server.key, '?confirm=person'],
      ] as const) {
        const LeadID = await lead(server)
        const { call } = await talkTo(server.url, key, { ...(asks ? how : { revision }), query })
        const { isError, text, says } = await call('delete_lead', { LeadID })
        const { PlanID } = says.Plan as { PlanID: string }
        expect([isError, says]).toMatchObject([
          false,
          { ConfirmationRequired: true, AllowedBy: 'person', Plan: { RecordID: LeadID, Preview: { Undoable: true } } },
        ])
        expect(JSON.stringify([says, text])).not.toContain('Token')
        for (const words of ['a person has to allow this', '"Ada Lovelace"', `the plan ${PlanID} under Approvals`, 'call delete_lead again'])
          expect(text).toContain(words)
        expect((await call('delete_lead', { LeadID, ConfirmationToken: `${PlanID}.x` })).says).toMatchObject({ Plan: { PlanID } })
        expect((await server.post('allow_plan', { PlanID }, { authorization: `Bearer ${key}` })).status).toBe(403)
        expect([how.asked, await isThere(server, LeadID)]).toEqual([[], true])

        const admin = await server.call('create_key', { Scopes: ['read', 'delete', 'admin'] })
        await server.call('allow_plan', { PlanID }, { authorization: `Bearer ${admin.Key}` })
        expect(await isThere(server, LeadID)).toBe(false)
        const deletes = await server.call('get_many_changes', { Filters: { RecordID: LeadID, EventType: 'lead.deleted' } })
        expect(deletes.Records).toHaveLength(1)
        const { ChangeID } = (deletes.Records as { ChangeID: string }[])[0] ?? {}
        expect((await call('delete_lead', { LeadID })).says).toEqual({ LeadID, Deleted: true, ChangeID })
      }
    },
  )

  test('the agent is told that it was refused, and cannot ask again and again', async () => {
    const server = await serverForTest()
    const LeadID = await lead(server)
    const { call } = await talkTo(server.url, server.key, { query: '?confirm=person' })
    const { PlanID } = (await call('delete_lead', { LeadID })).says.Plan as { PlanID: string }
    await server.call('refuse_plan', { PlanID })
    expect(await call('delete_lead', { LeadID })).toMatchObject({ isError: true, says: { code: 'forbidden', detail: expect.stringContaining(PlanID) } })
    expect(await isThere(server, LeadID)).toBe(true)
  })

  test('a person allows it at the command line of the store', async () => {
    const cwd = await temporaryFolder()
    const how = personWho('accept', '2025-11-25')
    const { call } = await talkToCommand(['--confirm', 'person'], { cwd }, how)
    const { LeadID } = (await call('create_a_lead', ADA)).says
    const { says, text } = await call('delete_lead', { LeadID })
    expect(JSON.stringify([says, text])).not.toContain('Token')
    const { PlanID } = says.Plan as { PlanID: string }
    expect(answerOf(await crm(['allow_plan', '--PlanID', PlanID, '--output', 'json'], { cwd }))).toMatchObject({ State: 'done' })
    expect((await call('delete_lead', { LeadID })).says).toMatchObject({ LeadID, Deleted: true })
    expect(how.asked).toEqual([])
  })
})

describe('a client that cannot ask', () => {
  test.each(['2026-07-28', '2025-11-25'] as const)('gets the plan and a token, and acts with it once, when it speaks %s', async (revision) => {
    const server = await serverForTest()
    const LeadID = await lead(server)
    const { call } = await talkTo(server.url, server.key, { revision, ...CONFIRM })
    const { isError, text, says } = await call('delete_lead', { LeadID })
    expect(isError).toBe(false)
    expect(says).toMatchObject({ ConfirmationRequired: true, ConfirmationToken: expect.any(String), Plan: { Operation: 'delete_lead', RecordID: LeadID } })
    expect(says.Plan).not.toHaveProperty('Token')
    for (const words of ['Nothing was changed yet', '- FirstName: "Ada"', `ConfirmationToken: ${says.ConfirmationToken}`]) expect(text).toContain(words)
    expect(await isThere(server, LeadID)).toBe(true)
    const { ConfirmationToken } = says
    expect((await call('delete_lead', { LeadID: await lead(server), ConfirmationToken })).says.code).toBe('conflict')
    expect((await call('delete_lead', { LeadID, ConfirmationToken })).says).toMatchObject({ LeadID, Deleted: true })
    expect((await call('delete_lead', { LeadID, ConfirmationToken })).isError).toBe(true)
  })

  test('is asked for a confirmation by its key alone, and never for what takes nothing away', async () => {
    const server = await serverForTest()
    const { Key } = await server.call('create_key', { Scopes: ['read', 'write', 'delete'], Confirm: 'deletes' })
    const { call } = await talkTo(server.url, Key as string)
    const { LeadID, ChangeID } = (await call('create_a_lead', ADA)).says
    for (const [tool, input] of [
      ['delete_lead', { LeadID }],
      ['undo_change', { ChangeID }],
    ] as const)
      expect((await call(tool, input)).says).toMatchObject({ ConfirmationRequired: true })
    expect((await call('delete_lead', { LeadID, DryRun: true })).says.DryRun).toBe(true)
    const updated = await call('update_lead', { LeadID, FieldsToUpdate: { Status: 'Lost' } })
    expect((await call('undo_change', { ChangeID: updated.says.ChangeID })).says).toMatchObject({ RecordID: LeadID })
  })

  test('has deletes planned by a server that it reaches through crm mcp', async () => {
    const server = await serverForTest()
    const LeadID = await lead(server)
    const { call } = await talkToCommand(['--confirm', 'deletes'], { cwd: await temporaryFolder(), env: { CRM_URL: server.url, CRM_KEY: server.key } })
    const { says } = await call('delete_lead', { LeadID })
    expect(says.ConfirmationRequired).toBe(true)
    expect(await isThere(server, LeadID)).toBe(true)
    expect((await call('delete_lead', { LeadID, ConfirmationToken: says.ConfirmationToken })).says.Deleted).toBe(true)
  })
})

describe('a batch with deletes', () => {
  const deletes = (ids: readonly string[]) => ({ Operations: ids.map((LeadID) => ({ Operation: 'delete_lead', Input: { LeadID } })) })
  const there = (server: TestServer, ids: readonly string[]) => Promise.all(ids.map((id) => isThere(server, id)))

  test.each(REVISIONS)('is one question and one undo, when the client speaks %s', async (revision) => {
    const server = await serverForTest()
    const ids = [await lead(server), await lead(server), await lead(server)]
    await server.call('add_notes_to_leads', { LeadID: ids[0], Note: 'Called.' })
    const how = personWho('accept', revision)
    const { call } = await talkTo(server.url, server.key, { ...how, ...CONFIRM })
    const { isError, says } = await call('batch', deletes(ids))
    expect([isError, says]).toMatchObject([false, { Done: 3, BatchID: expect.any(String) }])
    expect(how.asked).toHaveLength(1)
    expect(how.asked[0]).toMatch(
      new RegExp(
        `^Execute a batch: 3 × Delete Lead\\?\nIt takes away 3 records:\n- "Ada Lovelace" \\(${ids[0]}\\)[^]*With them goes 1 note\\.\nundo_change can take all`,
      ),
    )
    expect(await there(server, ids)).toEqual([false, false, false])
    expect(await plans(server)).toMatchObject([{ State: 'done' }])
    expect((await call('undo_change', { BatchID: says.BatchID })).says).toMatchObject({ Undone: 3, Left: 0 })
    expect([how.asked.length, await there(server, ids)]).toEqual([1, [true, true, true]])
  })

  test.each(REVISIONS)('executes nothing when the person declines, when the client speaks %s', async (revision) => {
    const server = await serverForTest()
    const ids = [await lead(server), await lead(server)]
    const { call } = await talkTo(server.url, server.key, { ...personWho('decline', revision), ...CONFIRM })
    expect(await call('batch', deletes(ids))).toMatchObject({ isError: true, says: { code: 'forbidden' } })
    expect([await there(server, ids), await plans(server)]).toMatchObject([[true, true], [{ State: 'refused' }]])
  })

  test('never gives the token to a client that fails to ask', async () => {
    const server = await serverForTest()
    const ids = [await lead(server), await lead(server)]
    const { call } = await talkTo(server.url, server.key, { ...brokenClient('2025-11-25'), ...CONFIRM })
    const answer = await call('batch', deletes(ids))
    expect(answer).toMatchObject({ isError: true, says: { code: 'conflict', detail: expect.stringContaining('could not be asked') } })
    expect(JSON.stringify(answer)).not.toMatch(/ConfirmationToken|\w{20}\.[\w-]{43}/)
    expect(await there(server, ids)).toEqual([true, true])
  })

  test.each(REVISIONS)('gives its one token to a client that cannot ask, when it speaks %s', async (revision) => {
    const server = await serverForTest()
    const ids = [await lead(server), await lead(server)]
    const { call } = await talkTo(server.url, server.key, { revision, ...CONFIRM })
    const { says, text } = await call('batch', deletes(ids))
    const { ConfirmationToken } = says
    expect(says).toMatchObject({ ConfirmationRequired: true, Plan: { Operation: 'batch', Preview: { Calls: { delete_lead: 2 }, Deletes: 2 } } })
    expect(text).toContain(`call batch again before`)
    expect(await there(server, ids)).toEqual([true, true])
    expect((await call('batch', { ...deletes(ids), ConfirmationToken })).says).toMatchObject({ Done: 2 })
    expect((await call('batch', { ...deletes(ids), ConfirmationToken })).isError).toBe(true)
  })

  test('is asked about over standard input and output too', async () => {
    const how = personWho('accept', '2026-07-28')
    const { call } = await talkToCommand(['--confirm', 'deletes'], { cwd: await temporaryFolder() }, how)
    const ids = [(await call('create_a_lead', ADA)).says.LeadID, (await call('create_a_lead', ADA)).says.LeadID] as string[]
    expect((await call('batch', deletes(ids))).says).toMatchObject({ Done: 2 })
    expect(how.asked).toHaveLength(1)
  })

  test('waits for a person elsewhere where one has to allow it, and then shows what was done', async () => {
    const server = await serverForTest()
    const ids = [await lead(server), await lead(server)]
    const how = personWho('accept', '2026-07-28')
    const { call } = await talkTo(server.url, server.key, { ...how, query: '?confirm=person' })
    const { says, text } = await call('batch', deletes(ids))
    expect(says).toMatchObject({ ConfirmationRequired: true, AllowedBy: 'person', Plan: { Operation: 'batch' } })
    expect(JSON.stringify([says, text])).not.toContain('Token')
    const { PlanID } = says.Plan as { PlanID: string }
    const admin = await server.call('create_key', { Scopes: ['read', 'write', 'delete', 'admin'] })
    await server.call('allow_plan', { PlanID }, { authorization: `Bearer ${admin.Key}` })
    expect((await call('batch', deletes(ids))).says).toMatchObject({ Done: 2, BatchID: PlanID, Results: ids.map((LeadID) => ({ LeadID, Deleted: true })) })
    expect([how.asked, await there(server, ids)]).toEqual([[], [false, false]])
  })
})
