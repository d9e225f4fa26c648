import type { StoredRecord } from '../../platform.ts'
import type { DriverPage, DriverQuery } from '../engine/driver.ts'
import { DriverError } from '../engine/errors.ts'
import type { Api, Listed } from './api.ts'
import { ID, narrowed } from './conditions.ts'
import { isMissing, isOutOfReach } from './errors.ts'
import type { Records } from './records.ts'
import type { Shape } from './shapes.ts'
import { type Item, item } from './where.ts'

/** The parent record of a note. */
export interface Parent {
  readonly object: string
  readonly id: string
}

/** Notes and comments: posts in the stream of their parent record. */
export class Notes {
  private readonly api: Api
  private readonly records: Records
  private readonly page: number

  constructor(api: Api, records: Records, page: number) {
    this.api = api
    this.records = records
    this.page = page
  }

  /** The newest come first, which is the only order that streams have. */
  async find(shape: Shape, parent: Parent, query: DriverQuery): Promise<DriverPage> {
    const size = Math.max(1, Math.min(query.size, this.page))
    const behind = query.cursor === undefined ? [] : [item('lessThan', 'number', query.cursor)]
    const { list } = await this.posts(parent, [...conditions(shape, parent, query), ...behind], size)
    const last = list.length >= size ? list.at(-1) : undefined
    if (last && Number(last.number) >= Number(query.cursor ?? Number.POSITIVE_INFINITY)) throw unpaged()
    return { records: list.map((row) => published(shape.record(row))), ...(last && { cursor: String(last.number) }) }
  }

  async count(shape: Shape, parent: Parent, query: Pick<DriverQuery, 'where'>): Promise<number> {
    return (await this.posts(parent, conditions(shape, parent, query), 1, true)).total
  }

  async create(shape: Shape, parent: Parent, record: StoredRecord): Promise<StoredRecord> {
    try {
      return published(
        (await this.records.create({ ...shape, newRow: (draft) => ({ ...shape.newRow(draft), parentType: parent.object }) }, record)) as StoredRecord,
      )
    } catch (error) {
      // EspoCRM answers that this is forbidden when the parent record does not exist.
      if (!(error instanceof DriverError) || error.code !== 'forbidden' || (await this.isThere(parent))) throw error
      throw new DriverError('not_found', `EspoCRM has no ${parent.object} ${parent.id}.`, { cause: error })
    }
  }

  private async posts({ object, id }: Parent, where: readonly Item[], size: number, counts = false): Promise<Listed> {
    if (!ID.test(id)) return { list: [], total: 0 }
    try {
      return await this.api.list(`${object}/${encodeURIComponent(id)}/posts`, { where, size, counts })
    } catch (error) {
      const isForbidden = error instanceof DriverError && error.code === 'forbidden'
      // Of a record that is out of reach, the stream is forbidden.
      if (isMissing(error) || (isForbidden && !(await this.isThere({ object, id })))) return { list: [], total: 0 }
      throw error
    }
  }

  private async isThere({ object, id }: Parent): Promise<boolean> {
    return (
      ID.test(id) &&
      this.api.read(object, id).then(
        // Administrators are shown what was deleted.
        ({ deleted }) => deleted !== true,
        (error) => !isMissing(error) && !isOutOfReach(error),
      )
    )
  }
}

const unpaged = () =>
  new DriverError('unsupported', 'This EspoCRM does not page the streams of its records as this service needs it to.', {
    hint: 'Update EspoCRM to 8.4 or later.',
  })

/** A stream also shows posts of related records; only those of this record count. */
function conditions(shape: Shape, { id }: Parent, { where }: Pick<DriverQuery, 'where'>): Item[] {
  const items = where.flatMap((condition) =>
    shape.place(condition.field)?.name === 'parentId' ? [] : (narrowed(shape.place(condition.field), condition)?.items ?? []),
  )
  return [item('equals', 'parentId', id), ...items]
}

/** What EspoCRM does not call internal is published. */
export function published(record: StoredRecord): StoredRecord {
  return 'Publish' in record ? { ...record, Publish: record.Publish ?? true } : record
}
