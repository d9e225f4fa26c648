import { describe, expect, onTestFinished, test } from 'vitest'
import { recordType } from '../../../src/contract/operations.ts'
import { SEARCHED_TYPES } from '../../../src/contract/search.ts'
import { hasWords, searchedWords, searchTextOf } from '../../../src/contract/search-text.ts'
import { newRecord } from '../../../src/core/call/records.ts'
import type { SearchQuery, StoredRecord } from '../../../src/platforms/platform.ts'
import type { Store } from '../../../src/platforms/store.ts'
import { SHARED_STORES } from '../../support/shared-stores.ts'

const OWNERS = ['owner1', 'owner2', 'owner3']

/** What each type needs to be stored, beside the words of a test. */
const REQUIRED: { readonly [type: string]: object } = {
  Lead: { FirstName: 'F', LastName: 'L' },
  Opportunity: { OpportunityName: 'O', Stage: 'Prospecting', CloseDate: '2026-01-01' },
  Case: { Subject: 'S', Description: 'D' },
  Company: { CompanyName: 'C' },
  Contact: { LastName: 'L' },
  Campaign: { CampaignName: 'C' },
  CustomObject: { ObjectName: 'Boat', Values: {} },
}

const ADA = { FirstName: 'Ada', LastName: 'Lovelace', Email: 'ada@example.com', Phone: '+44 (0)20 7946 0958', Company: 'Analytical Engines' }

const FINDING_ADA = [
  'Ada',
  'LOVE',
  'lace',
  'ex',
  'lovelace ada',
  'engine',
  'ada@example.com',
  'Àdà',
  '02079460958',
  '+44 20 7946',
  '7946 0958',
  '00442079460958',
  'vel',
]
const NOT_FINDING_ADA = ['Grace', 'lovelaces', 'ada hopper', 'da', '', '  ', '%', '"', '*', "' OR 1 = 1", 'ada NOT grace', 'NEAR(ada)', '\u0000', '+']

async function stored(store: Store, type: string, values: object, workspace = 1): Promise<string> {
  const { id } = recordType(type)
  return store.write(workspace, async (writer) => {
    const record = newRecord(recordType(type), writer.newId(), { ...REQUIRED[type], OwnerID: OWNERS[0], ...values } as never) as StoredRecord
    await writer.create(type, record)
    return record[id] as string
  })
}

const found = async (store: Store, text: string, more: Partial<SearchQuery> = {}, workspace = 1) =>
  (await store.reader(workspace).search({ text, types: SEARCHED_TYPES, limit: 50, ...more })).map(
    ({ type, record }) => `${type} ${record[recordType(type).id]}`,
  )

/** The reference: every record is read and compared. */
async function scanned(store: Store, { text, types, owners, limit }: SearchQuery, workspace = 1): Promise<string[]> {
  const words = searchedWords(text)
  const all: string[] = []
  for (const type of SEARCHED_TYPES.filter((one) => types.includes(one))) {
    const { id, belongs } = recordType(type)
    const order = { field: id, descending: true }
    const { records } = await store.reader(workspace).find(type, { where: [], order, limit: 100_000 })
    const matching = records.filter(
      (record) => hasWords(searchTextOf(type, record), words) && (!owners || belongs === null || owners.includes(record[belongs] as string)),
    )
    all.push(...matching.slice(0, limit).map((record) => `${type} ${record[id]}`))
  }
  return all
}

