import type { IDataObject, IExecuteFunctions } from 'n8n-workflow'
import { type Answered, call } from './call.ts'
import { keyOf } from './idempotency.ts'
import { type Input, inputOf, optionsOf, ParameterFault, type Read } from './input.ts'
import { OPERATIONS } from './operations.ts'
import { recordsOf } from './pages.ts'
import type { Operation } from './tables.ts'

/** Carries out the operation for one item. */
export async function answersOf(context: IExecuteFunctions, item: number): Promise<IDataObject[]> {
  const read: Read = (name, fallback) => context.getNodeParameter(name, item, fallback)
  const [resource, verb] = [String(read('resource')), String(read('operation'))]
  const operation = OPERATIONS[resource]?.[verb]
  if (!operation) throw new ParameterFault(`There is no operation ${verb} of ${resource}.`)
  const input = inputOf(operation, read, context.getTimezone())
  const headers = headersOf(context, operation, read, item)
  const ask = async (asked: Input) => call(context, operation.id, asked, headers)
  if (operation.forms.includes('Limit')) return pagesOf(operation, read, input, ask)
  const answer = await ask(input)
  return [optionsOf(read).includeCall === true ? { ...answer.body, Call: detailsOf(answer) } : answer.body]
}

async function pagesOf({ forms }: Operation, read: Read, input: Input, ask: (input: Input) => Promise<Answered>): Promise<IDataObject[]> {
  const { cursor, onePage } = optionsOf(read)
  const all = read('returnAll', false) === true
  const wanted = { limit: all ? undefined : Number(read('limit', 50)), cursor: cursor === '' ? undefined : (cursor as string | undefined) }
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
  const { dryRun, idempotencyKey, planFirst, confirmationToken } = optionsOf(read)
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
