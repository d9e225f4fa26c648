import { randomBytes } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { Webhook as Verifier } from 'standardwebhooks'
import { describe, expect, test, vi } from 'vitest'
import { countSecrets, reseal, storedSecrets } from '../../../src/core/access/sealed-records.ts'
import { keyIdOf } from '../../../src/core/access/vault.ts'
import { FAST } from '../../support/lane.ts'
import { withKeys } from '../../support/sealed-webhooks.ts'
import { SHARED_STORES, type SharedStore } from '../../support/shared-stores.ts'
import { startTarget, type Target } from '../../support/webhook-target.ts'

const ADA = { FirstName: 'Ada', LastName: 'Lovelace' }
const SOON = { timeout: 60_000, interval: 20 }
const [first, second] = [randomBytes(32), randomBytes(32)]

const columns = (shared: SharedStore) => shared.ask('SELECT "WebhookID" AS id, "Secret" AS secret, "OldSecret" AS old FROM "Webhook" ORDER BY "WebhookID"')

const verifies = ({ received }: Target, secret: string) =>
  received.map(({ body, headers, event }) => expect(new Verifier(secret).verify(body, headers as Record<string, string>)).toEqual(event))

describe.each(FAST ? ['sqlite'] : Object.keys(SHARED_STORES))('on %s', (name) => {
  const make = SHARED_STORES[name] as () => Promise<SharedStore>

  test('the store never holds a secret in plain text, and deliveries are signed with it, before and after a rotation', async () => {
    const shared = await make()
    const { crm, deliver, troubles } = await withKeys(shared, first)
    const target = await startTarget()
    const { WebhookID, Secret } = await crm.webhooks.create({ URL: target.url, EventTypes: ['lead.*'] }, { idempotencyKey: 'make-it' })
    expect(await columns(shared)).toEqual([{ id: WebhookID, secret: expect.stringContaining(`sealed:1:${keyIdOf(first)}:`), old: null }])
    deliver()
    await crm.leads.create(ADA)
    await vi.waitFor(() => expect(target.received).toHaveLength(1), SOON)
    verifies(target, Secret)
    expect(await crm.webhooks.create({ URL: target.url, EventTypes: ['lead.*'] }, { idempotencyKey: 'make-it' })).toMatchObject({ WebhookID, Secret: null })

    const rotated = await crm.webhooks.rotateSecret({ WebhookID }, { idempotencyKey: 'rotate-it' })
    expect(await columns(shared)).toEqual([{ id: WebhookID, secret: expect.stringMatching(/^sealed:1:/), old: expect.stringMatching(/^sealed:1:/) }])
    await crm.leads.create(ADA)
    await vi.waitFor(() => expect(target.received).toHaveLength(2), SOON)
    verifies(target, Secret)
    target.received.shift()
    verifies(target, rotated.Secret)
    expect(troubles).toEqual([])

    const journal = JSON.stringify([await shared.ask('SELECT * FROM "Change"'), await shared.ask('SELECT * FROM "Once"')])
    for (const secret of [Secret, rotated.Secret]) expect(journal).not.toContain(secret)
    expect(journal).not.toContain('sealed:1:')
  })

  test('a sealed secret that was moved to another webhook does not open there, and signs nothing', async () => {
    const shared = await make()
    const { crm, deliver, troubles } = await withKeys(shared, first)
    const target = await startTarget()
    const [mine, other] = [await crm.webhooks.create({ URL: target.url }), await crm.webhooks.create({ URL: target.url })]
    await shared.ask(
      `UPDATE "Webhook" SET "Secret" = (SELECT "Secret" FROM "Webhook" WHERE "WebhookID" = '${mine.WebhookID}') WHERE "WebhookID" = '${other.WebhookID}'`,
    )
    await setImmediate()
    await expect(crm.webhooks.test({ WebhookID: other.WebhookID })).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining('moved') })
    const courier = deliver()
    await crm.leads.create(ADA)
    await vi.waitFor(() => expect([target.received.length > 0, troubles.length > 0]).toEqual([true, true]), SOON)
    await courier.stop()
    verifies(target, mine.Secret)
    target.received.length = 0
    const replaced = await crm.webhooks.rotateSecret({ WebhookID: other.WebhookID })
    expect((await columns(shared)).find(({ id }) => id === other.WebhookID)).toMatchObject({ old: null })
    expect(await crm.webhooks.test({ WebhookID: other.WebhookID })).toMatchObject({ Delivered: true })
    expect(target.received).toHaveLength(1)
    verifies(target, replaced.Secret)
  })

  test('a process without the key says so once, and delivers when one with the key takes over', async () => {
    const shared = await make()
    const target = await startTarget()
    const { crm } = await withKeys(shared, first)
    const { WebhookID, Secret } = await crm.webhooks.create({ URL: target.url, EventTypes: ['lead.*'] })
    await crm.leads.create(ADA)
    const without = await withKeys(shared, second)
    await expect(without.crm.webhooks.test({ WebhookID })).rejects.toMatchObject({ message: expect.stringContaining(keyIdOf(first)) })
    const courier = without.deliver()
    await vi.waitFor(() => expect(without.troubles.length).toBeGreaterThan(1), SOON)
    expect(new Set(without.troubles).size).toBe(1)
    expect(await without.crm.webhooks.getMany({})).toMatchObject({ Records: [{ WebhookID, Active: true, FailingSince: null }] })
    await courier.stop()
    expect(target.received).toEqual([])
    const both = await withKeys(shared, second, first)
    both.deliver()
    await vi.waitFor(() => expect(target.received).toHaveLength(1), SOON)
    verifies(target, Secret)
    expect(both.troubles).toEqual([])
  })

  test('sealing again with another key, while webhooks are delivered and rotated, loses no delivery and no secret', async () => {
    const shared = await make()
    const target = await startTarget()
    const before = await withKeys(shared, first)
    const made: { readonly WebhookID: string; readonly Secret: string }[] = []
    for (let i = 0; i < 120; i++) made.push(await before.crm.webhooks.create({ URL: target.url, EventTypes: ['case.created'], Active: false }))
    const { WebhookID, Secret } = await before.crm.webhooks.create({ URL: target.url, EventTypes: ['lead.*'] })
    const serving = await withKeys(shared, second, first)
    serving.deliver()
    const leads: string[] = []
    const rotated = new Map<string, string>()
    const writing = async () => {
      for (let i = 0; i < 20; i++) {
        leads.push((await serving.crm.leads.create(ADA)).LeadID)
        const hook = made[i * 5]?.WebhookID as string
        rotated.set(hook, (await serving.crm.webhooks.rotateSecret({ WebhookID: hook })).Secret)
      }
    }
    const [done] = await Promise.all([reseal((await withKeys(shared, second, first)).service), writing()])
    expect(done).toMatchObject({ plain: 0, unopened: [] })
    expect(done.resealed).toBeGreaterThan(0)
    await vi.waitFor(() => expect(new Set(target.accepted().map(({ RecordID }) => RecordID))).toEqual(new Set(leads)), SOON)
    verifies(target, Secret)
    expect(serving.troubles).toEqual([])

    const after = await withKeys(shared, second)
    expect(await reseal(after.service)).toEqual({ plain: 0, resealed: 0, unopened: [] })
    const { byKey, plain, unopened } = await countSecrets(after.service.vault, storedSecrets(after.service))
    expect([[...byKey.keys()], plain, unopened]).toEqual([[keyIdOf(second)], 0, []])
    target.received.length = 0
    for (const hook of made.slice(0, 6)) {
      expect(await after.crm.webhooks.test({ WebhookID: hook.WebhookID })).toMatchObject({ Delivered: true })
      const { body, headers } = target.received.at(-1) as Target['received'][number]
      expect(() => new Verifier(rotated.get(hook.WebhookID) ?? hook.Secret).verify(body, headers as never)).not.toThrow()
    }
    expect(await after.crm.webhooks.getMany({ Filters: { WebhookID } })).toMatchObject({ Records: [{ Revision: 1 }] })
  })

  test('a secret that an earlier version has stored in plain text signs, and is sealed without a change of the webhook', async () => {
    const shared = await make()
    const { crm, service } = await withKeys(shared, first)
    const target = await startTarget()
    const { WebhookID } = await crm.webhooks.create({ URL: target.url })
    const { Records: before } = await crm.webhooks.getMany({})
    const plain = `whsec_${randomBytes(32).toString('base64')}`
    await shared.ask(`UPDATE "Webhook" SET "Secret" = '${plain}'`)
    // Reads of one turn of the event loop share a snapshot.
    await setImmediate()
    await crm.webhooks.test({ WebhookID })
    expect(await reseal(service, { plainOnly: true })).toEqual({ plain: 1, resealed: 0, unopened: [] })
    expect(await columns(shared)).toEqual([{ id: WebhookID, secret: expect.stringMatching(/^sealed:1:/), old: null }])
    await crm.webhooks.test({ WebhookID })
    expect(target.received).toHaveLength(2)
    for (const { body, headers } of target.received) expect(() => new Verifier(plain).verify(body, headers as never)).not.toThrow()
    expect((await crm.webhooks.getMany({})).Records).toEqual(before)
  })

  test('what cannot be opened is left as it is when the rest is sealed again', async () => {
    const shared = await make()
    const { crm } = await withKeys(shared, first)
    const { WebhookID: lost } = await crm.webhooks.create({ URL: 'https://example.com' })
    const other = await withKeys(shared, second)
    const { WebhookID: fine } = await other.crm.webhooks.create({ URL: 'https://example.com' })
    const third = randomBytes(32)
    const before = await columns(shared)
    const { service } = await withKeys(shared, third, second)
    expect(await reseal(service)).toMatchObject({ resealed: 1, unopened: [{ id: lost, field: 'Secret' }] })
    const after = await columns(shared)
    expect(after.find(({ id }) => id === lost)).toEqual(before.find(({ id }) => id === lost))
    expect(after.find(({ id }) => id === fine)?.secret).toContain(keyIdOf(third))
  })
})
