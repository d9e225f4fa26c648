import { type Simulator, startSimulator } from 'crm-simulators'
import { simulateSalesforce } from 'crm-simulators/salesforce'
import jsforce from 'jsforce'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const START = Date.parse('2026-06-01T12:00:30.000Z')
const MINUTE = 60_000
const DAY = 86_400_000

/** The clock stands still, except where a test advances it. */
let simulator: Simulator
let connection: jsforce.Connection
let now: number
beforeEach(async () => {
  now = START
  simulator = await startSimulator(simulateSalesforce, { clock: () => now })
  connection = new jsforce.Connection({ instanceUrl: simulator.url, accessToken: 'simulator', version: '66.0' })
})
afterEach(() => simulator.close())

type Row = Record<string, unknown>

async function create(object: string, fields: object): Promise<string> {
  const { id } = (await connection.sobject(object).create(fields as never)) as unknown as { id: string }
  return id
}

const lead = (LastName: string) => create('Lead', { LastName, Company: LastName })
const read = async (object: string, id: string) => (await connection.sobject(object).retrieve(id)) as unknown as Row
const queryAll = async (soql: string) => (await connection.query<Row>(soql, { scanAll: true })).records.map(({ attributes: _, ...row }) => row)
const time = (ms: number) => new Date(ms)
const shown = (ms: number) => new Date(ms).toISOString().replace('Z', '+0000')
const undelete = async (...ids: string[]) => (await connection.soap.undelete(ids)) as readonly Row[]
const purge = (body?: object) => fetch(`${simulator.url}/simulator/deleted/purge`, { method: 'POST', body: body ? JSON.stringify(body) : null })
const MINUTE_START = START - 30_000

describe('updated and deleted', () => {
  it('go by SystemModstamp in whole minutes, and say until when', async () => {
    const leads = connection.sobject('Lead')
    const [kept, gone] = [await lead('Hopper'), await lead('Lovelace')]
    now += 2 * MINUTE
    await leads.destroy(gone)
    expect(await leads.updated(time(START), time(now))).toEqual({ ids: [kept], latestDateCovered: shown(MINUTE_START + 2 * MINUTE) })
    expect((await leads.updated(time(START - MINUTE), time(START + 29_000))).ids).toEqual([])
    expect(await leads.deleted(time(START), time(now + DAY))).toEqual({
      deletedRecords: [{ id: gone, deletedDate: shown(now) }],
      earliestDateAvailable: shown(now - 15 * DAY),
      latestDateCovered: shown(MINUTE_START + 2 * MINUTE),
    })
    expect((await leads.deleted(time(START), time(now))).deletedRecords).toEqual([])
    for (const [from, to] of [
      [START, START],
      [START, START + MINUTE],
      [START - 31 * DAY, START],
    ] as const) {
      await expect(leads.updated(time(from), time(to))).rejects.toMatchObject({ errorCode: 'INVALID_REPLICATION_DATE' })
    }
  })

  it('cover nothing behind a write that is under way', async () => {
    simulator.faults.add('late-rows=600s')
    const late = await lead('Hopper')
    simulator.faults.clear()
    now += 5 * MINUTE
    const next = await lead('Lovelace')
    const leads = connection.sobject('Lead')
    const ask = () => leads.updated(time(START), time(now + MINUTE))
    expect(await ask()).toEqual({ ids: [next], latestDateCovered: shown(MINUTE_START) })
    now += 5 * MINUTE
    expect(await ask()).toEqual({ ids: [late, next], latestDateCovered: shown(MINUTE_START + 10 * MINUTE) })
  })

  it('forget a deletion after 15 days, as queryAll does', async () => {
    const leads = connection.sobject('Lead')
    await leads.destroy(await lead('Hopper'))
    const found = async () => [(await leads.deleted(time(START), time(now + DAY))).deletedRecords.length, (await queryAll('SELECT Id FROM Lead')).length]
    now += 15 * DAY
    expect(await found()).toEqual([1, 1])
    now += 1000
    expect(await found()).toEqual([0, 0])
  })

  it('refuse a start before a purge, after which the purged are nowhere', async () => {
    const leads = connection.sobject('Lead')
    const [first, second] = [await lead('Hopper'), await lead('Lovelace')]
    await leads.destroy(first)
    now += 10 * MINUTE
    await leads.destroy(second)
    const until = START + 5 * MINUTE
    expect(await (await purge({ until: time(until).toISOString() })).json()).toEqual({ purged: 1 })
    await expect(leads.deleted(time(START), time(now + MINUTE))).rejects.toMatchObject({ errorCode: 'INVALID_REPLICATION_DATE' })
    expect(await leads.deleted(time(until + MINUTE), time(now + MINUTE))).toMatchObject({
      deletedRecords: [{ id: second }],
      earliestDateAvailable: shown(until),
    })
    expect(await queryAll('SELECT Id FROM Lead')).toEqual([{ Id: second }])
    expect(await undelete(first)).toMatchObject([{ success: false }])
    expect((await purge()).status).toBe(200)
    expect(await queryAll('SELECT Id FROM Lead')).toEqual([])
    expect((await purge({ until: 'yesterday' })).status).toBe(400)
    await expect(read('Lead', second)).rejects.toMatchObject({ errorCode: 'NOT_FOUND' })
  })
})

