import type { PerItem } from '../engine/driver.ts'
import { DriverError } from '../engine/errors.ts'
import { type Complaint, type NameOf, rejected } from './errors.ts'
import { type FilterGroups, isId } from './filters.ts'
import type { Hub } from './hub.ts'

export type Properties = { readonly [name: string]: string | null }
export type Written = { readonly [name: string]: string }

/** A record as HubSpot answers with it. */
export interface Row {
  readonly id: string
  readonly properties: Properties
  readonly createdAt?: string
  readonly updatedAt?: string
  readonly objectWriteTraceId?: string
  /** The associations, where they were asked for, by the objects that they lead to. */
  readonly associations?: Associated
  /** What the search index has of it, where the properties were read afterwards and may be newer. */
  readonly indexed?: Properties
}

/** That a new record belongs to another. */
export interface Association {
  readonly to: { readonly id: string }
  readonly types: readonly { readonly associationCategory: string; readonly associationTypeId: number }[]
}

export interface Input {
  readonly properties: Written
  readonly associations: readonly Association[]
}

interface Paging {
  readonly next?: { readonly after: string }
}

interface Associated {
  readonly [object: string]: { readonly results?: readonly { readonly id: string | number; readonly type?: string }[]; readonly paging?: Paging } | undefined
}

interface Batch {
  readonly results?: readonly Row[]
  readonly errors?: readonly Complaint[]
}

export interface Search {
  readonly filterGroups: FilterGroups
  /** Words that records have to contain. */
  readonly query?: string
  /** A property, with a minus before it for the other direction. */
  readonly sort: string
  readonly properties: readonly string[]
  readonly limit: number
  /** The offset. */
  readonly after?: number
}

/** Associations that are shown with a record at most. */
const SHOWN = 500
/** The batch size for reads and writes. */
export const TOGETHER = 100
/** A list of properties that is longer than this is not sent in an address, nor in a search. */
export const LONG = 800

/** The records of one of HubSpot's object types, as it knows them. */
export class Objects {
  readonly object: string
  readonly connection: Hub
  private readonly path: string
  private readonly nameOf: NameOf

  constructor(connection: Hub, object: string, nameOf: NameOf) {
    this.connection = connection
    this.object = object
    this.path = `${connection.paths.objects}/${encodeURIComponent(object)}`
    this.nameOf = nameOf
  }

  /** The existing ones, in any order. A single one comes with its associations with these objects. */
  async read(ids: readonly string[], properties: readonly string[], associations: readonly string[] = []): Promise<Row[]> {
    const known = [...new Set(ids.filter(isId))]
    const [only] = known
    if (known.length === 1 && only !== undefined && String(properties).length <= LONG) return this.one(only, properties, associations)
    const rows: Row[] = []
    for (const part of parts(known))
      rows.push(...(await this.batch('read', { properties, propertiesWithHistory: [], inputs: part.map((id) => ({ id })) }, true)).results)
    return rows
  }

  /** Records by a unique property. */
  async readBy(idProperty: string, values: readonly string[], properties: readonly string[]): Promise<Row[]> {
    const rows: Row[] = []
    for (const part of parts([...new Set(values)]))
      rows.push(...(await this.batch('read', { idProperty, properties, propertiesWithHistory: [], inputs: part.map((id) => ({ id })) }, true)).results)
    return rows
  }

  private async one(id: string, properties: readonly string[], associations: readonly string[]): Promise<Row[]> {
    const query = `properties=${encodeURIComponent(String(properties))}${withAssociations(associations)}`
    const row = await settled(this.connection.json<Row>({ method: 'GET', path: `${this.path}/${id}?${query}` }))
    if (row instanceof DriverError && row.code === 'not_found') return []
    if (row instanceof DriverError) throw row
    return [associations.length > 0 ? { associations: {}, ...row } : row]
  }

  /** One of them with the ids of the records of another type that belong to it; no ids where there may be more than HubSpot shows at once. */
  async oneWith(
    id: string,
    properties: readonly string[],
    to: string,
    associations: readonly string[],
  ): Promise<{ readonly row: Row; readonly ids?: ReadonlySet<string> } | undefined> {
    const [row] = await this.one(id, properties, [to, ...associations])
    if (!row) return undefined
    // Custom objects are called otherwise in the answer.
    const { results = [], paging } = row.associations?.[to] ?? (associations.length === 0 ? Object.values(row.associations ?? {})[0] : undefined) ?? {}
    return { row, ...(!paging?.next && results.length < SHOWN && { ids: new Set(results.map((one) => String(one.id))) }) }
  }

