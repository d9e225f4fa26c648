import { withComparisons } from '../../../contract/conditions.ts'
import { NOBODY } from '../../../contract/records/user.ts'
import type { Condition, StoredRecord, Value, Where } from '../../platform.ts'
import type { Created, DriverPage, DriverQuery } from '../engine/driver.ts'
import { DriverError } from '../engine/errors.ts'
import { isSameValue } from '../engine/matching.ts'
import type { Place } from '../engine/tables.ts'
import { translatedPage } from '../engine/translated-page.ts'
import { toOurWord } from '../engine/translation.ts'
import type { Api, Listing, Row } from './api.ts'
import { codec } from './codec.ts'
import { ID, narrowed } from './conditions.ts'
import { isMissing, isOutOfReach } from './errors.ts'
import { beginning, behind, type Mark, markOf, stretchesOf } from './paging.ts'
import type { Shape } from './shapes.ts'
import { narrowedTree } from './trees.ts'
import { type Item, isNull, item, LONGEST_QUERY, lengthOf, numeral } from './where.ts'
import { WholeRows } from './whole-rows.ts'

export interface Limits {
  /** Records in a list at most. */
  readonly page: number
  /** Lists cut texts off at so many characters. */
  readonly textLength: number
  /** Attributes by object that the API user may not write, which EspoCRM silently ignores. */
  readonly unwritable: (object: string) => ReadonlySet<string>
  /** Attributes by object that the answer to a create does not have. */
  readonly unanswered: (object: string) => ReadonlySet<string>
  /** Reads what the API user may not write anew. */
  readonly refresh: () => Promise<void>
  /** Sent with everything that is created or changed. */
  readonly headers: { readonly [name: string]: string }
}

/** So many ids or owners are named in one request. */
const MOST_NAMED = 60

/** Who has changed a record last: until it is changed, who has created it. */
const [CHANGED_BY, CREATED_BY] = ['modifiedById', 'createdById'] as const

/** A selection that would make the address longer than this is left out. */
const LONGEST_SELECTION = 1_500

/** Records of the kinds that EspoCRM lists by themselves. */
export class Records {
  private readonly api: Api
  private readonly limits: Limits
  private readonly wholeRows = new WholeRows()

  constructor(api: Api, limits: Limits) {
    this.api = api
    this.limits = limits
  }

  async get(shape: Shape, ids: readonly string[]): Promise<StoredRecord[]> {
    const theirs = [...new Set(ids.flatMap((id) => shape.idOf(id) ?? []))].filter((id) => ID.test(id))
    if (theirs.length <= 2) {
      const rows = await Promise.all(theirs.map((id) => this.row(shape, id)))
      return rows.flatMap((row) => (row ? [shape.record(row)] : []))
    }
    const pages = await Promise.all(
      chunked(theirs, MOST_NAMED).map((some) =>
        this.listed(shape, { where: [item('in', 'id', some)], orderBy: 'id', size: Math.max(1, Math.min(some.length, this.limits.page)) }),
      ),
    )
    return pages.flatMap(({ rows }) => rows.map((row) => shape.record(row)))
  }

  /** Who has changed these records last, by the ids that they were given by. */
  async changedBy(shape: Shape, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const given = new Map(ids.flatMap((id) => (ID.test(shape.idOf(id) ?? '') ? [[shape.idOf(id) as string, id]] : [])))
    const pages = await Promise.all(
      chunked([...given.keys()], MOST_NAMED).map((some) =>
        this.api.list(shape.object, {
          where: [item('in', 'id', some)],
          select: [CHANGED_BY, CREATED_BY],
          orderBy: 'id',
          size: Math.max(1, Math.min(some.length, this.limits.page)),
        }),
      ),
    )
    return new Map(
      pages.flatMap(({ list }) =>
        list.flatMap((row) => {
          const by = row[CHANGED_BY] ?? row[CREATED_BY]
          return typeof by === 'string' ? [[given.get(String(row.id)) ?? String(row.id), by]] : []
        }),
      ),
    )
  }

