import { beforeAll, describe, expect, it } from 'vitest'
import { salesforce } from './salesforce-client.ts'

const { simulator, send, id, query, wrong } = salesforce()

const ids: { [name: string]: string } = {}

/** The last names that a condition finds, in order. */
async function names(where: string): Promise<string[]> {
  const { records } = await query<{ readonly LastName: string }>(`SELECT LastName FROM Lead ${where}`)
  return records.map(({ LastName }) => LastName)
}

beforeAll(async () => {
  const user = await id('User', { Username: 'ada@navy.example', LastName: 'Lovelace', FirstName: 'Ada' })
  const lead = async (LastName: string, more: object) => {
    ids[LastName] = await id('Lead', { LastName, Company: 'Navy', ...more })
  }
  await lead('Anna', { Rating: 'Cold', AnnualRevenue: 10, Email: 'anna@navy.example', Status: 'Working - Contacted' })
  await lead('berta', { Rating: 'Hot', AnnualRevenue: 30, OwnerId: user, Title: '100% of a_b' })
  await lead('Carl', { Rating: 'Lukewarm', AnnualRevenue: 20, Description: 'long', Title: "O'Brien \\ Sons" })
  await lead('dora', { Status: 'Nonsense', Title: 'axb' })
  ids.campaign = await id('Campaign', { Name: 'Autumn', StartDate: '2026-03-05' })
  await id('CampaignMember', { LeadId: ids.Anna, CampaignId: ids.campaign })
  await id('Note', { ParentId: ids.Anna, Title: 'First' })
  await id('Note', { ParentId: ids.Anna, Title: 'Second' })
})

describe('conditions', () => {
  it.each([
    ["WHERE LastName = 'BERTA'", ['berta']],
    ["WHERE LastName != 'anna'", ['berta', 'Carl', 'dora']],
    ["WHERE LastName > 'b' AND LastName <= 'Carl'", ['berta', 'Carl']],
    ["WHERE LastName IN ('anna', 'DORA')", ['Anna', 'dora']],
    ["WHERE Rating NOT IN ('Hot')", ['Anna', 'Carl', 'dora']],
    ["WHERE LastName LIKE '%A'", ['Anna', 'berta', 'dora']],
    ["WHERE Title LIKE 'a_b'", ['dora']],
    ["WHERE Title LIKE '%a\\_b'", ['berta']],
    ["WHERE Title LIKE '100\\%%'", ['berta']],
    ["WHERE Title = 'O\\'Brien \\\\ Sons'", ['Carl']],
    ["WHERE NOT LastName LIKE '%a'", ['Carl']],
    ["WHERE (NOT Title LIKE 'a%') AND AnnualRevenue = null", []],
    ['WHERE Email = null AND Rating != null', ['berta', 'Carl']],
    ["WHERE Email = ''", ['berta', 'Carl', 'dora']],
    ['WHERE AnnualRevenue >= 20 AND (Rating = null OR AnnualRevenue < 30)', ['Carl']],
    ['WHERE AnnualRevenue IN (10, 20.0)', ['Anna', 'Carl']],
    ['WHERE IsConverted = false AND IsDeleted = FALSE', ['Anna', 'berta', 'Carl', 'dora']],
    ['WHERE CreatedDate = TODAY AND CreatedDate >= LAST_N_DAYS:1 AND CreatedDate < TOMORROW', ['Anna', 'berta', 'Carl', 'dora']],
    ['WHERE CreatedDate = YESTERDAY OR CreatedDate > NEXT_N_MONTHS:2 OR CreatedDate < THIS_YEAR', []],
    ['WHERE CreatedDate > 2020-01-01T00:00:00Z AND CreatedDate < 2999-01-01T00:00:00.000+02:00', ['Anna', 'berta', 'Carl', 'dora']],
    ['WHERE CALENDAR_YEAR(CreatedDate) > 2000 AND DAY_ONLY(CreatedDate) > 2000-01-01', ['Anna', 'berta', 'Carl', 'dora']],
    ["WHERE Owner.Name = 'ada lovelace'", ['berta']],
    ["WHERE Owner.Profile.Name = 'Standard User'", ['berta']],
    ["WHERE Id IN (SELECT LeadId FROM CampaignMember WHERE Campaign.Name = 'autumn')", ['Anna']],
    ['WHERE Id NOT IN (SELECT LeadId FROM CampaignMember)', ['berta', 'Carl', 'dora']],
    ["WHERE Lead.LastName = 'Anna'", ['Anna']],
  ])('%s', async (where, found) => {
    expect(await names(where)).toEqual(found)
  })

  it('takes ids in both forms, and only exactly', async () => {
    const long = ids.Anna ?? ''
    expect(await names(`WHERE Id = '${long}'`)).toEqual(['Anna'])
    expect(await names(`WHERE Id IN ('${long.slice(0, 15)}')`)).toEqual(['Anna'])
    expect(await names(`l WHERE l.Id > '${long}'`)).toEqual(['berta', 'Carl', 'dora'])
    expect(await names(`WHERE Id = '${ids.campaign}'`)).toEqual([])
    expect(await wrong("SELECT Id FROM Lead WHERE Id = 'abc'")).toMatchObject({ errorCode: 'INVALID_QUERY_FILTER_OPERATOR' })
  })
})