describe.each(Object.entries(SHARED_STORES))('a search on %s', (_, prepare) => {
  async function opened(): Promise<Store> {
    const store = await (await prepare()).open()
    onTestFinished(() => store.close())
    await store.addWorkspace('default')
    return store
  }

  test('finds what was just written, by words, their beginnings and parts, in any spelling', async () => {
    const store = await opened()
    const lead = await stored(store, 'Lead', ADA)
    await stored(store, 'Lead', { FirstName: 'Grace', LastName: 'Hopper', Phone: '+1 555 0100' })
    for (const text of FINDING_ADA) expect(await found(store, text), text).toEqual([`Lead ${lead}`])
    for (const text of NOT_FINDING_ADA) expect(await found(store, text), text).not.toContain(`Lead ${lead}`)
  })

  test('finds records of every type, and of the types asked for only', async () => {
    const store = await opened()
    const names = { Lead: 'Company', Opportunity: 'NextStep', Case: 'Subject', Company: 'CompanyName', Contact: 'Title', Campaign: 'CampaignName' }
    const ids: string[] = []
    for (const [type, name] of Object.entries(names)) ids.push(`${type} ${await stored(store, type, { [name]: 'Zeppelin works' })}`)
    ids.push(`CustomObject ${await stored(store, 'CustomObject', { Values: { Harbour: 'Zeppelin quay', Length: 7 } })}`)
    expect(await found(store, 'zepp')).toEqual(ids)
    expect(await found(store, 'zepp', { types: ['Case', 'Note', 'Lead'] })).toEqual([ids[0], ids[2]])
  })

  test('follows updates, owners, deletes, undo and erasure', async () => {
    const store = await opened()
    const lead = await stored(store, 'Lead', ADA)
    const name = `Lead ${lead}`
    expect(await found(store, 'lovelace')).toEqual([name])
    await store.write(1, (writer) => writer.update('Lead', lead, { LastName: 'Byron' }))
    expect([await found(store, 'lovelace'), await found(store, 'byron')]).toEqual([[], [name]])
    await store.write(1, (writer) => writer.update('Lead', lead, { OwnerID: OWNERS[1] as string }))
    expect([await found(store, 'byron', { owners: [OWNERS[0] as string] }), await found(store, 'byron', { owners: OWNERS })]).toEqual([[], [name]])
    const record = (await store.reader(1).get('Lead', lead)) as StoredRecord
    await store.write(1, (writer) => writer.delete('Lead', lead))
    expect(await found(store, 'byron')).toEqual([])
    await store.write(1, (writer) => writer.restore('Lead', record))
    expect(await found(store, 'byron')).toEqual([name])
    await store.write(1, (writer) => writer.erase('Lead', lead))
    expect(await found(store, 'byron')).toEqual([])
  })

  test('sees one workspace only', async () => {
    const store = await opened()
    await store.addWorkspace('other')
    const [here, there] = [await stored(store, 'Lead', ADA), await stored(store, 'Lead', ADA, 2)]
    expect([await found(store, 'ada'), await found(store, 'ada', {}, 2)]).toEqual([[`Lead ${here}`], [`Lead ${there}`]])
  })

  test('answers as a scan does, newest first and no more than the limit, whatever was written', async () => {
    const store = await opened()
    const random = randomFrom(17)
    const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T
    const words = [
      'ada',
      'Adam',
      'Lovelace',
      'love',
      'Müller',
      'mueller',
      'Straße',
      'x',
      'no',
      '東京',
      '東京都',
      'é',
      '0958',
      '020 7946 0958',
      'ada@example.com',
      'ŁÓDŹ',
      'a.b-c',
      'Ωmega',
      '𝒜da',
      'Ünïcödé12345',
    ]
    const sentence = () => Array.from({ length: 1 + Math.floor(random() * 3) }, () => pick(words)).join(pick([' ', '-', ', ']))
    const live: { readonly type: string; readonly id: string }[] = []
    for (let step = 0; step < 300; step++) {
      const action = random()
      const one = pick(live)
      if (action < 0.6 || !one) {
        const type = pick(['Lead', 'Lead', 'Contact', 'CustomObject'])
        const values =
          type === 'CustomObject'
            ? { Values: { Text: sentence() } }
            : { LastName: sentence(), Email: pick([null, 'jo.bloggs@mail.example']), Phone: pick([null, '+49 (0)30 12 34 567']) }
        live.push({ type, id: await stored(store, type, { ...values, OwnerID: pick(OWNERS) }) })
      } else if (action < 0.8) {
        const values: StoredRecord = one.type === 'CustomObject' ? { Values: { Text: sentence() } } : { LastName: sentence() }
        await store.write(1, (writer) => writer.update(one.type, one.id, { ...values, OwnerID: pick(OWNERS) }))
      } else {
        const record = (await store.reader(1).get(one.type, one.id)) as StoredRecord
        await store.write(1, (writer) => writer.delete(one.type, one.id))
        if (action < 0.9) await store.write(1, (writer) => writer.restore(one.type, record))
        else live.splice(live.indexOf(one), 1)
      }
      if (step % 3 > 0) continue
      const text = pick([sentence(), pick(words).slice(0, 2), pick(words).slice(1), pick(words).toUpperCase(), '+49 30 1234567', '30 12'])
      const query = { text, types: SEARCHED_TYPES, limit: pick([1, 3, 1000]), ...(random() < 0.5 && { owners: [pick(OWNERS), pick(OWNERS)] }) }
      expect(await found(store, text, query), text).toEqual(await scanned(store, query))
    }
  })

  test('finds after a restart what a process has left unindexed', async () => {
    const { open } = await prepare()
    const first = await open()
    await first.addWorkspace('default')
    const lead = await stored(first, 'Lead', ADA)
    await first.close()
    const again = await open()
    onTestFinished(() => again.close())
    expect(await found(again, 'lovelace')).toEqual([`Lead ${lead}`])
  })

  test('finds what another process has just written', async () => {
    const { open } = await prepare()
    const [one, other] = [await open(), await open()]
    onTestFinished(async () => {
      await one.close()
      await other.close()
    })
    await one.addWorkspace('default')
    const ids = await Promise.all([one, other, one, other].map((store) => stored(store, 'Lead', ADA)))
    const names = ids
      .map((id) => `Lead ${id}`)
      .sort()
      .reverse()
    expect([await found(one, 'lovelace'), await found(other, 'lovelace')]).toEqual([names, names])
  })
})

/** Numbers that are the same in each run. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return state / 2 ** 31
  }
}
