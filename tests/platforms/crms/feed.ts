import { expect } from 'vitest'
import { recordType } from '../../../src/contract/operations.ts'
import { changesOf } from '../../../src/platforms/crms/engine/changes.ts'
import type { Changed, ChangeQuery, CrmDriver } from '../../../src/platforms/crms/engine/driver.ts'
import type { Condition } from '../../../src/platforms/platform.ts'

/** Everything that changed, by following the cursors. */
export async function changes(driver: CrmDriver, type: string, query: Partial<ChangeQuery> = {}): Promise<Changed[]> {
  const found: Changed[] = []
  let cursor: string | undefined
  do {
    const page = await changesOf(driver, type, { size: 2, ...query, ...(cursor !== undefined && { cursor }) })
    if (!page) throw new Error(`${type} is not listed.`)
    found.push(...page.records)
    cursor = page.cursor
  } while (cursor !== undefined)
  return found
}

export const idsOf = (type: string, found: readonly Changed[]) => found.map(({ record }) => record[recordType(type).id])

export const since = (value: string): Condition => ({ field: 'UpdatedDate', family: 'timestamp', operator: 'gte', value })

/** Checks that a type is narrowed and sorted by when it was changed just as the contract says, and returns the ids since each of these moments. */
export async function idsSince(driver: CrmDriver, type: string, moments: readonly string[], object?: string): Promise<unknown[][]> {
  const order = { field: 'UpdatedDate', descending: false }
  expect(driver.orders(type, order)).toBe(true)
  const found: unknown[][] = []
  for (const moment of moments) {
    expect(driver.narrows(type, since(moment))).toBe('exactly')
    const ids: unknown[] = []
    let cursor: string | undefined
    do {
      const page = await driver.find(type, {
        where: [since(moment)],
        order,
        size: 2,
        ...(object !== undefined && { object }),
        ...(cursor !== undefined && { cursor }),
      })
      ids.push(...page.records.map((record) => record[recordType(type).id]))
      cursor = page.cursor
    } while (cursor !== undefined)
    found.push(ids)
  }
  return found
}
