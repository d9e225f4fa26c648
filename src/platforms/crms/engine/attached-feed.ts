import { recordType } from '../../../contract/operations.ts'
import type { AttachedFeed, AttachedRecord, Condition, StoredRecord } from '../../platform.ts'
import { type Account, toOurRecord } from './account.ts'
import type { AttachedPage, AttachedType, Changed, DriverPage } from './driver.ts'
import { DriverError } from './errors.ts'
import { NO_USER_IDS } from './reader.ts'

/** What an account tells of notes, comments and memberships; undefined where it does not. */
export function attachedFeedOf(account: Account): AttachedFeed | undefined {
  const { driver } = account
  const { attached, getAttached, attachedTo, countAttached, findAttached, campaignSizes } = driver
  if (!attached || !getAttached || !attachedTo) return undefined
  const size = driver.supports.page

  const ours = (type: string, { record, at, on }: Changed): AttachedRecord => ({ record: toOurRecord(account, NO_USER_IDS, type, record), at, on })
  const all = (type: string, { records, unattached = [] }: AttachedPage) => [...records, ...unattached].map((one) => ours(type, one))

  return {
    async changedSince(type, since, cursor) {
      const query = { size, ...(since !== undefined && { since }), ...(cursor !== undefined && { cursor }) }
      const page = await attached(type as AttachedType, query).catch(noneIfForbidden)
      return page && { records: all(type, page), cursor: page.cursor }
    },
    get: async (type, ids) => all(type, await getAttached(type as AttachedType, ids)),
    idsOn: (type, on, parents) => idsIn(type, (page) => attachedTo(type as AttachedType, on, parents, { size, ...page })),
    ...(countAttached &&
      findAttached && {
        created: {
          count: (type: string, where: readonly Condition[]) => countAttached(type as AttachedType, where),
          ids(type: string, where: readonly Condition[]) {
            const query = { where, order: { field: recordType(type).createdField, descending: false }, fields: [], size }
            return idsIn(type, (page) => findAttached(type as AttachedType, { ...query, ...page }))
          },
        },
      }),
    ...(campaignSizes && {
      campaigns: {
        sizes: () => campaignSizes(),
        async members(campaign: string) {
          const where: Condition[] = [{ field: 'CampaignID', family: 'text', operator: 'eq', value: campaign }]
          const records = await everyIn((page) => driver.find('Membership', { where, size, ...page }))
          return records.map((record) => ours('Membership', { record, at: Date.parse(String(record.CreatedDate)), on: 'Lead' }))
        },
      },
    }),
  }
}

type PageAfter = (page: { readonly cursor?: string }) => Promise<DriverPage>

async function idsIn(type: string, pageAfter: PageAfter): Promise<string[]> {
  return (await everyIn(pageAfter)).map((record) => record[recordType(type).id] as string)
}

async function everyIn(pageAfter: PageAfter): Promise<StoredRecord[]> {
  const records: StoredRecord[] = []
  let cursor: string | undefined
  do {
    const page = await pageAfter({ ...(cursor !== undefined && { cursor }) })
    records.push(...page.records)
    cursor = page.cursor
  } while (cursor !== undefined)
  return records
}

function noneIfForbidden(error: unknown): undefined {
  if (!(error instanceof DriverError) || error.code !== 'forbidden') throw error
}
