import { describe, expect, it } from 'vitest'
import { salesforce } from './salesforce-client.ts'

const { simulator, connect, send } = salesforce()

describe('the Bulk API 2.0', () => {
  it('answers jsforce with every record, in CSV', async () => {
    simulator().simulated.reset()
    const connection = connect()
    const names = Array.from({ length: 450 }, (_, at) => `Account "${at}", Ltd.`)
    for (let from = 0; from < names.length; from += 200)
      await connection.sobject('Account').create(names.slice(from, from + 200).map((Name) => ({ Name, Description: 'two\nlines' })))
    connection.bulk2.pollInterval = 10
    const stream = await connection.bulk2.query('SELECT Id, Name, Description, Phone, Owner.Name, CreatedDate FROM Account ORDER BY Id')
    const records = (await stream.toArray()) as Record<string, string>[]
    expect(records.map(({ Name }) => Name)).toEqual(names)
    expect(records[0]).toEqual({
      Id: expect.stringMatching(/^001/),
      Name: names[0],
      Description: 'two\nlines',
      Phone: '',
      'Owner.Name': 'Integration User',
      CreatedDate: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/),
    })
  })

  it('goes on by its locator, does not count against the daily limit, and forgets a job that is deleted', async () => {
    simulator().simulated.reset()
    const accounts = { records: ['A', 'B', 'C'].map((Name) => ({ attributes: { type: 'Account' }, Name })) }
    const { headers: before } = await send('POST', '/composite/sobjects', accounts)
    const { body: job } = await send<{ id: string; state: string }>('POST', '/jobs/query', { operation: 'query', query: 'SELECT Name FROM Account' })
    expect(job).toMatchObject({ id: expect.stringMatching(/^750/), state: 'UploadComplete', object: 'Account' })
    expect((await send('GET', `/jobs/query/${job.id}/results`)).status).toBe(400)
    expect((await send('GET', `/jobs/query/${job.id}`)).body).toMatchObject({ state: 'JobComplete', numberRecordsProcessed: 3 })
    const first = await send<string>('GET', `/jobs/query/${job.id}/results?maxRecords=2`)
    expect(first.body).toBe('"Name"\n"A"\n"B"\n')
    expect(first.headers.get('sforce-numberofrecords')).toBe('2')
    const last = await send<string>('GET', `/jobs/query/${job.id}/results?maxRecords=2&locator=${first.headers.get('sforce-locator')}`)
    expect(last.body).toBe('"Name"\n"C"\n')
    expect(last.headers.get('sforce-locator')).toBe('null')
    expect(last.headers.get('sforce-limit-info')).toBe(before.get('sforce-limit-info'))
    const { body: other } = await send<{ id: string }>('POST', '/jobs/query', { operation: 'query', query: 'SELECT name, owner.NAME FROM Account LIMIT 1' })
    await send('GET', `/jobs/query/${other.id}`)
    expect((await send('GET', `/jobs/query/${other.id}/results`)).body).toBe('"name","owner.NAME"\n"A","Integration User"\n')
    expect((await send('DELETE', `/jobs/query/${job.id}`)).status).toBe(204)
    expect((await send('GET', `/jobs/query/${job.id}`)).status).toBe(404)
  })

  it.each(['SELECT COUNT() FROM Account', 'SELECT Name, COUNT(Id) FROM Account GROUP BY Name', 'SELECT Id, (SELECT Id FROM Contacts) FROM Account'])(
    'refuses what bulk queries cannot: %s',
    async (query) => {
      expect(await send('POST', '/jobs/query', { operation: 'query', query })).toMatchObject({ status: 400, body: [{ errorCode: 'API_ERROR' }] })
    },
  )
})

describe('queries of jsforce', () => {
  it('GROUP BY ROLLUP adds subtotals and a total', async () => {
    simulator().simulated.reset()
    const connection = connect()
    const deal = (StageName: string, Type: string, Amount: number) => ({ Name: 'Deal', StageName, Type, CloseDate: '2026-12-31', Amount })
    await connection
      .sobject('Opportunity')
      .create([deal('Prospecting', 'New Customer', 1), deal('Prospecting', 'Other', 2), deal('Closed Won', 'Other', 4), deal('Closed Won', 'Other', 8)])
    const soql = 'SELECT StageName s, Type t, GROUPING(Type) g, COUNT(Id) n, SUM(Amount) total FROM Opportunity GROUP BY ROLLUP(StageName, Type)'
    const { records } = await connection.query(soql)
    expect(records.map(({ attributes: _, ...row }) => Object.values(row))).toEqual([
      ['Prospecting', 'New Customer', 0, 1, 1],
      ['Prospecting', 'Other', 0, 1, 2],
      ['Closed Won', 'Other', 0, 2, 12],
      ['Prospecting', null, 1, 2, 3],
      ['Closed Won', null, 1, 2, 12],
      [null, null, 1, 4, 15],
    ])
    await expect(connection.query('SELECT GROUPING(Type) g FROM Opportunity GROUP BY Type')).rejects.toMatchObject({ errorCode: 'MALFORMED_QUERY' })
  })

  it('TYPEOF shows fields by the object of a related record', async () => {
    simulator().simulated.reset()
    const connection = connect()
    const account = await connection.sobject('Account').create({ Name: 'Navy', Phone: '1' })
    const deal = await connection.sobject('Opportunity').create({ Name: 'Ship', StageName: 'Prospecting', CloseDate: '2026-12-31', Amount: 5 })
    const lead = await connection.sobject('Lead').create({ LastName: 'Hopper', Company: 'Navy' })
    for (const WhatId of [account.id, deal.id]) await connection.sobject('Task').create({ Subject: 'Call', WhatId })
    await connection.sobject('Task').create({ Subject: 'Call', WhoId: lead.id })
    const soql = 'SELECT Subject, TYPEOF What WHEN Account THEN Name, Phone WHEN Opportunity THEN Amount END FROM Task ORDER BY Id'
    const { records } = await connection.query<{ What: unknown }>(soql)
    expect(records.map(({ What }) => What)).toEqual([
      { attributes: { type: 'Account', url: expect.any(String) }, Name: 'Navy', Phone: '1' },
      { attributes: { type: 'Opportunity', url: expect.any(String) }, Amount: 5 },
      null,
    ])
    const { records: others } = await connection.query<{ What: unknown }>('SELECT TYPEOF What WHEN Account THEN Phone ELSE Name END FROM Task ORDER BY Id')
    expect(others[1]?.What).toMatchObject({ Name: 'Ship' })
    await expect(connection.query('SELECT TYPEOF Account WHEN Account THEN Name END FROM Contact')).rejects.toMatchObject({ errorCode: 'INVALID_FIELD' })
  })
})
