import type { IDataObject, IExecuteFunctions } from 'n8n-workflow'
import { type Answered, call } from './call.ts'
import { keyOf } from './idempotency.ts'
import { type Input, inputOf, optionsOf, type Read } from './input.ts'
import { OPERATIONS } from './operations.ts'
import { limitOf, recordsOf } from './pages.ts'
import { ParameterFault } from './parameter-fault.ts'
import type { Operation } from './tables.ts'

/** Carries out the operation for one item. */
export async function answersOf(context: IExecuteFunctions, item: number): Promise<IDataObject[]> {
  const read = readerOf(context, item)
  const [resource, verb] = [String(read('resource')), String(read('operation'))]
  const operation = OPERATIONS[resource]?.[verb]
  if (!operation) throw new ParameterFault('operation', `There is no operation ${verb} of ${resource}.`)
  const input = inputOf(operation, read, context.getTimezone())
  const headers = headersOf(context, operation, read, item)
  const ask = async (asked: Input) => call(context, operation.id, asked, headers)
  if (operation.forms.includes('Limit')) return pagesOf(operation, read, input, ask)
  const answer = await ask(input)
  return [optionsOf(read).includeCall === true ? { ...answer.body, Call: detailsOf(answer) } : answer.body]
}

/** Reads the parameters of an item. An expression that fails is a fault of the parameter. */
function readerOf(context: IExecuteFunctions, item: number): Read {
  return (name, fallback) => {
    try {
      return context.getNodeParameter(name, item, fallback)
    } catch (error) {
      throw expressionFault(name, error as Error)
    }
  }
}

function expressionFault(name: string, cause: Error & { readonly description?: string | null }): ParameterFault {
  return new ParameterFault(name, cause.message, { code: 'expression', cause, ...(cause.description && { hint: cause.description }) })
}

async function pagesOf({ forms }: Operation, read: Read, input: Input, ask: (input: Input) => Promise<Answered>): Promise<IDataObject[]> {
  const { cursor, onePage } = optionsOf(read)
  // What the JSON says goes before the parameter.
  const all = input.Limit === undefined && read('returnAll', false) === true
  const wanted = {
    limit: all ? undefined : limitOf('Limit' in input ? input.Limit : read('limit', 50)),
    cursor: cursor === '' ? undefined : (cursor as string | undefined),
  }
  if (onePage === true) {
    const place = forms.includes('After') ? 'After' : 'Cursor'
    return [(await ask({ ...input, ...(!all && { Limit: wanted.limit }), ...(wanted.cursor !== undefined && { [place]: wanted.cursor }) })).body]
  }
  const records: IDataObject[] = []
  for await (const record of recordsOf(async (asked) => (await ask(asked)).body, input, forms, wanted)) records.push(record)
  return records
}

function headersOf(context: IExecuteFunctions, operation: Operation, read: Read, item: number): { [name: string]: string } {
  if (!operation.writes) return {}
  const options = optionsOf(read)
  const { dryRun, idempotencyKey, planFirst, confirmationToken } = options
  if ('idempotencyKey' in options && (idempotencyKey === undefined || idempotencyKey === null))
    throw new ParameterFault('Idempotency-Key', 'Idempotency Key has no value.', { hint: 'The expression gives none for this item.' })
  return {
    'Idempotency-Key': idempotencyKey ? String(idempotencyKey) : keyOf(context, item),
    ...(dryRun === true && { 'Dry-Run': 'true' }),
    ...(planFirst === true && { Confirm: 'deletes' }),
    ...(confirmationToken ? { 'Confirmation-Token': String(confirmationToken) } : {}),
  }
}

/** What is known of a write beside its answer. */
function detailsOf({ headers }: Answered): IDataObject {
  return { ChangeID: (headers['change-id'] as string | undefined) ?? null, Replayed: headers['idempotency-replayed'] === 'true' }
}
