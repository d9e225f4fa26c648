import { NOBODY } from '../../../contract/records/user.ts'
import type { StoredRecord } from '../../platform.ts'
import type { Created, DriverPage, DriverQuery, PerItem } from '../engine/driver.ts'
import { DriverError } from '../engine/errors.ts'
import type { Table } from '../engine/tables.ts'
import { toNewRow, toRecord, toRow } from '../engine/translation.ts'
import { codec } from './codec.ts'
import { isId } from './filters.ts'
import type { Change, Handler } from './handler.ts'
import type { Hub } from './hub.ts'
import { parts, settled } from './objects.ts'
import { written } from './records.ts'

/** A list as HubSpot answers with it. */
export interface List {
  readonly listId: string
  readonly deletedAt?: string
  readonly additionalProperties?: { readonly [name: string]: string | undefined }
  readonly [member: string]: unknown
}

/** Lists in a page, and lists that are asked for by their ids at once. */
const PAGE = 100

/** Campaigns, which are lists that leads are put into by hand: HubSpot's own campaigns have no members. */
export class Campaigns implements Handler {
  private readonly connection: Hub
  private readonly table: Table

  constructor(connection: Hub, table: Table) {
    this.connection = connection
    this.table = table
  }

  narrows(): 'not' {
    return 'not'
  }

  orders(): boolean {
    return false
  }

  async get(ids: readonly string[]): Promise<StoredRecord[]> {
    return (await this.lists(ids)).map((list) => this.recordOf(list))
  }

  /** Those of these lists that are campaigns. */
  async lists(ids: readonly string[]): Promise<List[]> {
    const lists: List[] = []
    for (const part of parts([...new Set(ids.filter(isId))], PAGE)) {
      const path = `${this.connection.paths.allLists}?${part.map((id) => `listIds=${id}`).join('&')}&includeFilters=false`
      lists.push(...(await this.connection.json<{ lists: List[] }>({ method: 'GET', path })).lists)
    }
    return lists.filter((list) => this.isOurs(list))
  }

  async find({ cursor }: DriverQuery): Promise<DriverPage> {
    const { lists, next } = await this.page(Number(cursor ?? 0), PAGE)
    return { records: lists.map((list) => this.recordOf(list)), ...(next !== undefined && { cursor: String(next) }) }
  }

  /** The campaigns among so many lists from an offset on, with these properties beside the usual ones, and the offset of the next page. */
  async page(offset: number, count: number, additionalProperties: readonly string[] = []) {
    const processingTypes = [this.table.fixed?.processingType ?? 'MANUAL'].map(String)
    const body = { query: '', count, offset, processingTypes, additionalProperties }
    const page = await this.connection.json<{ lists: List[]; offset: number; hasMore: boolean }>({
      method: 'POST',
      path: `${this.connection.paths.lists}/search`,
      body,
      reads: true,
    })
    return { lists: page.lists.filter((list) => this.isOurs(list)), next: page.hasMore && page.offset > offset ? page.offset : undefined }
  }

  async count(): Promise<number> {
    let count = 0
    for (let cursor: string | undefined = '0'; cursor !== undefined; ) {
      const page: DriverPage = await this.find({ where: [], size: PAGE, cursor })
      count += page.records.length
      cursor = page.cursor
    }
    return count
  }

  async create(records: readonly StoredRecord[]): Promise<PerItem<Created>[]> {
    return one(records, async (record) => {
      const body = written(toNewRow(this.table, codec, record))
      const { list } = await this.connection.json<{ list: List }>({ method: 'POST', path: this.connection.paths.allLists, body })
      return this.recordOf(list)
    })
  }

  async update(changes: readonly Change[]): Promise<PerItem<StoredRecord | boolean>[]> {
    return one(changes, async ({ id, changes: changed }) => {
      const { name } = written(toRow(this.table, codec, changed))
      if (!isId(id)) return false
      if (name === undefined) return true
      const path = `${this.connection.paths.lists}/${id}/update-list-name?listName=${encodeURIComponent(name)}&includeFilters=false`
      return unlessGone(
        this.connection.json<{ updatedList?: List }>({ method: 'PUT', path }).then(({ updatedList }) => (updatedList ? this.recordOf(updatedList) : true)),
      )
    })
  }

  async delete(ids: readonly string[]): Promise<PerItem<boolean>[]> {
    return one(
      ids,
      async (id) => isId(id) && unlessGone(this.connection.send({ method: 'DELETE', path: `${this.connection.paths.lists}/${id}` }).then(() => true)),
    )
  }

  private isOurs(list: List): boolean {
    return list.deletedAt === undefined && Object.entries(this.table.fixed ?? {}).every(([name, value]) => String(list[name]) === String(value))
  }

  private recordOf(list: List): StoredRecord {
    return { ...toRecord(this.table, codec, list), OwnerID: NOBODY }
  }
}

/** Lists are written one by one. */
export async function one<I, T>(items: readonly I[], write: (item: I) => Promise<T>): Promise<PerItem<T>[]> {
  const answers: PerItem<T>[] = []
  for (const item of items) answers.push(await settled(write(item)))
  return answers
}

async function unlessGone<T>(answer: Promise<T>): Promise<T | false> {
  const done = await settled(answer)
  if (!(done instanceof DriverError)) return done
  if (done.code === 'not_found') return false
  throw done
}
