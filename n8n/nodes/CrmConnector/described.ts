import type { ILoadOptionsFunctions } from 'n8n-workflow'
import { call } from './call.ts'
import { FIELDS } from './fields.ts'
import { OPERATIONS } from './operations.ts'

export interface Described {
  readonly Name: string
  readonly Type: string
  readonly Label: string
  readonly Required: boolean
  readonly Writable: boolean
  readonly AllowedValues: readonly string[] | null
  readonly SuggestedValues: readonly string[] | null
}

interface Description {
  readonly RecordTypes: readonly { readonly Fields: readonly Described[] }[]
  readonly CustomObjects: readonly { readonly ObjectName: string; readonly Fields: readonly Described[] }[]
}

export const describe = async (context: ILoadOptionsFunctions, RecordType: string) =>
  (await call(context, 'describe', { RecordType })).body as unknown as Description

/** The record type of the operation that is being edited. */
export function recordOf(context: ILoadOptionsFunctions): string {
  const [resource, verb] = ['resource', 'operation'].map((name) => String(context.getCurrentNodeParameter(name)))
  return OPERATIONS[resource ?? '']?.[verb ?? '']?.record ?? 'Lead'
}

/** Whether a field can be written and is not in the contract: a workspace has defined it, or its CRM account has it. */
export const isFurther = (record: string, { Name, Writable }: Described) => Writable && !Object.hasOwn(FIELDS[record] ?? {}, Name)

export const titleOf = ({ Name, Label }: Described) => (Label === Name ? Name : `${Label} (${Name})`)