  async find(shape: Shape, query: DriverQuery): Promise<DriverPage> {
    const order = query.order && { place: shape.place(query.order.field, query.order.name), descending: query.order.descending }
    const begin = beginning(order, query.from)
    if (!begin) return { records: [] }
    const stretches = stretchesOf(order)
    const size = Math.max(1, Math.min(query.size, this.limits.page))
    const { items, wanted } = this.conditions(shape, query)
    const select = this.selected(shape, query)
    let mark: Mark = query.cursor === undefined ? begin.mark : (JSON.parse(query.cursor) as Mark)
    for (;;) {
      const stretch = stretches[mark.stretch]
      if (!stretch) return { records: [] }
      const from = mark.stretch === begin.mark.stretch ? begin.where : []
      const where = [...items, ...stretch.where, ...from, ...behind(stretch, mark.after)]
      const { rows, last } = await this.listed(shape, { where, select, orderBy: stretch.orderBy, descending: stretch.descending, size })
      const next: Mark = last ? markOf(mark.stretch, stretch, last) : { stretch: mark.stretch + 1 }
      const found = rows.filter(wanted)
      const more = next.stretch < stretches.length
      if (found.length > 0 || !more) return translatedPage(found, shape.record, more ? JSON.stringify(next) : undefined)
      mark = next
    }
  }

  async count(shape: Shape, query: Pick<DriverQuery, 'owners' | 'where'>): Promise<number> {
    if (query.owners && query.owners.length > MOST_NAMED) {
      const counts = await Promise.all(chunked(query.owners, MOST_NAMED).map((owners) => this.count(shape, { ...query, owners })))
      return counts.reduce((sum, count) => sum + count, 0)
    }
    const { items } = this.conditions(shape, { ...query, size: 0 })
    const { total } = await this.api.list(shape.object, { where: items, size: 0, counts: true })
    if (total >= 0) return total
    // Counting is switched off for this object.
    let counted = 0
    let cursor: string | undefined
    do {
      const page = await this.find(shape, { ...query, size: this.limits.page, fields: [], ...(cursor !== undefined && { cursor }) })
      counted += page.records.length
      cursor = page.cursor
    } while (cursor !== undefined)
    return counted
  }

  /** Resolves to the id alone where EspoCRM sets a field that it does not answer with, and cannot be asked for right now. */
  async create(shape: Shape, record: StoredRecord): Promise<Created> {
    const body = inOurNames(shape, () => shape.newRow(record))
    await this.mayWrite(shape, body)
    const row = await this.api.post(shape.object, body, { headers: this.limits.headers })
    const unwritten = await this.unwritten(shape, body, row)
    if (unwritten.length === 0) return this.whollyCreated(shape, row)
    // A record that could not be written completely is deleted.
    const gone = await this.api.delete(`${shape.object}/${encodeURIComponent(String(row.id))}`).then(
      () => true,
      () => false,
    )
    throw fieldsForbidden(
      shape,
      unwritten,
      gone ? 'Nothing was created.' : `The record ${row.id} was created without these fields, and could not be deleted again.`,
    )
  }

  private async whollyCreated(shape: Shape, row: Row): Promise<Created> {
    const later = this.limits.unanswered(shape.object)
    if (!shape.places.some(({ name }) => later.has(name) && row[name] === undefined)) return shape.record(row)
    const id = String(row.id)
    const whole = await this.row(shape, id).catch(() => undefined)
    return whole ? shape.record(whole) : { id }
  }

  /** Resolves to false where there is none. */
  async update(shape: Shape, id: string, changes: StoredRecord, before: StoredRecord): Promise<StoredRecord | false> {
    const theirs = this.idIn(shape, id)
    if (theirs === undefined) return false
    const body = inOurNames(shape, () => shape.changed(changes, before))
    await this.mayWrite(shape, body)
    try {
      const row =
        Object.keys(body).length === 0
          ? await this.api.read(shape.object, theirs)
          : await this.api.put(shape.object, theirs, body, { headers: this.limits.headers })
      const unwritten = await this.unwritten(shape, body, row, before)
      if (unwritten.length > 0) throw fieldsForbidden(shape, unwritten, 'Whatever else was to change has.')
      return shape.record(row)
    } catch (error) {
      if (isMissing(error)) return false
      throw error
    }
  }

  async delete(shape: Shape, id: string): Promise<boolean> {
    const theirs = this.idIn(shape, id)
    if (theirs === undefined) return false
    try {
      await this.api.delete(`${shape.object}/${encodeURIComponent(theirs)}`)
      return true
    } catch (error) {
      if (isMissing(error)) return false
      throw error
    }
  }

