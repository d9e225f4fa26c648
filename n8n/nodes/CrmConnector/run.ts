import type { IDataObject, IExecuteFunctions } from 'n8n-workflow'
import { type Answered, call } from './call.ts'
import { keyOf } from './idempotency.ts'
import { type Input, inputOf, optionsOf, type Read } from './input.ts'
import { OPERATIONS } from './operations.ts'
import { limitOf, recordsOf } from './pages.ts'
import { ParameterFault } from './parameter-fault.ts'
import type { Operation } from './tables.ts'

/** Runs the operation for one input item. */
export async function answersOf(context: IExecuteFunctions, item: number): Promise<IDataObject[]> {
  const read = readerOf(context, item)
  const [resource, verb] = [String(read('resource')), String(read('operation'))]
  const operation = OPERATIONS[resource]?.[verb]
  if (!operation) throw new ParameterFault('operation', `There is no operation ${verb} of ${resource}.`)
  if (operation.forPeople && isAgent(context))
    throw new ParameterFault('operation', 'Only a person may decide on this: it is no tool of an agent.', {
      hint: 'Use the node in a workflow, or the web console.',
    })
  const input = inputOf(operation, read, context.getTimezone())
  const headers = headersOf(context, operation, read, item)
  const send = async (input: Input) => call(context, operation.id, input, headers)
  if (operation.forms.includes('Limit')) return pagesOf(operation, read, input, send)
  const answer = await send(input)
  return [optionsOf(read).includeCall === true ? { ...answer.body, Call: detailsOf(answer) } : answer.body]
}

/** Whether an agent calls the node: by itself, or n8n's engine for it, where the node is its variant for agents. */
const isAgent = (context: IExecuteFunctions) => context.isToolExecution?.() === true || context.getNode().type.endsWith('Tool')

/** Reads the parameters of an item. A failed expression becomes a fault of its parameter. */
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

async function pagesOf({ forms }: Operation, read: Read, input: Input, send: (input: Input) => Promise<Answered>): Promise<IDataObject[]> {
  const { cursor, onePage } = optionsOf(read)
  // A Limit in the JSON input overrides the parameters.
  const all = input.Limit === undefined && read('returnAll', false) === true
  const wanted = {
    limit: all ? undefined : limitOf('Limit' in input ? input.Limit : read('limit', 50)),
    cursor: cursor === '' ? undefined : (cursor as string | undefined),
  }
  if (onePage === true) {
    const cursorName = forms.includes('After') ? 'After' : 'Cursor'
    return [(await send({ ...input, ...(!all && { Limit: wanted.limit }), ...(wanted.cursor !== undefined && { [cursorName]: wanted.cursor }) })).body]
  }
  const records: IDataObject[] = []
  for await (const record of recordsOf(async (page) => (await send(page)).body, input, forms, wanted)) records.push(record)
  return records
}

function headersOf(context: IExecuteFunctions, operation: Operation, read: Read, item: number): { [name: string]: string } {
  if (!operation.writes) return {}
  const options = optionsOf(read)
  const { dryRun, idempotencyKey, planFirst, confirmationToken } = options
  if ('idempotencyKey' in options && (idempotencyKey === undefined || idempotencyKey === null))
    throw new ParameterFault('Idempotency-Key', 'Idempotency Key has no value.', { hint: 'Its expression returned nothing for this item.' })
  return {
    'Idempotency-Key': idempotencyKey ? String(idempotencyKey) : keyOf(context, item),
    ...(dryRun === true && { 'Dry-Run': 'true' }),
    ...(planFirst === true && { Confirm: 'deletes' }),
    ...(confirmationToken ? { 'Confirmation-Token': String(confirmationToken) } : {}),
  }
}

/** The change id of a write, and whether the answer was replayed. */
function detailsOf({ headers }: Answered): IDataObject {
  return { ChangeID: (headers['change-id'] as string | undefined) ?? null, Replayed: headers['idempotency-replayed'] === 'true' }
}