  /** All of them, page by page, as they are this moment. */
  async list(
    properties: readonly string[],
    limit: number,
    after: string | undefined,
    associations: readonly string[] = [],
  ): Promise<{ readonly rows: readonly Row[]; readonly after: string | undefined }> {
    const short = String(properties).length <= LONG
    const query = `limit=${limit}&archived=false${short ? `&properties=${encodeURIComponent(String(properties))}` : ''}${withAssociations(associations)}${after === undefined ? '' : `&after=${encodeURIComponent(after)}`}`
    const page = await this.connection.json<{ results: Row[]; paging?: Paging }>({ method: 'GET', path: `${this.path}?${query}` })
    const rows = associations.length > 0 ? page.results.map((row) => ({ associations: {}, ...row })) : page.results
    return { rows: short ? rows : await this.inFull(rows, properties), after: page.paging?.next?.after }
  }

  /** A page of a search, and the total. */
  async search({ filterGroups, query, sort, properties, limit, after = 0 }: Search): Promise<{ readonly rows: readonly Row[]; readonly total: number }> {
    if (filterGroups.length === 0) return { rows: [], total: 0 }
    const short = String(properties).length <= LONG
    const body = {
      ...(query !== undefined && { query }),
      // A group without filters is everything, and so is none at all.
      filterGroups: filterGroups.every(({ length }) => length > 0) ? filterGroups.map((filters) => ({ filters })) : [],
      sorts: [sort],
      properties: short ? properties : [sort.replace(/^-/, '')],
      limit,
      after: String(after),
    }
    const { results, total } = await this.connection.json<{ results: Row[]; total: number }>({ method: 'POST', path: `${this.path}/search`, body, reads: true })
    return {
      rows: short
        ? results
        : await this.inFull(
            results.map((row) => ({ ...row, indexed: row.properties })),
            properties,
          ),
      total,
    }
  }

  /** The same rows with all properties, in the same order. A row deleted meanwhile keeps what the search returned. */
  private async inFull(rows: readonly Row[], properties: readonly string[]): Promise<Row[]> {
    const full = new Map(
      (
        await this.read(
          rows.map(({ id }) => id),
          properties,
        )
      ).map((row) => [row.id, row]),
    )
    return rows.map((row) => {
      const whole = full.get(row.id)
      return whole ? { ...row, ...whole } : row
    })
  }

  async create(inputs: readonly Input[]): Promise<PerItem<Row>[]> {
    const [only] = inputs
    if (inputs.length === 1 && only) return [await settled(this.connection.json<Row>({ method: 'POST', path: this.path, body: only }))]
    return this.each(inputs, async (part) => {
      const traced = part.map((input, index) => ({ ...input, objectWriteTraceId: String(index) }))
      const { results, errors } = await this.batch('create', { inputs: traced })
      return part.map(
        (input, index) =>
          results.find((row) => row.objectWriteTraceId === String(index)) ?? this.traced(errors, String(index), twinOf(input, results)) ?? untold(),
      )
    })
  }

  /** False for records that do not exist. */
  async update(inputs: readonly { readonly id: string; readonly properties: Written }[]): Promise<PerItem<Row | false>[]> {
    const [only] = inputs
    if (inputs.length === 1 && only) return [await this.updateOne(only)]
    // No record may be named twice in one batch.
    if (new Set(inputs.map(({ id }) => id)).size < inputs.length) {
      const answers: PerItem<Row | false>[] = []
      for (const input of inputs) answers.push(await this.updateOne(input))
      return answers
    }
    const answers = await this.each<(typeof inputs)[number], Row | false>(inputs, async (part) => {
      const known = part.filter(({ id }) => isId(id))
      const traced = known.map((input) => ({ ...input, objectWriteTraceId: input.id }))
      const { results, errors } = known.length > 0 ? await this.batch('update', { inputs: traced }) : { results: [], errors: [] }
      const gone = new Set(errors.flatMap(({ category, context }) => (category === 'OBJECT_NOT_FOUND' ? [context?.ids ?? context?.id ?? []].flat() : [])))
      return part.map((input) => {
        const { id } = input
        return results.find((row) => row.id === id) ?? (gone.has(id) || !isId(id) ? false : (this.traced(errors, id, twinOf(input, results)) ?? untold()))
      })
    })
    return answers.map(unlessGone)
  }

