import type { Value } from '../../platform.ts'
import { DriverError } from '../engine/errors.ts'
import type { Table } from '../engine/tables.ts'
import { associatedWith } from './associations.ts'
import { isId } from './filters.ts'
import type { Hub } from './hub.ts'
import { type Association, parts, type Row, settled } from './objects.ts'
import { ASSOCIATED } from './tables.ts'

/** How records of one type are associated with those of another: its type, by number and by name, and whether a record has only one of it. */
interface Way {
  readonly to: string
  readonly typeId: number
  readonly typeName: string
  readonly isOnly?: true
}

/** The ways of HubSpot's own that are references of ours. A record may have several companies, of which one is the primary. */
const WAYS: { readonly [from: string]: { readonly [name: string]: Way } } = {
  contacts: { company: { to: 'companies', typeId: 1, typeName: 'contact_to_company', isOnly: true } },
  deals: {
    company: { to: 'companies', typeId: 5, typeName: 'deal_to_company', isOnly: true },
    contact: { to: 'contacts', typeId: 3, typeName: 'deal_to_contact' },
  },
  tickets: {
    company: { to: 'companies', typeId: 26, typeName: 'ticket_to_company', isOnly: true },
    contact: { to: 'contacts', typeId: 16, typeName: 'ticket_to_contact' },
  },
}

/** A field of a table that is an association. */
interface Reference extends Way {
  readonly field: string
  /** The name of its place. */
  readonly name: string
}

interface Link {
  readonly id: string
  readonly isPrimary: boolean
}

/** Values of references, by the names of their places. */
export type Associated = { readonly [name: string]: string | null }

/** The references of the records of one type, which HubSpot keeps as associations. */
export class References {
  private readonly connection: Hub
  private readonly object: string
  private readonly all: readonly Reference[]

  constructor(connection: Hub, object: string, { fields }: Table) {
    this.connection = connection
    this.object = object
    this.all = Object.entries(fields).flatMap(([field, place]) => {
      const way = place?.name.startsWith(ASSOCIATED) ? WAYS[object]?.[place.name.slice(ASSOCIATED.length)] : undefined
      return place && way ? [{ ...way, field, name: place.name }] : []
    })
  }

  get isEmpty(): boolean {
    return this.all.length === 0
  }

  /** The objects whose associations have to be read for these fields; for all of them where undefined. */
  objects(fields?: readonly string[]): string[] {
    return this.wanted(fields).map(({ to }) => to)
  }

  private wanted(fields: readonly string[] | undefined): readonly Reference[] {
    return fields ? this.all.filter(({ field }) => fields.includes(field)) : this.all
  }

  /** What rows refer to, by their ids. Where rows came without their associations, one request for each kind of reference reads those of all of them. */
  async of(rows: readonly Row[], fields?: readonly string[]): Promise<Map<string, Associated>> {
    const found = new Map<string, { [name: string]: string | null }>(rows.map(({ id }) => [id, {}]))
    const bare = rows.flatMap(({ id, associations }) => (associations ? [] : [id]))
    await Promise.all(
      this.wanted(fields).map(async (reference) => {
        const read = bare.length > 0 ? await this.links(reference, bare) : new Map<string, readonly Link[]>()
        for (const row of rows)
          Object.assign(found.get(row.id) ?? {}, { [reference.name]: shownOf(linksIn(row, reference) ?? read.get(row.id) ?? [])?.id ?? null })
      }),
    )
    return found
  }

  private async links({ to, typeId, isOnly }: Reference, ids: readonly string[]): Promise<Map<string, readonly Link[]>> {
    const associated = await associatedWith(this.connection, this.object, to, ids)
    return new Map(
      [...associated].map(([id, links]) => [id, links.map((link) => ({ id: link.id, isPrimary: isOnly === true && link.types.includes(typeId) }))]),
    )
  }

  /** The associations of a new record. */
  forNew(row: { readonly [name: string]: unknown }): Association[] {
    return this.all.flatMap((reference) => {
      const id = row[reference.name]
      return typeof id === 'string' && id !== '' ? [{ to: { id }, types: typesOf(reference) }] : []
    })
  }

  /** Whether a row has values of references. */
  areIn(row: { readonly [name: string]: unknown }): boolean {
    return this.all.some(({ name }) => Object.hasOwn(row, name))
  }

  /** Sets references, and resolves to what went wrong, by the ids of the records. */
  async set(changes: readonly { readonly id: string; readonly row: { readonly [name: string]: unknown } }[]): Promise<Map<string, DriverError>> {
    const failures = new Map<string, DriverError>()
    for (const reference of this.all) {
      const own = changes.flatMap(({ id, row }) =>
        Object.hasOwn(row, reference.name) && !failures.has(id) ? [{ id, to: (row[reference.name] || null) as Value }] : [],
      )
      if (own.length > 0) await this.setOne(reference, own, failures)
    }
    return failures
  }

