import { type Condition, type Filters, filtersOf, isSameKind } from '../filters/conditions.ts'
import type { DescribedField } from '../session/session.ts'
import type { RecordSchema } from './record-schema.ts'

export interface Search {
  readonly fields: readonly DescribedField[]
  readonly text: string
  /** The conditions that the search box stands for. */
  readonly conditions: readonly Condition[]
  /** The other conditions. */
  readonly rest: readonly Condition[]
}

const SEARCHED_TYPES: readonly string[] = ['text', 'email', 'phone', 'longText']

/** The text fields, those of the name first, and of these the last one first: a last name is the most selective. */
function searchedFields(schema: RecordSchema): readonly DescribedField[] {
  const known = schema.fields.filter(({ Type, Operators }) => SEARCHED_TYPES.includes(Type) && Operators.includes('contains'))
  const rank = ({ Name }: DescribedField) => (schema.titles.includes(Name) ? -schema.titles.indexOf(Name) - 1 : SEARCHED_TYPES.length)
  return known.toSorted((a, b) => rank(a) - rank(b))
}

/**
 * The part of a view's conditions that the search box shows: what was typed there, or in a link the parts of a name, or a part of a text whose
 * field has no other filter of that kind, since of two the box could show only one. Undefined where no field can be searched.
 */
export function searchOf(schema: RecordSchema, conditions: readonly Condition[], typed: readonly Condition[] = []): Search | undefined {
  const fields = searchedFields(schema)
  if (fields.length === 0) return undefined
  const texts = conditions.filter((one) => one.operator === 'contains' && typeof one.value === 'string' && fields.some(({ Name }) => Name === one.field))
  const byTyping = typed.map((one) => texts.find((other) => isSameKind(one, other) && one.value === other.value))
  const single = texts.filter((one) => texts.filter(({ field }) => field === one.field).length === 1)
  const name = schema.titles.flatMap((title) => single.filter(({ field }) => field === title))
  const own = byTyping.length > 0 && !byTyping.includes(undefined) ? byTyping.flatMap((one) => one ?? []) : name.length > 1 ? name : single.slice(0, 1)
  return { fields, text: own.map(({ value }) => value).join(' '), conditions: own, rest: conditions.filter((one) => !own.includes(one)) }
}

const MOST = 8
const NUMBER = /^[+(\d][\d\s()./-]*$/

/**
 * The conditions a text may stand for, likeliest first; those of one interpretation are ANDed. Several words may be a first and last name in
 * either order; text with an @ is an e-mail address.
 */
export function interpretationsOf(schema: RecordSchema, typed: string): (readonly Condition[])[] {
  const text = typed.trim().replace(/\s+/g, ' ')
  if (text === '') return []
  const fields = searchedFields(schema)
  const of = (...types: readonly string[]) => fields.filter(({ Type }) => types.includes(Type))
  const likely = text.includes('@') ? of('email') : NUMBER.test(text) ? of('phone') : []
  const others = fields.filter((field) => !likely.includes(field) && (field.Type !== 'phone' || /\d/.test(text)))
  const whole = [...likely, ...others].map(({ Name }) => [containing(Name, text)])
  return [...(likely.length > 0 ? [] : nameSplits(schema, text)), ...whole].slice(0, MOST)
}

export const containing = (field: string, value: string): Condition => ({ field, operator: 'contains', value: value.trim() })

/** `Niamh Ashworth`, `Ashworth, Niamh` and `Mary Ann Smith`, over the first and the last name. */
function nameSplits({ titles: [first, last] }: RecordSchema, text: string): (readonly Condition[])[] {
  const words = text.split(/[\s,]+/).filter(Boolean)
  if (first === undefined || last === undefined || words.length < 2) return []
  return words.slice(1).flatMap((_, nth) => {
    const [before, after] = [words.slice(0, nth + 1).join(' '), words.slice(nth + 1).join(' ')]
    return [
      [containing(first, before), containing(last, after)],
      [containing(first, after), containing(last, before)],
    ]
  })
}

export const asFilters = (interpretations: readonly (readonly Condition[])[], rest: readonly Condition[] = []): Filters[] =>
  interpretations.map((one) => filtersOf([...one, ...rest]))
