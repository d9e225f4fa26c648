import { FAMILIES, type Family, FIELD_KINDS, type FieldKind } from '../../contract/fields.ts'
import type { RecordType } from '../../contract/record.ts'
import { quotedName, visible } from '../../contract/visible-text.ts'

/**
 * How many bytes of an account's own fields tools show where one type has such fields, and of each type where several do: an account may have hundreds of fields, and `describe` shows
 * all. Half of them are for fields that are shown with their types.
 */
export const OWN_BYTES = { alone: 96, each: 32 } as const
/** What the schema of a field takes beside its name, with its label: about as many tokens as a name of this length. */
const SCHEMA_BYTES = 16

/** The fields that a tool shows with their types, those that it only names, and how many it leaves to `describe`. */
export interface Selection {
  readonly shown: readonly string[]
  readonly named: readonly string[]
  readonly left: number
}

/** Fields that are often written and looked for: the required and the indexed ones. */
const isCommon = ({ fields, indexed }: RecordType, name: string) =>
  name !== 'OwnerID' && (!indexed || indexed.includes(name) || fields[name]?.required === true || fields[name]?.insisted === true)

/** Shows the common fields and names the others; of an account's own fields as many as there is room for, the required ones first. */
export function select(record: RecordType, names: readonly string[], room: number): Selection {
  const isOwn = (name: string) => record.fields[name]?.extra === true
  const insisted = (name: string) => record.fields[name]?.insisted === true
  const standard = names.filter((name) => !isOwn(name))
  const own = names.filter(isOwn)
  let used = 0
  const fits = (name: string, more: number, most: number) => {
    const bytes = Buffer.byteLength(name) + more
    if (used + bytes > most) return false
    used += bytes
    return true
  }
  const inTurn = [...own.filter(insisted), ...own.filter((name) => !insisted(name))]
  // A required one is named a second time, as such.
  const bytesOf = (name: string) => SCHEMA_BYTES + (insisted(name) ? Buffer.byteLength(name) : 0)
  // What cannot be seen in a name would not be seen in a schema either.
  const shown = inTurn.filter((name) => visible(name) === name && fits(name, bytesOf(name), room / 2))
  const named = inTurn.filter((name) => !shown.includes(name) && fits(name, 2, room))
  return {
    shown: [...standard.filter((name) => isCommon(record, name)), ...own.filter((name) => shown.includes(name))],
    named: [...standard.filter((name) => !isCommon(record, name)), ...own.filter((name) => named.includes(name))],
    left: own.length - shown.length - named.length,
  }
}

const familyOf = ({ fields }: RecordType, name: string): Family => FIELD_KINDS[fields[name]?.kind as FieldKind] ?? 'text'

/** Names in groups, in the order of their first members. */
function grouped(names: readonly string[], groupOf: (name: string) => string): (readonly [string, string])[] {
  const groups = [...new Set(names.map(groupOf))]
  return groups.map(
    (group) =>
      [
        group,
        names
          .filter((name) => groupOf(name) === group)
          .map(quotedName)
          .join(' '),
      ] as const,
  )
}

const more = (left: number) => (left > 0 ? [`${left} more in describe`] : [])

/** Names with the type of their values where that is not a text. */
export function namesWithTypes(record: RecordType, { named, left }: Pick<Selection, 'named' | 'left'>): string {
  const typeOf = (name: string) => (familyOf(record, name) === 'text' ? '' : `${familyOf(record, name)}s: `)
  return [...grouped(named, typeOf).map(([type, names]) => `${type}${names}`), ...more(left)].join('; ')
}

/** Names with the operators that they are filtered by. */
export function namesWithOperators(record: RecordType, names: readonly string[], left: number): string {
  const groups = grouped(names, (name) => FAMILIES[familyOf(record, name)].operators.join(' ')).map(([operators, some]) => `${some}: ${operators}`)
  return [...groups, ...more(left)].join('; ')
}
