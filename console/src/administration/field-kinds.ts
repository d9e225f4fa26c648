import { recordType } from 'crm-connector/contract'
import type { DescribedField } from '../session/session.ts'

/** What the contract says of a definition. */
export const DEFINITION = recordType('OwnField').fields

const valuesOf = (field: string): readonly string[] => DEFINITION[field]?.closed ?? []

/** The record types that fields can be added to, the kinds of fields, and what a reference can point to. */
export const EXTENSIBLE = valuesOf('RecordType')
export const KINDS = valuesOf('Kind')
export const TARGETS = valuesOf('RefersTo')

const WORDS: { readonly [kind: string]: string } = {
  text: 'Text',
  longText: 'Long text',
  email: 'E-mail',
  phone: 'Phone',
  choice: 'Choice',
  choices: 'Several choices',
  reference: 'Reference',
  number: 'Number',
  integer: 'Whole number',
  money: 'Money',
  date: 'Date',
  timestamp: 'Date and time',
  boolean: 'Yes or no',
  json: 'JSON',
}

export const kindText = (kind: string): string => WORDS[kind] ?? kind

/** The kind of a field as a definition names it. */
export const kindOf = ({ Type }: Pick<DescribedField, 'Type'>): string => (Type === 'id' ? 'reference' : Type)

export const hasValues = (kind: string): boolean => kind === 'choice' || kind === 'choices'
