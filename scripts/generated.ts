import { SETTINGS_TABLE } from '../src/config/settings.ts'
import { ERROR_TEXTS } from '../src/contract/error-texts.ts'
import { ERRORS, type ErrorCode } from '../src/contract/errors.ts'
import { EXIT_CODES } from '../src/contract/exit-codes.ts'
import { isDestructive, type Operation } from '../src/contract/operation.ts'
import { OPERATIONS } from '../src/contract/operations.ts'
import { streams } from '../src/core/call/stream.ts'
import { answerExample } from '../src/transports/http/openapi/examples.ts'
import { openapiDocument } from '../src/transports/http/openapi/openapi.ts'
import { crmSections } from './crm-sections.ts'
import { eventsPage } from './events-page.ts'
import { limitsPage } from './limits-page.ts'
import { cell, json, page } from './markdown.ts'
import { methodGroups } from './method-groups.ts'
import { methodsTable } from './methods-table.ts'
import { n8nFiles } from './n8n/properties.ts'

/** Every generated file of the repository, by its path. */
export function generatedFiles(version: string): Map<string, string> {
  return new Map([
    ...OPERATIONS.map((operation): [string, string] => [`docs/operations/${operation.id}.md`, operationPage(operation)]),
    ['docs/operations/README.md', indexPage()],
    ['docs/errors.md', errorsPage()],
    ['docs/events.md', eventsPage()],
    ['docs/configuration.md', configurationPage()],
    ['docs/limits.md', limitsPage()],
    ['docs/openapi.json', `${JSON.stringify(openapiDocument({ version }), null, 2)}\n`],
    ['src/contract/client/groups.ts', methodGroups()],
    ['src/contract/client/methods.ts', methodsTable()],
    ...n8nFiles(),
  ])
}

function operationPage(operation: Operation): string {
  const { properties, required = [] } = operation.input as unknown as { properties: Record<string, Schema>; required?: string[] }
  const inputs = Object.entries(properties).map(
    ([name, schema]) =>
      `| \`${name}\` | ${typeOf(schema)} | ${required.includes(name) ? 'yes' : ''} | ${cell([schema.description, limits(schema)].filter(Boolean).join(' '))} |`,
  )
  return page([
    `# ${operation.name}`,
    operation.description,
    `\`POST /v1/operations/${operation.id}\` · \`crm ${operation.id}\` · \`crm.${operation.method}()\` · scope \`${operation.tier}\`${operation.extension ? ' · extension' : ''}`,
    '## Input',
    inputs.length > 0 ? ['| name | type | required | |', '|---|---|---|---|', ...inputs].join('\n') : 'None.',
    ...(operation.effect === 'read' ? [] : ['## Beside the input', besideInput(operation)]),
    '## Request',
    json(operation.example),
    '## Answer',
    json(answerExample(operation)),
    ...(streams(operation) ? ['With `Accept: application/x-ndjson` all matches are streamed, one record a line.'] : []),
    '## Errors',
    errorTable(operation.errors),
  ])
}

/** What every write takes and answers with, whatever its input. */
function besideInput(operation: Operation): string {
  const { input, output } = operation
  const has = (schema: unknown, member: string) => Object.hasOwn((schema as { properties: object }).properties, member)
  return [
    'The header `Idempotency-Key` (`--idempotency-key`) makes it [safe to repeat](../journal.md#once), and `Dry-Run: true` (`--dry-run`) [only says what would be written](../journal.md#dry-run).',
    ...(operation.confirmed ? ['It always has to be [confirmed](../journal.md#confirmation), which `Confirmation-Token` (`--confirmation`) does.'] : []),
    ...(isDestructive(operation) && !operation.confirmed
      ? ['Where the key or `Confirm: deletes` wants it [confirmed](../journal.md#confirmation), `Confirmation-Token` does that.']
      : []),
    ...(has(input, 'IfRevision') ? ['`If-Match` is `IfRevision` as a header, and takes an `ETag`.'] : []),
    `The answer names the line it has left in the audit in \`Change-Id\`${has(output, 'Revision') ? ', and the Revision of the record in `ETag`' : ''}.`,
  ].join(' ')
}

function indexPage(): string {
  const rows = (some: readonly Operation[]) =>
    [
      '| operation | id | sdk | scope | |',
      '|---|---|---|---|---|',
      ...some.map(({ name, id, method, tier, summary }) => `| [${name}](${id}.md) | \`${id}\` | \`${method}\` | \`${tier}\` | ${cell(summary)} |`),
    ].join('\n')
  return page([
    '# Operations',
    'The 27 operations:',
    rows(OPERATIONS.filter(({ extension }) => !extension)),
    'What goes beyond them:',
    rows(OPERATIONS.filter(({ extension }) => extension)),
  ])
}

