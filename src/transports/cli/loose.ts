import type { Crm } from '../../contract/client/client.ts'
import { CrmError } from '../../contract/errors.ts'
import { isRow, type Row } from './cells.ts'
import { NOT } from './schema.ts'
import { Loose } from './values.ts'

type Definitions = Awaited<ReturnType<Crm['describe']>>['CustomObjects']

/**
 * Gives values of user-defined fields the types that the workspace has defined for them. Only where a value looks like something else
 * than a text the definitions have to be asked for.
 */
export async function settled(input: Row, crm: Crm): Promise<Row> {
  const loose = [...looseIn(input)]
  if (loose.length === 0) return input
  const doubtful = loose.some(({ look }) => typeof look !== 'string')
  const definitions = doubtful ? await definitionsOf(crm) : []
  const object = objectName(input)
  const known = definitions.filter(({ ObjectName }) => object === undefined || ObjectName === object).flatMap(({ Fields }) => Fields)
  const isText = (name: string, siblings: Row) => {
    const types = [...(typeof siblings.Type === 'string' ? [siblings.Type] : []), ...known.filter(({ Name }) => Name === name).map(({ Type }) => Type)]
    return types.length > 0 && types.every((type) => type !== 'Number' && type !== 'Boolean')
  }

  function settle(value: unknown, field: string, siblings: Row): unknown {
    if (value instanceof Loose) return value.look !== null && isText(field, siblings) ? unquoted(value) : value.look
    if (Array.isArray(value)) return value.map((item) => settle(item, field, siblings))
    return isRow(value) ? settleAll(value, field) : value
  }

  function settleAll(row: Row, field: string | undefined): Row {
    // The first name below an input, or below `not`, is that of the field; what is further inside belongs to it.
    const settleOne = (name: string, value: unknown) =>
      field === undefined && name === NOT && isRow(value) && !(value instanceof Loose) ? settleAll(value, undefined) : settle(value, field ?? name, row)
    return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, settleOne(name, value)]))
  }

  return Object.fromEntries(Object.entries(input).map(([name, value]) => [name, isRow(value) ? settleAll(value, undefined) : value]))
}

/** A text in quotes is the text between them, whatever its type. */
const unquoted = (value: Loose) => (typeof value.look === 'string' ? value.look : value.text)

function* looseIn(value: unknown): Generator<Loose> {
  if (value instanceof Loose) yield value
  else if (typeof value === 'object' && value !== null) for (const one of Object.values(value)) yield* looseIn(one)
}

/** The object that is spoken of, where one is named. */
function objectName({ ObjectName, Filters }: Row): string | undefined {
  const named = ObjectName ?? (isRow(Filters) ? Filters.ObjectName : undefined)
  return typeof named === 'string' ? named : undefined
}

/** Without the right to read the definitions, a value has the type that it looks like. */
async function definitionsOf(crm: Crm): Promise<Definitions> {
  try {
    return (await crm.describe({ RecordType: 'CustomObject' })).CustomObjects
  } catch (error) {
    if (error instanceof CrmError && error.code === 'forbidden') return []
    throw error
  }
}
