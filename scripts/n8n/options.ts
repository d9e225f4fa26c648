import type { INodeProperties } from 'n8n-workflow'
import { isDestructive } from '../../src/contract/operation.ts'
import { collection } from './collections.ts'
import type { Offered } from './operations.ts'
import { EXPRESSION, locator } from './parameters.ts'
import { remark } from './words.ts'

/** Whether an operation answers page by page. */
export const pages = ({ inputs }: Offered) => inputs.Limit !== undefined

export function options(offered: Offered): INodeProperties[] {
  const { inputs, operation } = offered
  const all: INodeProperties[] = []
  const fields = locator({ search: 'searchFields', typed: 'By Name' })
  if (inputs.OrderBy) {
    all.push({ displayName: 'Order By', name: 'orderBy', ...fields, description: 'Newest first by default' })
    all.push({
      displayName: 'Order Direction',
      name: 'direction',
      type: 'options',
      default: 'asc',
      description: 'The direction of Order By; without a field it has no effect',
      options: [
        { name: 'Ascending', value: 'asc' },
        { name: 'Descending', value: 'desc' },
      ],
    })
  }
  if (inputs.Select)
    all.push({
      displayName: 'Field Names or IDs',
      name: 'select',
      type: 'multiOptions',
      default: [],
      typeOptions: { loadOptionsMethod: 'getFields' },
      description: `The fields to return; the ID is always included. ${EXPRESSION}.`,
    })
  if (pages(offered)) {
    all.push({ displayName: 'Start at Cursor', name: 'cursor', type: 'string', default: '', description: 'The NextCursor of an earlier page' })
    all.push({
      displayName: 'Return the Page as It Is',
      name: 'onePage',
      type: 'boolean',
      default: false,
      description:
        'Whether to return one item with the page and its NextCursor, instead of an item for each record. Returns one page even if Return All is on.',
    })
  }
  if (inputs.IfRevision)
    all.push({
      displayName: 'If Revision',
      name: 'ifRevision',
      type: 'number',
      default: 1,
      typeOptions: { minValue: 1 },
      description: remark(inputs.IfRevision.description ?? ''),
    })
  if (operation.effect !== 'read') all.push(...WRITES)
  if (isDestructive(operation)) all.push(CONFIRMATION)
  if (isDestructive(operation) && !operation.confirmed) all.push(PLANNED)
  return all.length > 0 ? [collection('options', 'Add Option', all)] : []
}

const WRITES: readonly INodeProperties[] = [
  { displayName: 'Dry Run', name: 'dryRun', type: 'boolean', default: true, description: 'Whether to return what would be written, without writing it' },
  {
    displayName: 'Idempotency Key',
    name: 'idempotencyKey',
    type: 'string',
    default: '',
    description:
      'Repeated calls with the same key write once. Use an expression that differs from item to item. By default the key is made of the execution, the node, its run and the item.',
  },
  {
    displayName: 'Include Call Details',
    name: 'includeCall',
    type: 'boolean',
    default: true,
    description: 'Whether to add Call to the output: the ChangeID that Undo Change takes, and whether an earlier answer was replayed',
  },
]

const CONFIRMATION: INodeProperties = {
  displayName: 'Confirmation Token',
  name: 'confirmationToken',
  type: 'string',
  typeOptions: { password: true },
  default: '',
  description: 'The token of the plan, if the call was refused because it has to be confirmed',
}

const PLANNED: INodeProperties = {
  displayName: 'Plan First',
  name: 'planFirst',
  type: 'boolean',
  default: true,
  description: 'Whether to answer with a plan that shows what the call would do. The call is executed once it is confirmed by the token.',
}
