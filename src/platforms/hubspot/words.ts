import type { Connection } from '../web/connection.ts'
import { WireError } from '../web/errors.ts'
import type { Place, Table, Tables } from '../web/tables.ts'
import { settled } from './objects.ts'

/** A stage or an option, as people call it and as HubSpot does. */
interface Choice {
  readonly label: string
  readonly id: string
}

interface Pipeline {
  readonly id: string
  readonly label: string
  readonly displayOrder: number
  readonly archived?: boolean
  readonly stages: readonly (Choice & { readonly displayOrder: number; readonly archived?: boolean })[]
}

/** Where the words of a field come from: the stages of a pipeline, or the options of a property. */
interface Source {
  readonly type: string
  readonly field: string
  /** The property that says in which pipeline a record is, and the option that says which of them is meant. */
  readonly pipeline?: { readonly property: string; readonly option: string }
  /** Our usual words for theirs, where nothing there is called so already. */
  readonly usual: { readonly [ours: string]: string }
  /** What we call the first of them, unless that is the name of another. */
  readonly first: string
}

const SOURCES: { readonly [object: string]: Source } = {
  contacts: { type: 'Lead', field: 'Status', usual: {}, first: 'Open' },
  leads: { type: 'Lead', field: 'Status', pipeline: { property: 'hs_pipeline', option: 'leadPipeline' }, usual: {}, first: 'Open' },
  deals: {
    type: 'Opportunity',
    field: 'Stage',
    pipeline: { property: 'pipeline', option: 'dealPipeline' },
    usual: { Prospecting: 'appointmentscheduled', Qualification: 'qualifiedtobuy', Negotiation: 'contractsent' },
    first: 'Prospecting',
  },
  tickets: {
    type: 'Case',
    field: 'Status',
    pipeline: { property: 'hs_pipeline', option: 'ticketPipeline' },
    usual: { New: '1', 'In Progress': '3', Closed: '4' },
    first: 'New',
  },
}

/** The tables with the words that the account knows. What the configuration says of them stays. */
export async function withWords(connection: Connection, tables: Tables, options: { readonly [name: string]: string }): Promise<Tables> {
  const known = await Promise.all(
    Object.values(SOURCES)
      .filter((source) => SOURCES[tables[source.type]?.object ?? ''] === source)
      .map(async (source) => [source.type, await withWordsOf(connection, tables[source.type] as Table, source, options)] as const),
  )
  return { ...tables, ...Object.fromEntries(known) }
}

async function withWordsOf(connection: Connection, table: Table, source: Source, options: { readonly [name: string]: string }): Promise<Table> {
  const place = table.fields[source.field]
  if (!place) return table
  if (!source.pipeline) {
    const choices = await optionsOf(connection, table.object, place.name)
    return choices ? { ...table, fields: { ...table.fields, [source.field]: worded(place, choices, source) } } : table
  }
  const { property, option } = source.pipeline
  const pipeline = await pipelineOf(connection, table, String(table.fixed?.[property] ?? options[option] ?? ''), option)
  const stages = pipeline.stages.filter(({ archived }) => !archived).toSorted((a, b) => a.displayOrder - b.displayOrder)
  return {
    ...table,
    fields: { ...table.fields, [source.field]: worded(place, stages, source) },
    fixed: { ...table.fixed, [property]: pipeline.id },
  }
}

/** The pipeline that was chosen, or the first. */
async function pipelineOf(connection: Connection, { object }: Table, chosen: string, option: string): Promise<Pipeline> {
  const { results } = await connection.json<{ results: Pipeline[] }>({ method: 'GET', path: `/crm/v3/pipelines/${encodeURIComponent(object)}` })
  const pipelines = results.filter(({ archived }) => !archived).toSorted((a, b) => a.displayOrder - b.displayOrder)
  const found = chosen === '' ? pipelines[0] : (pipelines.find(({ id }) => id === chosen) ?? pipelines.find(({ label }) => label === chosen))
  if (found) return found
  const known = pipelines.map(({ id, label }) => `${id} (${label})`).join(', ')
  throw new WireError('invalid_input', `HubSpot has no pipeline ${JSON.stringify(chosen)} for ${object}.`, {
    hint: known === '' ? `Make a pipeline for ${object} in HubSpot.` : `Set ${option} to one of ${known}.`,
  })
}

/** The options of a property; undefined where it is not a choice, or may not be looked at. */
async function optionsOf(connection: Connection, object: string, property: string): Promise<Choice[] | undefined> {
  const path = `/crm/v3/properties/${encodeURIComponent(object)}/${encodeURIComponent(property)}`
  const answer = await settled(
    connection.json<{ type: string; options?: { label: string; value: string; displayOrder?: number; hidden?: boolean }[] }>({ method: 'GET', path }),
  )
  if (answer instanceof WireError && (answer.code === 'not_found' || answer.code === 'forbidden')) return undefined
  if (answer instanceof WireError) throw answer
  if (answer.type !== 'enumeration') return undefined
  return (answer.options ?? []).filter(({ hidden }) => !hidden).map(({ label, value }) => ({ label, id: value }))
}

/** One word for each choice: what the configuration says, then what people call it, then our usual words for what is there. */
export function worded(place: Place, choices: readonly Choice[], { usual, first }: Pick<Source, 'usual' | 'first'>): Place {
  const words = new Map(Object.entries(place.values ?? {}))
  const isFree = (id: string) => ![...words.values()].includes(id)
  const labels = new Set(choices.map(({ label }) => label))
  // A word that is the name of something there means that.
  const ours = Object.entries({ ...usual }).filter(([word, id]) => !labels.has(word) && !words.has(word) && isFree(id) && choices.some((one) => one.id === id))
  for (const [word, id] of ours) words.set(word, id)
  const [head] = choices
  if (head && !labels.has(first) && !words.has(first) && isFree(head.id)) words.set(first, head.id)
  for (const { label, id } of choices) if (isFree(id)) words.set(words.has(label) ? `${label} (${id})` : label, id)
  const [born] = [...words].find(([, id]) => id === head?.id) ?? []
  const atBirth = place.atBirth ?? (words.has(first) ? undefined : born)
  return { ...place, values: Object.fromEntries(words), closed: place.closed ?? true, ...(atBirth !== undefined && { atBirth }) }
}
