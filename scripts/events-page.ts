import { words } from '../src/contract/record.ts'
import { EVENT_TYPES, type EventType, getManyEvents, TEST_EVENT } from '../src/contract/records/event.ts'
import { eventExample } from '../src/transports/http/openapi/event-examples.ts'
import { cell, json, page } from './markdown.ts'

/** `docs/events.md`: every event, with what it means, what it holds and an example. */
export function eventsPage(): string {
  const plurals = [...new Set(EVENT_TYPES.map(({ record }) => record.plural))]
  return page([
    '# Events',
    'What happens to records is announced: over `GET /v1/events`, as server-sent events and to webhooks, always in the same form. [The journal](journal.md#events) says how to receive them. A caller receives those of records they may see, and those that show a note, comment or membership only with a key that may read these.',
    membersTable(),
    ['| type | |', '|---|---|', ...EVENT_TYPES.map(({ type, summary }) => `| [\`${type}\`](#${anchor(type)}) | ${cell(summary)} |`)].join('\n'),
    `\`test_webhook\` sends the Type \`${TEST_EVENT}\`, with the webhook as Record and null as ChangeID; it is announced nowhere else.`,
    ...plurals.flatMap((plural) => [`## ${words(plural)}`, ...EVENT_TYPES.filter(({ record }) => record.plural === plural).flatMap(section)]),
  ])
}

function section(type: EventType): string[] {
  const { title } = type.schema as unknown as { title: string }
  return [`### ${type.type}`, `${type.summary} Its schema is \`${title}\` in [openapi.json](openapi.json).`, json(eventExample(type))]
}

/** What every event holds. */
function membersTable(): string {
  const { items } = getManyEvents.output.properties.Events as unknown as { items: { properties: { [name: string]: { description?: string } } } }
  const rows = Object.entries(items.properties).map(([name, { description = PLAIN[name] ?? '' }]) => `| \`${name}\` | ${cell(description)} |`)
  return ['| member | |', '|---|---|', ...rows].join('\n')
}

/** What goes without saying in a schema. */
const PLAIN: { readonly [member: string]: string } = {
  Type: 'What happened: one of those below.',
  At: 'When it happened.',
  RecordType: 'What it happened to.',
  RecordID: 'The record it happened to.',
}

/** Where a heading is found: as GitHub names it. */
const anchor = (heading: string) => heading.replaceAll('.', '')