describe('order and pages', () => {
  it.each([
    ['ORDER BY LastName', ['Anna', 'berta', 'Carl', 'dora']],
    ['ORDER BY LastName DESC', ['dora', 'Carl', 'berta', 'Anna']],
    // Picklists are in the order of their values, and what is not among them comes last.
    ['ORDER BY Rating NULLS LAST', ['berta', 'Anna', 'Carl', 'dora']],
    ['ORDER BY AnnualRevenue ASC', ['dora', 'Anna', 'Carl', 'berta']],
    ['ORDER BY AnnualRevenue DESC NULLS LAST, LastName', ['berta', 'Carl', 'Anna', 'dora']],
    ['ORDER BY Owner.LastName, LastName DESC LIMIT 2', ['berta', 'dora']],
    ['ORDER BY LastName LIMIT 2 OFFSET 1', ['berta', 'Carl']],
    ['ORDER BY LastName LIMIT 1 FOR VIEW', ['Anna']],
    ['LIMIT 0', []],
  ])('%s', async (rest, found) => {
    expect(await names(rest)).toEqual(found)
  })
})

describe('what is shown', () => {
  it('has relationships as objects', async () => {
    const { records } = await query('SELECT owner.name, Owner.Profile.Name, lastname FROM lead ORDER BY Id LIMIT 1')
    expect(records).toEqual([
      {
        attributes: { type: 'Lead', url: `/services/data/v66.0/sobjects/Lead/${ids.Anna}` },
        Owner: {
          attributes: { type: 'Name', url: expect.stringContaining('/sobjects/User/005') },
          Name: 'Integration User',
          Profile: { attributes: { type: 'Profile', url: expect.any(String) }, Name: 'System Administrator' },
        },
        LastName: 'Anna',
      },
    ])
    const [member] = (await query('SELECT Id, Contact.Name, Lead.Name, Campaign.Name, Status, Name FROM CampaignMember')).records
    expect(member).toMatchObject({ Contact: null, Lead: { Name: 'Anna' }, Campaign: { Name: 'Autumn' }, Status: 'Sent', Name: 'Anna' })
  })

  it('has children as lists', async () => {
    const { records } = await query(
      "SELECT LastName, (SELECT Title FROM Notes WHERE Title != 'x' ORDER BY Title DESC), (SELECT Status FROM CampaignMembers) FROM Lead ORDER BY Id LIMIT 2",
    )
    expect(records[0]).toMatchObject({
      Notes: { totalSize: 2, done: true, records: [{ Title: 'Second' }, { Title: 'First' }] },
      CampaignMembers: { totalSize: 1 },
    })
    expect(records[1]).toMatchObject({ LastName: 'berta', Notes: null, CampaignMembers: null })
  })

  it('has all fields where they are asked for', async () => {
    const { records } = await query('SELECT FIELDS(ALL) FROM Lead LIMIT 1')
    expect(Object.keys(records[0] ?? {})).toHaveLength(56)
    expect((await query('SELECT FIELDS(STANDARD) FROM Case')).totalSize).toBe(0)
    expect((await wrong('SELECT FIELDS(ALL) FROM Lead')).message).toContain('LIMIT of at most 200')
  })

  it('leaves deleted records to queryAll', async () => {
    const gone = await id('Campaign', { Name: 'Gone' })
    expect((await send('DELETE', `/sobjects/Campaign/${gone}`)).status).toBe(204)
    expect((await query("SELECT Id FROM Campaign WHERE Name = 'Gone'")).totalSize).toBe(0)
    const { body } = await send<{ readonly records: unknown[] }>(
      'GET',
      `/queryAll?q=${encodeURIComponent("SELECT Id, IsDeleted FROM Campaign WHERE Name = 'Gone'")}`,
    )
    expect(body.records).toMatchObject([{ Id: gone, IsDeleted: true }])
  })
})

