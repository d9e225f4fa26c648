import type { Members } from './shorten.ts'
import { TOOLS } from './tools.ts'

interface Described {
  readonly Name: string
  readonly Type: string
  readonly Required: boolean
  readonly Writable: boolean
  readonly AllowedValues: readonly string[] | null
  readonly SuggestedValues: readonly string[] | null
  readonly Operators: readonly string[]
}

/** The record types that tools are about. */
const TYPES = new Set(TOOLS.map(({ operation }) => operation.record.name))

/** What describe answers, with a line a field, and the operators of each type said once. */
export function briefDescription(answer: Members, left: string[]): Members {
  const { Platform, RecordTypes, CustomObjects } = answer as unknown as {
    Platform: string
    RecordTypes: readonly { Name: string; Summary: string; Fields: readonly Described[] }[]
    CustomObjects: readonly { ObjectName: string; Fields: readonly Described[] }[]
  }
  const types = RecordTypes.length === 1 ? RecordTypes : RecordTypes.filter(({ Name }) => TYPES.has(Name))
  const all = [...types, ...CustomObjects].flatMap(({ Fields }) => Fields)
  left.push('labels, descriptions and lengths')
  if (types.length < RecordTypes.length) left.push('record types that are administration')
  return {
    Platform,
    RecordTypes: types.map(({ Name, Summary, Fields }) => ({ Name, Summary, Fields: linesOf(Fields) })),
    ...(CustomObjects.length > 0 && { CustomObjects: CustomObjects.map(({ ObjectName, Fields }) => ({ ObjectName, Fields: linesOf(Fields) })) }),
    Operators: Object.fromEntries(all.flatMap(({ Type, Operators }) => (Operators.length > 0 ? [[Type, Operators.join(' ')]] : []))),
  }
}

const linesOf = (fields: readonly Described[]) => Object.fromEntries(fields.map((field) => [field.Name, lineOf(field)]))

function lineOf({ Type, Required, Writable, AllowedValues, SuggestedValues }: Described): string {
  const said = [
    Type,
    ...(Required && Writable ? ['required'] : []),
    ...(Writable ? [] : ['cannot be updated']),
    ...(AllowedValues ? [`one of: ${AllowedValues.join(', ')}`] : SuggestedValues ? [`such as: ${SuggestedValues.join(', ')}`] : []),
  ]
  return said.join('; ')
}
