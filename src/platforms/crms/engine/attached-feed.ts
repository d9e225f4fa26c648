import { recordType } from '../../../contract/operations.ts'
import type { AttachedFeed, AttachedRecord, Condition } from '../../platform.ts'
import { type Account, toOurRecord } from './account.ts'
import type { AttachedPage, AttachedType, Changed } from './driver.ts'
import { DriverError } from './errors.ts'
import { NO_USER_IDS } from './reader.ts'

/** What an account tells of notes, comments and memberships; undefined where it does not. */
export function attachedFeedOf(account: Account): AttachedFeed | undefined {
  const { driver } = account
  const { attached, getAttached, countAttached, findAttached, campaignSizes } = driver
  if (!attached || !getAttached) return undefined
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
    ...(countAttached &&
      findAttached && {
        created: {
          count: (type: string, where: readonly Condition[]) => countAttached(type as AttachedType, where),
          async ids(type: string, where: readonly Condition[]) {
            const { id, createdField: field } = recordType(type)
            const query = { where, order: { field, descending: false }, fields: [], size }
            const ids: string[] = []
            let cursor: string | undefined
            do {
              const page = await findAttached(type as AttachedType, { ...query, ...(cursor !== undefined && { cursor }) })
              ids.push(...page.records.map((record) => record[id] as string))
              cursor = page.cursor
            } while (cursor !== undefined)
            return ids
          },
        },
      }),
    ...(campaignSizes && {
      campaigns: {
        sizes: () => campaignSizes(),
        async members(campaign: string) {
          const where: Condition[] = [{ field: 'CampaignID', family: 'text', operator: 'eq', value: campaign }]
          const members: AttachedRecord[] = []
          let cursor: string | undefined
          do {
            const page = await driver.find('Membership', { where, size, ...(cursor !== undefined && { cursor }) })
            members.push(...page.records.map((record) => ours('Membership', { record, at: Date.parse(String(record.CreatedDate)), on: 'Lead' })))
            cursor = page.cursor
          } while (cursor !== undefined)
          return members
        },
      },
    }),
  }
}

function noneIfForbidden(error: unknown): undefined {
  if (!(error instanceof DriverError) || error.code !== 'forbidden') throw error
}
