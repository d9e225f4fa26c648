import { recordType } from '../../../contract/operations.ts'
import { quoted } from '../../../contract/visible-text.ts'
import { DriverError } from '../engine/errors.ts'
import type { Place, Table, Tables } from '../engine/tables.ts'
import { type AccountProperties, choicesOf } from './account-properties.ts'
import type { Hub } from './hub.ts'
import { settled } from './objects.ts'
import { type Choice, STANDARD } from './standard-words.ts'

interface Pipeline {
  readonly id: string
  readonly label: string
  readonly displayOrder: number
  readonly archived?: boolean
  readonly stages?: readonly (Choice & { readonly displayOrder: number; readonly archived?: boolean })[]
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

type Options = { readonly [name: string]: string }

export interface Words {
  /** The tables with the words that the account knows, or those of a new account where it does not tell. What the configuration says of them stays. */
  readonly tables: Tables
  /** The types whose pipelines the app may not see, and what HubSpot says of that. */
  readonly withheld: ReadonlyMap<string, DriverError>
}

/** The words of every type. An account that does not report all of them can still be opened. */
export async function wordsOf(connection: Hub, properties: AccountProperties, tables: Tables, options: Options): Promise<Words> {
  const types = Object.keys(tables).filter((type) => sourceOf(tables, type))
  const answers = await Promise.all(types.map(async (type) => [type, await settled(withWords(connection, properties, tables, type, options))] as const))
  const withheld = new Map<string, DriverError>()
  const known = answers.map(([type, answer]): [string, Table] => {
    if (!(answer instanceof DriverError)) return [type, answer]
    if (answer.code !== 'forbidden') throw answer
    withheld.set(type, answer)
    return [type, untold(tables, type, options)]
  })
  return { tables: { ...tables, ...Object.fromEntries(known) }, withheld }
}

/** The table of a type with the words that the account knows. */
export async function withWords(connection: Hub, properties: AccountProperties, tables: Tables, type: string, options: Options): Promise<Table> {
  const table = tables[type] as Table
  const source = sourceOf(tables, type)
  const place = source && table.fields[source.field]
  if (!place) return table
  if (!source.pipeline) {
    const choices = await optionsOf(properties, table.object, place.name)
    if (choices === 'untold') return untold(tables, type, options)
    return choices === 'free' ? table : { ...table, fields: { ...table.fields, [source.field]: worded(place, choices, source) } }
  }
  const { property, option } = source.pipeline
  const pipeline = await pipelineOf(connection, table, chosenOf(table, source, options), option)
  if (pipeline === 'untold') return untold(tables, type, options)
  const stages = (pipeline.stages ?? []).filter(({ archived }) => !archived).toSorted((a, b) => a.displayOrder - b.displayOrder)
  return {
    ...table,
    fields: { ...table.fields, [source.field]: worded(place, stages, source) },
    fixed: { ...table.fixed, [property]: pipeline.id },
  }
}

/** A table with the words of its state, and the pipeline that they are from. */
export function withState(type: string, table: Table, worded: Table): Table {
  const state = recordType(type).state
  if (state === undefined || !Object.hasOwn(table.fields, state)) return table
  return { ...table, fields: { ...table.fields, [state]: worded.fields[state] ?? null }, ...(worded.fixed && { fixed: worded.fixed }) }
}

const sourceOf = (tables: Tables, type: string): Source | undefined => {
  const source = SOURCES[tables[type]?.object ?? '']
  return source?.type === type ? source : undefined
}

/** The pipeline that the configuration says; an empty text where it says none. */
const chosenOf = ({ fixed }: Table, { pipeline }: Source, options: Options): string =>
  pipeline ? String(fixed?.[pipeline.property] ?? options[pipeline.option] ?? '') : ''

/** A table with the words of a new account, beside which any other is taken, too. */
function untold(tables: Tables, type: string, options: Options): Table {
  const table = tables[type] as Table
  const source = sourceOf(tables, type)
  const place = source && table.fields[source.field]
  if (!place) return table
  const standard = STANDARD[table.object]?.[place.name] ?? []
  const words = { ...worded(place, standard, source), closed: place.closed ?? false }
  const chosen = chosenOf(table, source, options)
  return {
    ...table,
    fields: { ...table.fields, [source.field]: words },
    ...(source.pipeline && chosen !== '' && { fixed: { ...table.fixed, [source.pipeline.property]: chosen } }),
  }
}

/** Codes of an account that does not offer what was requested, rather than failing. */
const UNKNOWING: ReadonlySet<string> = new Set(['not_found', 'platform_rejected'])

/** The pipeline that was chosen, or the first. */
async function pipelineOf(connection: Hub, { object }: Table, chosen: string, option: string): Promise<Pipeline | 'untold'> {
  const path = `${connection.paths.pipelines}/${encodeURIComponent(object)}`
  const answer = await settled(connection.json<{ results?: Pipeline[] } | undefined>({ method: 'GET', path }))
  if (answer instanceof DriverError && UNKNOWING.has(answer.code)) return 'untold'
  if (answer instanceof DriverError) throw answer
  if (!answer?.results) return 'untold'
  const pipelines = answer.results.filter(({ archived }) => !archived).toSorted((a, b) => a.displayOrder - b.displayOrder)
  const found = chosen === '' ? pipelines[0] : (pipelines.find(({ id }) => id === chosen) ?? pipelines.find(({ label }) => label === chosen))
  if (found) return found
  if (chosen === '') return 'untold'
  const known = pipelines.map(({ id, label }) => `${id} (${label})`).join(', ')
  throw new DriverError('invalid_input', `HubSpot has no pipeline ${quoted(chosen)} for ${object}.`, {
    hint: known === '' ? `Make a pipeline for ${object} in HubSpot.` : `Set ${option} to one of ${known}.`,
  })
}

/** The options of a property; `free` where it is not a choice, `untold` where the account does not tell. */
async function optionsOf(properties: AccountProperties, object: string, name: string): Promise<Choice[] | 'free' | 'untold'> {
  const property = (await properties.of(object))?.find((one) => one.name === name)
  if (!property) return 'untold'
  return property.type === 'enumeration' ? choicesOf(property) : 'free'
}

/** One word for each choice: what the configuration says, then what people call it, then our usual words for what is there. */
export function worded(place: Place, choices: readonly Choice[], { usual = {}, first }: Partial<Pick<Source, 'usual' | 'first'>>): Place {
  const words = new Map(Object.entries(place.values ?? {}))
  const isFree = (id: string) => ![...words.values()].includes(id)
  const labels = new Set(choices.map(({ label }) => label))
  // A word that is the name of something there means that.
  const ours = Object.entries(usual).filter(([word, id]) => !labels.has(word) && !words.has(word) && isFree(id) && choices.some((one) => one.id === id))
  for (const [word, id] of ours) words.set(word, id)
  const [head] = choices
  if (head && first !== undefined && !labels.has(first) && !words.has(first) && isFree(head.id)) words.set(first, head.id)
  for (const { label, id } of choices) if (isFree(id)) words.set(words.has(label) ? `${label} (${id})` : label, id)
  const [firstWord] = [...words].find(([, id]) => id === head?.id) ?? []
  const defaultValue = place.defaultValue ?? (first === undefined || words.has(first) ? undefined : firstWord)
  return { ...place, values: Object.fromEntries(words), closed: place.closed ?? true, ...(defaultValue !== undefined && { defaultValue }) }
}