describe('groups', () => {
  async function groups(soql: string): Promise<object[]> {
    const { records } = await query(soql)
    for (const { attributes } of records) expect(attributes).toEqual({ type: 'AggregateResult' })
    return records.map(({ attributes, ...rest }) => rest)
  }

  it.each([
    ['SELECT Status, COUNT(Id) FROM Lead GROUP BY Status HAVING COUNT(Id) > 1', [{ Status: 'Open - Not Contacted', expr0: 2 }]],
    [
      'SELECT COUNT(Rating), COUNT_DISTINCT(Company) c, COUNT(Id) n, MIN(LastName), MAX(AnnualRevenue) FROM Lead',
      [{ expr0: 3, c: 1, n: 4, expr1: 'Anna', expr2: 30 }],
    ],
    [
      'SELECT Owner.Name, SUM(AnnualRevenue) s FROM Lead GROUP BY Owner.Name ORDER BY SUM(AnnualRevenue) DESC, Owner.Name',
      [
        { Name: 'Ada Lovelace', s: 30 },
        { Name: 'Integration User', s: 30 },
      ],
    ],
    [
      'SELECT CALENDAR_YEAR(StartDate) y, CALENDAR_MONTH(StartDate), COUNT(Id) FROM Campaign GROUP BY CALENDAR_YEAR(StartDate), CALENDAR_MONTH(StartDate)',
      [{ y: 2026, expr0: 3, expr1: 1 }],
    ],
    ['SELECT SUM(Amount) FROM Opportunity', [{ expr0: null }]],
    ['SELECT StageName FROM Opportunity GROUP BY StageName', []],
    ['SELECT Rating FROM Lead WHERE Rating != null GROUP BY Rating ORDER BY Rating LIMIT 2 OFFSET 1', [{ Rating: 'Cold' }, { Rating: 'Lukewarm' }]],
  ])('%s', async (soql, found) => {
    expect(await groups(soql)).toEqual(found)
  })

  it('are no more than a page', async () => {
    for (let batch = 0; batch < 11; batch++) {
      const records = Array.from({ length: 200 }, (_, at) => ({ attributes: { type: 'Account' }, Name: `${batch} ${at}` }))
      await send('POST', '/composite/sobjects', { records })
    }
    expect(await wrong('SELECT Name FROM Account GROUP BY Name')).toEqual({
      message: 'Aggregate query does not support queryMore(), use LIMIT to restrict the results to a single batch',
      errorCode: 'EXCEEDED_ID_LIMIT',
    })
    expect((await query('SELECT Name FROM Account GROUP BY Name LIMIT 2000')).totalSize).toBe(2000)
    expect((await query('SELECT Id FROM Account OFFSET 0')).totalSize).toBe(2000)
    expect((await query('SELECT Id FROM Account')).totalSize).toBe(2200)
  })
})