describe('the recycle bin', () => {
  it('gives back a record with its children and the references to it', async () => {
    const account = await create('Account', { Name: 'Navy' })
    const branch = await create('Account', { Name: 'Fleet', ParentId: account })
    const [early, contact] = [
      await create('Contact', { LastName: 'Early', AccountId: account }),
      await create('Contact', { LastName: 'Hopper', AccountId: account }),
    ]
    const contacts = connection.sobject('Contact')
    await contacts.destroy(early)
    await connection.sobject('Account').destroy(account)
    expect(await undelete(contact, early)).toMatchObject([
      { id: contact, success: false, errors: [{ statusCode: 'UNDELETE_FAILED', message: 'Entity is not in the recycle bin' }] },
      { id: early, success: false },
    ])
    now += MINUTE
    expect(await undelete(account)).toMatchObject([{ id: account, success: true }])
    expect(await read('Account', account)).toMatchObject({ IsDeleted: false, SystemModstamp: shown(now) })
    expect(await read('Account', branch)).toMatchObject({ ParentId: account, SystemModstamp: shown(now), LastModifiedDate: shown(START) })
    expect(await queryAll('SELECT Id, IsDeleted FROM Contact ORDER BY Id')).toEqual([
      { Id: early, IsDeleted: true },
      { Id: contact, IsDeleted: false },
    ])
    expect((await contacts.updated(time(START), time(now + MINUTE))).ids).toEqual([contact])
    expect(await undelete(account, 'nonsense')).toMatchObject([{ success: false }, { success: false }])
  })

  it('counts members again', async () => {
    const campaign = await create('Campaign', { Name: 'Spring' })
    const person = await lead('Hopper')
    await create('CampaignMember', { CampaignId: campaign, LeadId: person })
    await connection.sobject('Lead').destroy(person)
    expect(await read('Campaign', campaign)).toMatchObject({ NumberOfLeads: 0 })
    await undelete(person)
    expect(await read('Campaign', campaign)).toMatchObject({ NumberOfLeads: 1 })
    expect((await connection.query('SELECT Id FROM CampaignMember')).totalSize).toBe(1)
  })

  it('is emptied for good, which queryAll shows for a day and the log of deletions for longer', async () => {
    const leads = connection.sobject('Lead')
    const id = await lead('Hopper')
    await leads.destroy(id)
    expect(await connection.soap.emptyRecycleBin([id])).toMatchObject([{ id, success: true }])
    expect(await undelete(id)).toMatchObject([{ success: false, errors: [{ statusCode: 'UNDELETE_FAILED' }] }])
    now += DAY
    expect(await queryAll('SELECT Id FROM Lead')).toEqual([{ Id: id }])
    now += 1
    expect(await queryAll('SELECT Id FROM Lead')).toEqual([])
    expect((await leads.deleted(time(START), time(now))).deletedRecords).toMatchObject([{ id }])
  })
})