function errorsPage(): string {
  return page([
    '# Errors',
    'One closed table. Over HTTP a refusal is an RFC 9457 `application/problem+json` with `type title status detail code retryable requestId` and, where they apply, `errors`, `hint` and `retryAfter`. `errors` lists every fault at once: `field`, `code`, `message`, and where it helps `expected` and `didYouMean`. `retryable` is false, whatever the table says of the code, where a retry cannot help until a person has done what `hint` says, such as to connect a CRM again.',
    errorTable(Object.keys(ERRORS) as ErrorCode[]),
  ])
}

const SECRET_KEYS = [
  '## Secret keys',
  'The secrets and tokens of connections, the secrets of webhooks and what else is secret in the store are stored sealed (AES-256-GCM). `CRM_SECRET_KEYS` has the keys, each 32 bytes in base64 or hex as `openssl rand -base64 32` prints them: the first seals, all of them open. Without it, a key is made at the first start in the file `secret-key` beside the store, which only its owner can read. Of a store `x.db` directly in the working directory, or beside a `package.json`, it is in the folder `x.db.keys` instead, which Git ignores, unless it was beside the store before. Several keys may stand there, too, one a line. Where both are given, those in the file only open. A file that is missing is not replaced while the store has values that were sealed with it: the service starts, says so, and refuses what needs a secret until the file is back, or `CRM_SECRET_KEYS` is given.',
  'All services on one store need the same keys, and a database may be shared by several machines: no key is made for one, secrets of webhooks stay in plain text there until the variable is set, and connections need it. **Keep a copy of them, apart from the backups:** neither `crm backup` nor `crm migrate-store` takes them along, and without them the secrets cannot be opened again, only replaced: webhooks get new ones, and CRMs are connected again.',
  [
    'To replace a key, or to move from the file to the variable, without an interruption:',
    '',
    '1. Add a new key at the end of `CRM_SECRET_KEYS`, and restart all services one after the other. With a key in the file, put its key first: `CRM_SECRET_KEYS="$(cat data/secret-key),NEW"`.',
    '2. Move the new key to the front, restart them again, and run `crm secrets rotate` with the same `CRM_SECRET_KEYS`.',
    '3. Once `crm secrets` shows no value under the old key, remove it. Keep it for as long as you keep backups from before.',
  ].join('\n'),
]

function configurationPage(): string {
  const rows = Object.entries(SETTINGS_TABLE).map(([name, row]) => {
    const flag = 'flag' in row ? `\`${row.flag}\`` : ''
    const inFile = 'notInFile' in row ? '' : `\`${name}\``
    return `| ${flag} | \`${row.variable}\` | ${inFile} | ${'fallback' in row ? `\`${row.fallback}\`` : ''} | ${cell(row.help)} |`
  })
  return page([
    '# Configuration',
    'Flags are stronger than variables, variables than `crm.config.json` in the working directory.',
    ['| flag | variable | in the file | default | |', '|---|---|---|---|---|', ...rows].join('\n'),
    'Only the file can say what values mean:',
    [
      '| in the file | default | |',
      '|---|---|---|',
      '| `wonStages`, `lostStages` | `["Closed Won"]`, `["Closed Lost"]` | the stages that summaries count as won and as lost |',
      '| `closedStatuses` | `["Closed"]` | the case statuses that summaries count as closed |',
      '| `allowedValues` | `{}` | closes a set of values: `{ "Lead": { "Status": ["Open", "Contacted"] } }` |',
      '| `workspaces` | `{}` | gives a workspace a platform of its own: `{ "sandbox": { "platform": "sqlite:./data/sandbox.db" } }` |',
      '| `platforms` | `{}` | says more of a platform that is a CRM, see below |',
      '| `signIn` |  | what is made of the people who sign in with OpenID Connect: [Signing in](sign-in.md#people) |',
    ].join('\n'),
    ...SECRET_KEYS,
    ...crmSections(),
  ])
}

function errorTable(codes: readonly ErrorCode[]): string {
  const rows = codes.map(
    (code) => `| \`${code}\` | ${ERRORS[code].status} | ${EXIT_CODES[code]} | ${ERRORS[code].retryable ? 'yes' : 'no'} | ${ERROR_TEXTS[code].means} |`,
  )
  return ['| code | HTTP | exit | retry | means |', '|---|---|---|---|---|', ...rows].join('\n')
}

interface Schema {
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly description?: string
  readonly maxLength?: number
  readonly maxItems?: number
  readonly maxProperties?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly enum?: readonly unknown[]
}

function typeOf(schema: Schema): string {
  if (schema.enum) return schema.enum.map((value) => `\`${value}\``).join(' ')
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? ['any'])
  return types.map((type) => (type === 'string' && schema.format && schema.format !== 'text' ? schema.format : type)).join(' or ')
}

function limits({ maxLength, maxItems, maxProperties, minimum, maximum }: Schema): string {
  const sentences = [
    maxLength && `At most ${maxLength} characters.`,
    (maxItems ?? maxProperties) && `At most ${maxItems ?? maxProperties} members.`,
    minimum !== undefined && maximum !== undefined && `From ${minimum} to ${maximum}.`,
  ]
  return sentences.filter(Boolean).join(' ')
}