  /** One record as EspoCRM has it; undefined where it is not there, or not for us. */
  async row(shape: Shape, id: string): Promise<Row | undefined> {
    try {
      const row = await this.api.read(shape.object, id)
      // Administrators are shown what was deleted.
      return row.deleted === true || !isFixed(shape, row) ? undefined : row
    } catch (error) {
      if (isMissing(error) || isOutOfReach(error)) return undefined
      throw error
    }
  }

  /** A list, and the last row of it where there may be more. */
  private async listed(shape: Shape, listing: Listing): Promise<{ readonly rows: readonly Row[]; readonly last?: Row | undefined }> {
    const { list } = await this.api.list(shape.object, { select: this.selected(shape, {}), ...listing })
    const rows = await Promise.all(list.filter((row) => isFixed(shape, row)).map((row) => this.whole(shape, row)))
    return { rows, last: list.length >= listing.size ? list.at(-1) : undefined }
  }

  /** A row of a list with its texts in full length. */
  private async whole(shape: Shape, row: Row): Promise<Row> {
    const isCut = shape.places.some(({ name, kind }) => kind === 'longText' && typeof row[name] === 'string' && row[name].length >= this.limits.textLength)
    if (!isCut) return row
    return this.wholeRows.of(row, this.api.now(), async () => (await this.row(shape, String(row.id))) ?? row)
  }

  private selected(shape: Shape, { fields, order }: Pick<DriverQuery, 'fields' | 'order'>): string[] | undefined {
    const places = fields
      ? [...fields, ...(order ? [order.field] : [])].flatMap((field) => (field === 'Values' ? shape.places : (shape.place(field) ?? [])))
      : shape.places
    const own = order ? (shape.place(order.field, order.name) ?? []) : []
    const names = [...new Set(['id', ...Object.keys(shape.fixed), ...[...places, own].flat().map(({ name }) => name)])]
    // Without a selection a list has everything.
    return encodeURIComponent(names.join()).length <= LONGEST_SELECTION ? names : undefined
  }

  /** The conditions that EspoCRM evaluates, and the check for the others. */
  private conditions(
    shape: Shape,
    { where, trees = [], owners }: Pick<DriverQuery, 'where' | 'trees' | 'owners'> & { readonly size?: number },
  ): { items: Item[]; wanted: (row: Row) => boolean } {
    const owner = shape.place('OwnerID')?.name
    const named = owners !== undefined && owner !== undefined
    const mine = named && owners.length <= MOST_NAMED ? [isOwnedBy(owner, owners)] : []
    const made = where.flatMap((condition) => narrowed(shape.place(condition.field, condition.name), inTheirIds(shape, condition)) ?? [])
    const combined = trees.flatMap((tree) => narrowedTree((one) => shape.place(one.field, one.name), withTheirIds(shape, tree))?.items ?? [])
    const exact = [...fixedIn(shape), ...mine, ...made.flatMap(({ how, items }) => (how === 'exactly' ? items : []))]
    // What is not asked for want of room is compared by the engine.
    const rough = [...made.flatMap(({ how, items }) => (how === 'roughly' ? items : [])), ...combined].sort((a, b) => lengthOf(a) - lengthOf(b))
    let room = LONGEST_QUERY - 2_000 - exact.reduce((sum, one) => sum + lengthOf(one), 0)
    const fitting = rough.filter((one) => {
      room -= lengthOf(one)
      return room >= 0
    })
    const wanted = (row: Row) => !named || owners.includes((row[owner] as string | null) ?? NOBODY)
    return { items: [...exact, ...fitting], wanted: mine.length > 0 ? () => true : wanted }
  }