describe('a merge', () => {
  const merge = async (type: string, Id: string, recordToMergeIds: string[], fields: object = {}) =>
    (await connection.soap.merge([{ masterRecord: { type, Id, ...fields }, recordToMergeIds } as never])) as unknown as readonly Row[]

  it('deletes the others, which say into what, and moves their children', async () => {
    const [master, one, two] = [await create('Account', { Name: 'Navy' }), await create('Account', { Name: 'navy' }), await create('Account', { Name: 'NAVY' })]
    const contact = await create('Contact', { LastName: 'Hopper', AccountId: one })
    const ticket = await create('Case', { Subject: 'Bug', AccountId: two })
    now += MINUTE
    const [result] = await merge('Account', master, [one, two], { Phone: '1' })
    expect(result).toMatchObject({ id: master, success: true, mergedRecordIds: [one, two] })
    expect(new Set(result?.updatedRelatedIds as string[])).toEqual(new Set([contact, ticket]))
    expect(await read('Account', master)).toMatchObject({ Name: 'Navy', Phone: '1', SystemModstamp: shown(now) })
    for (const [object, id] of [
      ['Contact', contact],
      ['Case', ticket],
    ] as const) {
      expect(await read(object, id)).toMatchObject({ AccountId: master, SystemModstamp: shown(now), LastModifiedDate: shown(START) })
    }
    expect(await queryAll('SELECT Id, MasterRecordId FROM Account WHERE IsDeleted = true AND MasterRecordId != null')).toEqual([
      { Id: one, MasterRecordId: master },
      { Id: two, MasterRecordId: master },
    ])
    expect((await connection.sobject('Account').deleted(time(START), time(now + MINUTE))).deletedRecords.map(({ id }) => id)).toEqual([one, two])
    await undelete(one)
    expect(await read('Account', one)).toMatchObject({ MasterRecordId: null })
    expect(await read('Contact', contact)).toMatchObject({ AccountId: master })
  })

  it('keeps one membership of a campaign', async () => {
    const [master, other] = [await lead('Hopper'), await lead('Murray')]
    const [both, others] = [await create('Campaign', { Name: 'Both' }), await create('Campaign', { Name: 'Others' })]
    for (const [CampaignId, LeadId] of [
      [both, master],
      [both, other],
      [others, other],
    ]) {
      await create('CampaignMember', { CampaignId, LeadId })
    }
    expect(await merge('Lead', master, [other])).toMatchObject([{ success: true }])
    const { records } = await connection.query<Row>('SELECT CampaignId, LeadId FROM CampaignMember ORDER BY CampaignId')
    expect(records).toMatchObject([
      { CampaignId: both, LeadId: master },
      { CampaignId: others, LeadId: master },
    ])
    expect(await read('Campaign', both)).toMatchObject({ NumberOfLeads: 1 })
  })

  it('is sent in elements named as in the WSDL, and refused without any', async () => {
    const send = async (content: string) => {
      const header = '<soapenv:Header><SessionHeader><sessionId>simulator</sessionId></SessionHeader></soapenv:Header>'
      const body = `<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/">${header}<soapenv:Body><merge>${content}</merge></soapenv:Body></soapenv:Envelope>`
      const headers = { 'content-type': 'text/xml', soapaction: '""' }
      const answer = await fetch(`${simulator.url}/services/Soap/u/66.0`, { method: 'POST', headers, body })
      return { status: answer.status, text: await answer.text() }
    }
    const [master, other] = [await lead('Hopper'), await lead('Murray')]
    const masterRecord = `<masterRecord><type>Lead</type><Id>${master}</Id></masterRecord>`
    const merged = await send(`<request>${masterRecord}<recordToMergeIds>${other}</recordToMergeIds></request>`)
    expect(merged).toMatchObject({ status: 200, text: expect.stringContaining(`<mergedRecordIds>${other}</mergedRecordIds>`) })
    expect((await connection.query('SELECT Id FROM Lead')).totalSize).toBe(1)
    for (const content of ['', masterRecord]) expect(await send(content)).toMatchObject({ status: 500, text: expect.stringContaining('MISSING_ARGUMENT') })
  })

  it('is refused as a whole where something is wrong', async () => {
    const [master, other] = [await lead('Hopper'), await lead('Murray')]
    const wrong = [[], [master], [other, master, other], [await create('Account', { Name: 'Navy' })]]
    for (const ids of wrong) expect(await merge('Lead', master, ids)).toMatchObject([{ id: master, success: false }])
    expect(await merge('Lead', master, [other], { Email: 'nonsense' })).toMatchObject([{ success: false, errors: [{ statusCode: 'INVALID_EMAIL_ADDRESS' }] }])
    expect(await merge('Case', await create('Case', {}), [await create('Case', {})])).toMatchObject([{ success: false }])
    expect((await connection.query('SELECT Id FROM Lead')).totalSize).toBe(2)
  })
})

it('the time of the server is the clock of the CRM', async () => {
  simulator.faults.add('clock-skew=60s')
  expect(await connection.soap.getServerTimestamp()).toEqual({ timestamp: time(START - MINUTE).toISOString() })
})
