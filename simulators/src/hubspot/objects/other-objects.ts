import { property } from '../properties/property.ts'
import { choice, long, type ObjectDefinition, plain, text } from './object-definition.ts'

const when = property('hs_timestamp', 'Activity date', 'datetime')
const timed = { required: ['hs_timestamp'] } as const

/** Activities other than notes, and products. */
export const OTHER_OBJECTS: readonly ObjectDefinition[] = [
  plain(
    '0-27',
    'tasks',
    'task',
    'hs_createdate',
    [
      when,
      text('hs_task_subject', 'Task Title'),
      text('hs_task_body', 'Task Notes', { fieldType: 'html' }),
      choice('hs_task_status', 'Task Status', ['NOT_STARTED', 'IN_PROGRESS', 'WAITING', 'DEFERRED', 'COMPLETED']),
      choice('hs_task_priority', 'Priority', ['NONE', 'LOW', 'MEDIUM', 'HIGH']),
      choice('hs_task_type', 'Task Type', ['TODO', 'CALL', 'EMAIL', 'LINKED_IN']),
    ],
    { ...timed, defaults: { hs_task_status: 'NOT_STARTED' } },
  ),
  plain(
    '0-48',
    'calls',
    'call',
    'hs_createdate',
    [when, text('hs_call_title', 'Call Title'), text('hs_call_body', 'Call notes', { fieldType: 'html' })],
    timed,
  ),
  plain('0-49', 'emails', 'email', 'hs_createdate', [when, text('hs_email_subject', 'Email subject'), text('hs_email_text', 'Text body', long)], timed),
  plain(
    '0-47',
    'meetings',
    'meeting',
    'hs_createdate',
    [
      when,
      text('hs_meeting_title', 'Meeting name'),
      text('hs_meeting_body', 'Meeting description', { fieldType: 'html' }),
      property('hs_meeting_start_time', 'Meeting start time', 'datetime'),
      property('hs_meeting_end_time', 'Meeting end time', 'datetime'),
      choice('hs_meeting_outcome', 'Meeting outcome', ['SCHEDULED', 'COMPLETED', 'RESCHEDULED', 'NO_SHOW', 'CANCELED']),
    ],
    timed,
  ),
  plain(
    '0-7',
    'products',
    'product',
    'createdate',
    [text('name', 'Name'), text('description', 'Product description', long), text('hs_sku', 'SKU'), property('price', 'Unit price', 'number')],
    { shown: ['name', 'description', 'price'] },
  ),
  plain(
    '0-8',
    'line_items',
    'line_item',
    'createdate',
    [text('name', 'Name'), property('quantity', 'Quantity', 'number'), property('price', 'Unit price', 'number'), property('amount', 'Net price', 'number')],
    { shown: ['name', 'quantity', 'amount'] },
  ),
]
