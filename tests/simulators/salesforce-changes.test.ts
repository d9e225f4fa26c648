import { type Simulator, startSimulator } from 'crm-simulators'
import { simulateSalesforce } from 'crm-simulators/salesforce'
import jsforce from 'jsforce'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const START = Date.parse('2026-06-01T12:00:00.500Z')
const MINUTE = 60_000

/** The clock stands still, except where a test advances it. */
let simulator: Simulator
let connection: jsforce.Connection
beforeEach(async () => {
  simulator = await startSimulator(simulateSalesforce, { clock: () => START })
  connection = connect('simulator')
})
afterEach(() => simulator.close())

const connect = (accessToken: string) => new jsforce.Connection({ instanceUrl: simulator.url, accessToken, version: '66.0' })

type Row = Record<string, unknown>

async function create(object: string, fields: object): Promise<string> {
  const { id } = (await connection.sobject(object).create(fields as never)) as unknown as { id: string }
  return id
}

const lead = (LastName: string) => create('Lead', { LastName, Company: LastName })
const read = async (object: string, id: string) => (await connection.sobject(object).retrieve(id)) as unknown as Row
const names = async (soql = 'SELECT Name FROM Lead ORDER BY Id') => (await connection.query<Row>(soql)).records.map(({ Name }) => Name)

/** A date and time on the day of the start. */
const at = (time: string) => `2026-06-01T${time}.000+0000`

describe('times of changes', () => {
  it('are in whole seconds, and those of people stay where the CRM changes something by itself', async () => {
    const campaign = await create('Campaign', { Name: 'Spring' })
    const person = await lead('Hopper')
    await simulator.advance(90_000)
    await create('CampaignMember', { CampaignId: campaign, LeadId: person })
    expect(await read('Campaign', campaign)).toMatchObject({ NumberOfLeads: 1, LastModifiedDate: at('12:00:00'), SystemModstamp: at('12:01:30') })
  })

  it('move by the deletion of a record that others refer to', async () => {
    const parent = await create('Account', { Name: 'Navy' })
    const child = await create('Account', { Name: 'Fleet', ParentId: parent })
    await simulator.advance(MINUTE)
    await connection.sobject('Account').destroy(parent)
    expect(await read('Account', child)).toMatchObject({ ParentId: null, LastModifiedDate: at('12:00:00'), SystemModstamp: at('12:01:00') })
  })

  it('name the user whose session it was', async () => {
    const other = await create('User', { Username: 'grace@navy.example', LastName: 'Hopper' })
    const id = await lead('Lovelace')
    const others = new jsforce.Connection({ loginUrl: simulator.url })
    await others.login('grace@navy.example', 'simulator')
    await others.sobject('Lead').update({ Id: id, Rating: 'Hot' })
    const { CreatedById, LastModifiedById } = await read('Lead', id)
    expect({ LastModifiedById, own: CreatedById === other }).toEqual({ LastModifiedById: other, own: false })
    await others.sobject('Lead').destroy(id)
    const { records } = await connection.query<Row>('SELECT LastModifiedById FROM Lead', { scanAll: true })
    expect(records).toMatchObject([{ LastModifiedById: other }])
  })

  it('are shared by many with same-stamp, and behind with clock-skew', async () => {
    simulator.faults.add('same-stamp=60s')
    await simulator.advance(59_000)
    expect(await read('Lead', await lead('Hopper'))).toMatchObject({ CreatedDate: at('12:00:00'), SystemModstamp: at('12:00:00') })
    simulator.faults.add('clock-skew=61s')
    expect(await read('Lead', await lead('Lovelace'))).toMatchObject({ CreatedDate: at('11:59:00'), SystemModstamp: at('11:59:00') })
    expect((await fetch(`${simulator.url}/services/data`)).headers.get('date')).toBe('Mon, 01 Jun 2026 11:59:58 GMT')
  })
})

describe('late rows', () => {
  it('appear behind what was written after them, and at once where they are read by id', async () => {
    simulator.faults.add('late-rows=30s:POST')
    const id = await lead('Hopper')
    simulator.faults.clear()
    await simulator.advance(1000)
    await lead('Lovelace')
    expect(await read('Lead', id)).toMatchObject({ Name: 'Hopper', SystemModstamp: at('12:00:00') })
    expect(await names()).toEqual(['Lovelace'])
    expect(await names(`SELECT Name FROM Lead WHERE Id = '${id}'`)).toEqual([])
    await simulator.advance(29_000)
    expect(await names()).toEqual(['Hopper', 'Lovelace'])
  })

  it('show as they were before, in queries by any field', async () => {
    const account = await create('Account', { Name: 'Navy' })
    const id = await create('Contact', { LastName: 'Hopper', AccountId: account })
    simulator.faults.add('late-rows=30s')
    await connection.sobject('Contact').update({ Id: id, LastName: 'Murray', AccountId: null } as never)
    const byAccount = `SELECT Name FROM Contact WHERE AccountId = '${account}'`
    expect(await names(byAccount)).toEqual(['Hopper'])
    expect((await connection.query<Row>('SELECT Name, (SELECT Name FROM Contacts) FROM Account')).records).toMatchObject([
      { Contacts: { records: [{ Name: 'Hopper' }] } },
    ])
    await connection.sobject('Contact').destroy(id)
    expect(await names(byAccount)).toEqual(['Hopper'])
    await simulator.advance(30_000)
    expect(await names('SELECT Name FROM Contact')).toEqual([])
  })

  it('leave nothing behind where a request is rolled back', async () => {
    simulator.faults.add('late-rows=30s')
    const records = [{ LastName: 'Hopper', Company: 'Navy' }, { LastName: 'Nobody' }]
    await connection.sobject('Lead').create(records as never, { allOrNone: true })
    await simulator.advance(30_000)
    expect(await names()).toEqual([])
  })
})
