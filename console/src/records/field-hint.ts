import { recordType } from 'crm-connector/contract'
import type { DescribedField } from '../session/session.ts'

/** Kinds whose inputs show by themselves what they take: what the contract says of the form is for programs. */
const SHOWN_BY_INPUT = ['date', 'money', 'email']

/** The hint below an input: the description of the field, as far as it says more than the input does. */
export function hintOf(type: string, { Name, Type, Description }: DescribedField): string | undefined {
  const isOfContract = recordType(type).fields[Name]?.description === Description
  return (SHOWN_BY_INPUT.includes(Type) && isOfContract) || Description === null ? undefined : Description
}