  /**
   * What was sent and not written: it is not shown, or has been closed for editing meanwhile, or still is what it was before. A value that differs
   * otherwise was altered by a rule of the account.
   */
  private async unwritten(shape: Shape, body: Row, row: Row, before?: StoredRecord): Promise<string[]> {
    const hidden = Object.keys(body).filter((name) => body[name] !== null && !Object.hasOwn(row, name))
    const differing = shape.places.filter(
      (place) => Object.hasOwn(body, place.name) && Object.hasOwn(row, place.name) && !isSame(place, valueIn(place, row), valueIn(place, body)),
    )
    if (differing.length === 0) return hidden
    // The record is written already, so that a failure here must not be one of the write.
    await this.limits.refresh().catch(() => {})
    const closed = this.limits.unwritable(shape.object)
    const was = { ...before, ...(before?.Values as StoredRecord | undefined) }
    const isAsBefore = (place: Place) => before !== undefined && isSame(place, was[shape.named(place.name)], valueIn(place, row))
    return [...hidden, ...differing.filter((place) => closed.has(place.name) || isAsBefore(place)).map(({ name }) => name)]
  }

  /** A role may have been changed since it was read: it is read again before anything is refused. */
  private async mayWrite(shape: Shape, body: Row): Promise<void> {
    const closed = () => Object.keys(body).filter((name) => this.limits.unwritable(shape.object).has(name))
    if (closed().length === 0) return
    await this.limits.refresh().catch(() => {})
    const forbidden = closed()
    if (forbidden.length > 0) throw fieldsForbidden(shape, forbidden, 'Nothing was written.')
  }

  private idIn(shape: Shape, id: string): string | undefined {
    const theirs = shape.idOf(id)
    return theirs !== undefined && ID.test(theirs) ? theirs : undefined
  }
}

/** Reports faults of values by our names of the fields. */
function inOurNames<T>(shape: Shape, make: () => T): T {
  try {
    return make()
  } catch (error) {
    if (!(error instanceof DriverError) || !error.errors) throw error
    throw new DriverError(error.code, error.message, { errors: error.errors.map((fault) => ({ ...fault, field: shape.named(fault.field) })) })
  }
}

const valueIn = (place: Place, row: Row): Value => (row[place.name] == null ? null : toOurWord(place, codec.read(place, row[place.name])))

/** Whether a value is the one that was sent, apart from blanks and the form of telephone numbers. Letters in another case are another value. */
function isSame({ kind }: Place, one: unknown, other: unknown): boolean {
  if (kind === 'phone' || typeof one !== 'string' || typeof other !== 'string') return isSameValue(one, other)
  return plain(one) === plain(other)
}

const plain = (text: string) => text.replaceAll('\r\n', '\n').trim()

function fieldsForbidden(shape: Shape, names: readonly string[], after: string): DriverError {
  const ours = names.map(shape.named)
  return new DriverError('forbidden', `EspoCRM does not let this service write ${ours.join(', ')} of ${shape.object}. ${after}`, {
    errors: ours.map((field) => ({ field, code: 'read_only', message: `EspoCRM does not let this service write ${field}.` })),
    hint: `In the role of the API user, let it read and edit ${names.join(', ')} of ${shape.object} (Field Level), and in the Entity Manager see that it is not read-only.`,
  })
}

/** A condition on the record's own id, by EspoCRM's. */
function inTheirIds(shape: Shape, condition: Condition): Condition {
  if (shape.place(condition.field, condition.name)?.name !== 'id') return condition
  const { value } = condition
  const theirs = (one: Value) => (typeof one === 'string' ? (shape.idOf(one) ?? '') : one)
  return { ...condition, value: Array.isArray(value) ? value.map(theirs) : theirs(value as Value) }
}

const withTheirIds = (shape: Shape, tree: Where): Where => withComparisons(tree, (condition) => inTheirIds(shape, condition))

function fixedIn({ fixed }: Shape): Item[] {
  return Object.entries(fixed).map(([name, value]) => equalling(name, value))
}

const isFixed = ({ fixed }: Shape, row: Row) => Object.entries(fixed).every(([name, value]) => (row[name] ?? null) === value)

function equalling(name: string, value: Value): Item {
  if (value === null) return isNull(name)
  if (typeof value === 'boolean') return item(value ? 'isTrue' : 'isFalse', name)
  return item('equals', name, typeof value === 'number' ? numeral(value) : value)
}

const isOwnedBy = (attribute: string, owners: readonly string[]): Item =>
  owners.length === 1 && owners[0] !== undefined ? item('equals', attribute, owners[0]) : item('in', attribute, owners)

export function chunked<T>(list: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, at) => list.slice(at * size, (at + 1) * size))
}