  private async updateOne({ id, properties }: { readonly id: string; readonly properties: Written }): Promise<PerItem<Row | false>> {
    if (!isId(id)) return false
    return unlessGone(await settled(this.connection.json<Row>({ method: 'PATCH', path: `${this.path}/${id}`, body: { properties } })))
  }

  /** Merges a record into another, which may get another id by that. */
  merge(into: string, id: string): Promise<Row> {
    return this.connection.json<Row>({ method: 'POST', path: `${this.path}/merge`, body: { primaryObjectId: into, objectIdToMerge: id } })
  }

  /** HubSpot does not report whether a record existed. */
  async archive(ids: readonly string[]): Promise<PerItem<boolean>[]> {
    const [only] = ids
    if (ids.length === 1 && only !== undefined) {
      if (!isId(only)) return [false]
      return [await settled(this.connection.sendForNothing({ method: 'DELETE', path: `${this.path}/${only}` }).then(() => true))]
    }
    return this.each(ids, async (part) => {
      const known = part.filter(isId)
      if (known.length > 0)
        await this.connection.sendForNothing({ method: 'POST', path: `${this.path}/batch/archive`, body: { inputs: known.map((id) => ({ id })) } })
      return part.map(isId)
    })
  }

  /** Erases a contact for good, archived or not; HubSpot has this for contacts alone. False where there is none. */
  async erase(id: string): Promise<boolean> {
    if (!isId(id)) return false
    const sent = this.connection.sendForNothing({ method: 'POST', path: `${this.path}/gdpr-delete`, body: { objectId: id } })
    const answer = unlessGone(await settled(sent.then(() => true)))
    if (answer instanceof DriverError) throw answer
    return answer
  }

  private async batch(verb: string, body: unknown, reads = false): Promise<Required<Batch>> {
    const { results = [], errors = [] } = await this.connection.json<Batch>({ method: 'POST', path: `${this.path}/batch/${verb}`, body, reads, several: true })
    return { results, errors }
  }

  /** The error of one input of a batch. */
  private traced(errors: readonly Complaint[], trace: string, twin: string | undefined): DriverError | undefined {
    const found = errors.find(({ context }) => [context?.objectWriteTraceId ?? [], context?.id ?? [], context?.ids ?? []].flat().includes(trace))
    return found && rejected(found, this.object, this.nameOf, undefined, twin)
  }

  /** Sends full batches. A batch that is refused as a whole is bisected, to find the inputs at fault. */
  private async each<I, T>(inputs: readonly I[], send: (part: readonly I[]) => Promise<PerItem<T>[]>): Promise<PerItem<T>[]> {
    const answers: PerItem<T>[] = []
    for (const part of parts(inputs)) answers.push(...(await this.halves(part, send)))
    return answers
  }

  private async halves<I, T>(inputs: readonly I[], send: (part: readonly I[]) => Promise<PerItem<T>[]>): Promise<PerItem<T>[]> {
    try {
      return await send(inputs)
    } catch (error) {
      if (!(error instanceof DriverError)) throw error
      if (inputs.length === 1 || !REFUSED.has(error.code)) return inputs.map(() => error)
      const half = Math.ceil(inputs.length / 2)
      return [...(await this.halves(inputs.slice(0, half), send)), ...(await this.halves(inputs.slice(half), send))]
    }
  }
}

const withAssociations = (objects: readonly string[]) => (objects.length > 0 ? `&associations=${encodeURIComponent(String(objects))}` : '')

/** Other contacts of the same batch with the same e-mail address. */
function twinOf({ properties }: { readonly properties: Written }, results: readonly Row[]): string | undefined {
  const address = properties.email?.toLowerCase()
  return address ? results.find((row) => row.properties.email?.toLowerCase() === address)?.id : undefined
}

const unlessGone = <T>(answer: PerItem<T>) => (answer instanceof DriverError && answer.code === 'not_found' ? false : answer)

const REFUSED: ReadonlySet<string> = new Set(['platform_rejected', 'not_found', 'too_large'])

export function* parts<T>(items: readonly T[], size = TOGETHER): Generator<readonly T[]> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size)
}

/** The result, or the DriverError as a value. */
export async function settled<T>(answer: Promise<T>): Promise<PerItem<T>> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof DriverError) return error
    throw error
  }
}

function untold(): DriverError {
  return new DriverError('outcome_unknown', 'HubSpot answered a batch without saying what became of this record.', { unknown: 'ended' })
}
