import { DriverError } from '../engine/errors.ts'
import type { Hub } from './hub.ts'
import { type Association, parts, settled } from './objects.ts'

/** A record that another belongs to, and in which ways. */
export interface Link {
  readonly id: string
  readonly types: readonly number[]
}

interface Associated {
  readonly toObjectId: string | number
  readonly associationTypes?: readonly { readonly typeId: number }[]
}

const linkOf = ({ toObjectId, associationTypes = [] }: Associated): Link => ({ id: String(toObjectId), types: associationTypes.map(({ typeId }) => typeId) })

/** The batch size for reads. */
const TOGETHER = 1000

/** The records of one type that those of another belong to, by the ids of the latter. */
export async function associatedWith(connection: Hub, from: string, to: string, ids: readonly string[]): Promise<Map<string, Link[]>> {
  const links = new Map<string, Link[]>()
  for (const part of parts([...new Set(ids)], TOGETHER)) {
    const body = { inputs: part.map((id) => ({ id })) }
    const path = `${connection.paths.associations}/${encodeURIComponent(from)}/${encodeURIComponent(to)}/batch/read`
    const answer = await connection.json<{ results?: { from: { id: string }; to: Associated[] }[] }>({ method: 'POST', path, body, reads: true })
    for (const { from: source, to: targets } of answer.results ?? []) links.set(source.id, targets.map(linkOf))
  }
  return links
}

/** A page of the records that one belongs to; none where it is not there. */
export async function associatedPage(connection: Hub, from: string, id: string, to: string, limit: number, after: string | undefined) {
  const query = `limit=${limit}${after === undefined ? '' : `&after=${encodeURIComponent(after)}`}`
  const path = `${connection.paths.associated}/${encodeURIComponent(from)}/${encodeURIComponent(id)}/associations/${encodeURIComponent(to)}?${query}`
  try {
    const answer = await connection.json<{ results: Associated[]; paging?: { next?: { after: string } } }>({ method: 'GET', path })
    return { links: answer.results.map(linkOf), after: answer.paging?.next?.after }
  } catch (error) {
    if (error instanceof DriverError && error.code === 'not_found') return { links: [], after: undefined }
    throw error
  }
}

/** How records of one type can belong to those of another, as the account says, so that a record can be made with what it belongs to. */
export class AssociationTypes {
  private readonly connection: Hub
  private readonly known = new Map<string, Promise<Association['types']>>()

  constructor(connection: Hub) {
    this.connection = connection
  }

  /** The usual way, which has no label; none where the account does not say. */
  usual(from: string, to: string): Promise<Association['types']> {
    const key = `${from} ${to}`
    const types = this.known.get(key) ?? this.fetchTypes(from, to)
    this.known.set(key, types)
    types.catch(() => this.known.delete(key))
    return types
  }

  private async fetchTypes(from: string, to: string): Promise<Association['types']> {
    const path = `${this.connection.paths.associations}/${encodeURIComponent(from)}/${encodeURIComponent(to)}/labels`
    const answer = await settled(this.connection.json<{ results: { category: string; typeId: number; label: string | null }[] }>({ method: 'GET', path }))
    if (answer instanceof DriverError && (answer.code === 'forbidden' || answer.code === 'not_found')) return []
    if (answer instanceof DriverError) throw answer
    const { results } = answer
    const usual = results.find(({ category, label }) => category === 'HUBSPOT_DEFINED' && label === null) ?? results.find(({ label }) => label === null)
    return usual ? [{ associationCategory: usual.category, associationTypeId: usual.typeId }] : []
  }
}
