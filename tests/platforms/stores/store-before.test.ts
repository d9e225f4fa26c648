import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { localAdmin } from '../../../src/core/access/authenticate.ts'
import { execute } from '../../../src/core/call/execute.ts'
import { createService } from '../../../src/core/service.ts'
import type { Store } from '../../../src/platforms/store.ts'
import { openPostgres } from '../../../src/platforms/stores/postgres/postgres.ts'
import { openSqlite } from '../../../src/platforms/stores/sqlite/sqlite.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { FAST } from '../../support/lane.ts'
import { temporaryDatabase } from '../../support/postgres.ts'
import { ask } from '../../support/postgres-database.ts'

/** Stores that the version without companies and contacts has written, and what it answered. */
const recorded = (name: string) => readFileSync(join(import.meta.dirname, '../../recordings/store-before', name))

const OPENING: { readonly [name: string]: () => Promise<Store> } = {
  async sqlite() {
    const path = join(await temporaryFolder(), 'crm.db')
    writeFileSync(path, gunzipSync(recorded('sqlite.db.gz')))
    return openSqlite(path)
  },
  async postgres() {
    const { url, drop } = await temporaryDatabase()
    onTestFinished(drop)
    await ask(url, recorded('postgres.sql').toString())
    return openPostgres(url)
  },
}

interface Answered {
  readonly input: object
  readonly idempotencyKey?: string
  readonly answer: object
}

test.each(FAST ? ['sqlite'] : Object.keys(OPENING))(
  'a store of the version before is upgraded when it is opened, answers as before, and takes all that is new: %s',
  async (name) => {
    const store = await (OPENING[name] as () => Promise<Store>)()
    onTestFinished(() => store.close())
    const before = JSON.parse(recorded(`${name}.json`).toString()) as { readonly [operation: string]: Answered }
    // Answers are kept for a day, and are asked for on the day of the recording.
    const recordedAt = Object.values(before).flatMap(({ answer }) => ('CreatedDate' in answer ? [String(answer.CreatedDate)] : []))[0] as string
    const service = createService({ platform: store, store, now: () => new Date(Date.parse(recordedAt) + 60_000) })
    const caller = await localAdmin(service)
    const call = async (operation: string, input: object, idempotencyKey?: string) =>
      (await execute(service, { operation, input, caller, idempotencyKey })).result as { [member: string]: never }

    for (const [operation, { input, idempotencyKey, answer }] of Object.entries(before))
      expect([operation, await call(operation, input, idempotencyKey)]).toMatchObject([operation, answer])
    expect(await store.journal(1).verify()).toMatchObject({ faults: [] })

    const { CompanyID } = await call('create_company', { CompanyName: 'Analytical Engines' })
    const { LeadID } = await call('upsert_lead', { Email: 'ada@example.com', Company: 'Analytical Engines', MatchBy: ['Email'] })
    await call('define_field', { RecordType: 'Lead', FieldName: 'PartnerID', Kind: 'reference', RefersTo: 'Company' })
    await call('update_lead', { LeadID, FieldsToUpdate: { PartnerID: CompanyID } })
    expect(await call('get_many_leads', { Filters: { 'Partner.CompanyName': 'Analytical Engines' } })).toMatchObject({
      Records: [{ LeadID, Email: 'ada@example.com', PartnerID: CompanyID }],
    })
    // What was stored before is found too, once it is in the index, which is filled in the background.
    const isFound = { Records: [{ RecordType: 'Lead', Record: { LastName: 'Somerville' } }] }
    await expect.poll(() => call('search', { Text: 'somer' }), { timeout: 60_000 }).toMatchObject(isFound)
    expect(await call('convert_lead', { LeadID, CompanyID })).toMatchObject({ CompanyID })
    expect(await store.journal(1).verify()).toMatchObject({ faults: [] })
  },
)