describe('what is wrong', () => {
  it('is told with the place', async () => {
    expect(await wrong('select count() from XYZZY')).toEqual({
      message:
        "\nselect count() from XYZZY\n                    ^\nERROR at Row:1:Column:21\nsObject type 'XYZZY' is not supported. If you are attempting to use a custom object, be sure to append the '__c' after the entity name. Please reference your WSDL or the describe call for the appropriate names.",
      errorCode: 'INVALID_TYPE',
    })
    expect(await wrong('SELECT Id, Foo FROM Lead')).toMatchObject({
      message: expect.stringMatching(/^\nSELECT Id, Foo FROM Lead\n {11}\^\nERROR at Row:1:Column:12\nNo such column 'Foo' on entity 'Lead'\./),
      errorCode: 'INVALID_FIELD',
    })
  })

  it.each([
    ['SELEC Id FROM Lead', 'MALFORMED_QUERY', "unexpected token: 'SELEC'"],
    ['SELECT Id FROM Lead WHERE', 'MALFORMED_QUERY', 'unexpected token: <EOF>'],
    ["SELECT Id FROM Lead WHERE LastName = 'O'Brien'", 'MALFORMED_QUERY', ''],
    ["SELECT Id FROM Lead WHERE LastName = 'a", 'MALFORMED_QUERY', ''],
    ["SELECT Id FROM Lead WHERE LastName = '\\x'", 'MALFORMED_QUERY', ''],
    ["SELECT Id FROM Lead WHERE Name = 'a' AND Name = 'b' OR Name = 'c'", 'MALFORMED_QUERY', "unexpected token: 'OR'"],
    [`SELECT Id FROM Lead WHERE ${'('.repeat(40_000)}Id = null`, 'MALFORMED_QUERY', 'nested'],
    ["SELECT Id FROM Lead WHERE Description = 'a'", 'INVALID_FIELD', "field 'Description' can not be filtered in a query call"],
    ['SELECT Id FROM Lead ORDER BY Description', 'MALFORMED_QUERY', "field 'Description' can not be sorted in a query call"],
    ['SELECT Description FROM Lead GROUP BY Description', 'MALFORMED_QUERY', "field 'Description' can not be grouped in a query call"],
    ['SELECT CreatedDate FROM Lead GROUP BY CreatedDate', 'MALFORMED_QUERY', 'can not be grouped'],
    ['SELECT Status, COUNT(Id) FROM Lead', 'MALFORMED_QUERY', 'Field must be grouped or aggregated: Status'],
    ['SELECT COUNT(Id) FROM Lead LIMIT 1', 'MALFORMED_QUERY', 'Non-grouped query'],
    ['SELECT SUM(LastName) FROM Lead', 'MALFORMED_QUERY', 'does not support aggregate operator SUM'],
    ['SELECT Nobody.Name FROM Lead', 'INVALID_FIELD', "Didn't understand relationship 'Nobody'"],
    ['SELECT Id, (SELECT Id FROM Things) FROM Lead', 'INVALID_TYPE', "Didn't understand relationship 'Things'"],
    ["SELECT Id FROM Lead WHERE AnnualRevenue = '5'", 'INVALID_FIELD', 'must be of type double and should not be enclosed in quotes'],
    ['SELECT Id FROM Lead WHERE LastName = 5', 'INVALID_FIELD', 'must be of type string and should be enclosed in quotes'],
    ["SELECT Id FROM Lead WHERE CreatedDate = '2026-01-01T00:00:00Z'", 'INVALID_FIELD', 'must be of type dateTime and should not be enclosed in quotes'],
    ['SELECT Id FROM Lead WHERE CreatedDate = 2026-01-01', 'INVALID_FIELD', 'must be of type dateTime'],
    ['SELECT Id FROM Campaign WHERE StartDate = 2026-02-30', 'INVALID_FIELD', 'must be of type date'],
    ['SELECT Id FROM Lead WHERE IsConverted = SOMEDAY', 'MALFORMED_QUERY', "unexpected token: 'SOMEDAY'"],
    ["SELECT Id FROM Lead WHERE CreatedDate LIKE '2026%'", 'INVALID_QUERY_FILTER_OPERATOR', 'invalid operator on datetime field'],
    ["SELECT Id FROM Lead WHERE Rating INCLUDES ('Hot')", 'INVALID_FIELD', 'multipicklist'],
    ['SELECT Id FROM Lead OFFSET 2001', 'NUMBER_OUTSIDE_VALID_RANGE', 'Maximum SOQL offset allowed is 2000'],
    ['SELECT Id, Id FROM Lead', 'MALFORMED_QUERY', 'duplicate field selected: Id'],
    ['SELECT Id FROM ContentDocumentLink', 'MALFORMED_QUERY', 'Implementation restriction'],
    ['SELECT Id FROM CustomField', 'INVALID_TYPE', 'not supported'],
    [`SELECT Id FROM Lead WHERE Name = '${'x'.repeat(100_000)}'`, 'MALFORMED_QUERY', 'cannot be longer'],
  ])('%.80s', async (soql, errorCode, message) => {
    // Longer ones do not fit a line of a request, and are sent inside another.
    const url = `/services/data/v66.0/query?q=${encodeURIComponent(soql)}`
    const { body } = await send<{ readonly compositeResponse: readonly { readonly body: readonly unknown[]; readonly httpStatusCode: number }[] }>(
      'POST',
      '/composite',
      {
        compositeRequest: [{ method: 'GET', url, referenceId: 'r' }],
      },
    )
    expect(body.compositeResponse[0]).toMatchObject({ httpStatusCode: 400, body: [{ errorCode, message: expect.stringContaining(message) }] })
  })
})

it('answers over many records, and to a pattern that would take a backtracking matcher for ever', async () => {
  for (let batch = 0; batch < 20; batch++) {
    const records = Array.from({ length: 200 }, (_, at) => ({ attributes: { type: 'Contact' }, LastName: 'a'.repeat(60), Title: `${batch * 200 + at}` }))
    await send('POST', '/composite/sobjects', { records })
  }
  expect((await query(`SELECT Id FROM Contact WHERE LastName LIKE '${'%a'.repeat(40)}%b'`)).totalSize).toBe(0)
  const last = await query("SELECT Id FROM Contact WHERE Title = '3999' ORDER BY CreatedDate, Id LIMIT 1")
  expect(last.totalSize).toBe(1)
  expect(simulator().simulated.state()).toMatchObject({ records: { Contact: 4000 } })
})
