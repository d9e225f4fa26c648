import { usePeople } from '../data/people-names.ts'
import { textOf } from '../grid/cell.tsx'
import type { DescribedField } from '../session/session.ts'
import { type Condition, choiceOf, isBare, sentenceOf, wordsOf } from './conditions.ts'

/** Conditions in words: `Status is Unqualified`. */
export function useWords(fields: readonly DescribedField[]): (condition: Condition) => string {
  const { nameOf } = usePeople()
  const wordsOfOne = (condition: Condition) => {
    const field = fields.find(({ Name }) => Name === condition.field)
    const choice = choiceOf(condition)
    const between = choice === 'between' && Array.isArray(condition.value)
    const value = isBare(choice)
      ? ''
      : between
        ? (condition.value as unknown[]).map((day) => textOf(field, day, nameOf)).join(' and ')
        : textOf(field, condition.value, nameOf)
    return `${field?.Label ?? condition.field} ${wordsOf(choice, field?.Type)} ${value}`.trim()
  }
  return (condition) => sentenceOf(condition, wordsOfOne)
}