  /** The new association is made before the old one is taken away, so that a failure in between loses nothing. */
  private async setOne(
    reference: Reference,
    changes: readonly { readonly id: string; readonly to: Value }[],
    failures: Map<string, DriverError>,
  ): Promise<void> {
    const known = await this.links(
      reference,
      changes.map(({ id }) => id),
    )
    const making: Ends[] = []
    const ending: Ends[] = []
    for (const { id, to } of changes) {
      const links = known.get(id) ?? []
      const shown = shownOf(links)
      if ((shown?.id ?? null) === to) continue
      const rest = links.filter((link) => link !== shown && link.id !== to)
      const made = typeof to === 'string' ? [{ id: to, isPrimary: reference.isOnly === true }] : []
      if (typeof to === 'string' && !isId(to)) failures.set(id, notThere(reference, to))
      else if ((shownOf([...rest, ...made])?.id ?? null) !== to) failures.set(id, several(reference, this.object, id))
      else {
        if (typeof to === 'string') making.push({ from: id, to })
        if (shown) ending.push({ from: id, to: shown.id })
      }
    }
    await this.each(
      reference,
      'create',
      making,
      (part) => part.map(({ from, to }) => ({ from: { id: from }, to: { id: to }, types: typesOf(reference) })),
      failures,
    )
    const replaced = ending.filter(({ from }) => !failures.has(from))
    await this.each(reference, 'archive', replaced, (part) => part.map(({ from, to }) => ({ from: { id: from }, to: [{ id: to }] })), failures)
  }

  /** Both verbs change nothing when they are repeated, so that they are retried like reads. */
  private async each(
    reference: Reference,
    verb: string,
    ends: readonly Ends[],
    inputsOf: (part: readonly Ends[]) => unknown[],
    failures: Map<string, DriverError>,
  ) {
    const path = `${this.connection.paths.associations}/${encodeURIComponent(this.object)}/${encodeURIComponent(reference.to)}/batch/${verb}`
    for (const part of parts(ends)) {
      const answer = await settled(
        this.connection.json<{ errors?: readonly { readonly message?: string }[] } | undefined>({
          method: 'POST',
          path,
          body: { inputs: inputsOf(part) },
          reads: true,
        }),
      )
      const isRefused = answer instanceof DriverError ? answer.code === 'platform_rejected' : (answer?.errors?.length ?? 0) > 0
      // One that cannot be associated refuses the others of its batch.
      if (isRefused && part.length > 1) for (const one of part) await this.each(reference, verb, [one], inputsOf, failures)
      else if (isRefused) for (const { from, to } of part) failures.set(from, notThere(reference, to))
      else if (answer instanceof DriverError) for (const { from } of part) failures.set(from, answer)
    }
  }
}

interface Ends {
  readonly from: string
  readonly to: string
}

const typesOf = ({ typeId }: Way): Association['types'] => [{ associationCategory: 'HUBSPOT_DEFINED', associationTypeId: typeId }]

/** The associations that a row came with; undefined where it came without. */
function linksIn({ associations }: Row, { to, typeName, isOnly }: Reference): readonly Link[] | undefined {
  if (!associations) return undefined
  const links = new Map<string, Link>()
  for (const { id, type } of associations[to]?.results ?? []) {
    const known = links.get(String(id))
    links.set(String(id), { id: String(id), isPrimary: (isOnly === true && type === typeName) || known?.isPrimary === true })
  }
  return [...links.values()]
}

/** The one that is shown: the primary, or the oldest, which stays the same whatever order HubSpot answers in. */
function shownOf(links: readonly Link[]): Link | undefined {
  return links.toSorted((a, b) => Number(b.isPrimary) - Number(a.isPrimary) || (BigInt(a.id) < BigInt(b.id) ? -1 : 1))[0]
}

function several({ field, to }: Reference, object: string, id: string): DriverError {
  const message = `The record ${id} has several ${to} in HubSpot, of which ${field} shows one only.`
  return new DriverError('conflict', message, {
    errors: [{ field, code: 'conflict', message }],
    hint: `Take the others off it in HubSpot first: which of the ${to} of ${object} are to stay is not for the connector to decide.`,
  })
}

function notThere({ field, to }: Reference, id: string): DriverError {
  const message = `HubSpot has none of its ${to} with the id ${id}.`
  return new DriverError('platform_rejected', message, { errors: [{ field, code: 'not_found', message }] })
}
