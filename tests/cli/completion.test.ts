import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ERRORS } from '../../src/contract/errors.ts'
import { OPERATIONS } from '../../src/contract/operations.ts'
import { EVENT_TYPES } from '../../src/contract/records/event.ts'
import { TOOLSETS } from '../../src/transports/mcp/tool-filter.ts'
import { runHere } from '../support/cli.ts'
import { cleanEnvironment, collected } from '../support/crm.ts'

const folder = mkdtempSync(join(tmpdir(), 'crm-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const SHELLS = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof SHELLS)[number]
const isInstalled = (shell: Shell) => (process.env.PATH ?? '').split(delimiter).some((place) => existsSync(join(place, shell)))

beforeAll(async () => {
  for (const shell of SHELLS) writeFileSync(join(folder, `crm.${shell}`), (await runHere(['completion', shell])).out)
  writeFileSync(join(folder, 'calls.json'), '{}')
  writeFileSync(join(folder, 'my calls.json'), '{}')
})

/** What bash offers for the last word, as its own completion asks our function. */
const BASH = `source crm.bash
for line in "$@"; do
  IFS=$'\\x1f' read -ra COMP_WORDS <<< "$line"
  [[ $line == *$'\\x1f' ]] && COMP_WORDS+=('')
  COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)) COMPREPLY=()
  _crm 2> /dev/null
  printf '%s\\n' "\${COMPREPLY[@]}" END
done`

/** Zsh completes only on a terminal: one is made, a tab is typed there, and the words that are offered are printed on the way. */
const ZSH_TERMINAL = `PROMPT=
autoload -U compinit
compinit -u -D
source ./crm.zsh
bindkey '^I' complete-word
zstyle ':completion:*' insert-tab false
compprefuncs=( begin-matches )
begin-matches() { print -r -- BEGIN-OF-MATCHES }
comppostfuncs=( end-matches )
end-matches() { print -r -- END-OF-MATCHES }
compadd() {
  local -a hits
  if [[ \${@[1,(i)(-|--)]} == *-(O|A|D)\\ * ]]; then builtin compadd "$@"; return $?; fi
  builtin compadd -A hits "$@"
  print -rl -- $hits
  builtin compadd "$@"
}
print READY`
const ZSH = `zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z "source ./terminal.zsh"
while zpty -r z chunk; do [[ $chunk == *READY* ]] && break; done
zpty -w -n z "$1"$'\\t'
while zpty -r z chunk; do collected+=$chunk; [[ $collected == *END-OF-MATCHES* ]] && break; done
print -r -- \${\${collected#*BEGIN-OF-MATCHES}%END-OF-MATCHES*}`

/** The words a shell offers for the last one. */
function offered(shell: Shell, words: readonly string[]): string[] {
  const run = (file: string, args: readonly string[]) => execFileSync(file, args, { cwd: folder, env: cleanEnvironment({ HOME: folder }), encoding: 'utf8' })
  const lines = (text: string) =>
    text
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean)
  const line = words.map((word) => word.replaceAll(' ', '\\ ')).join(' ')
  if (shell === 'bash')
    return lines(run('bash', ['-c', BASH, 'bash', words.join('\x1f')]))
      .slice(0, -1)
      .map((word) => word.replaceAll('\\', ''))
  if (shell === 'fish')
    return lines(run('fish', ['--no-config', '-c', 'source crm.fish; complete -C $argv[1]', line])).map((word) =>
      (word.split('\t')[0] ?? '').replaceAll('\\', ''),
    )
  writeFileSync(join(folder, 'terminal.zsh'), ZSH_TERMINAL)
  return lines(run('zsh', ['-f', '-c', ZSH, 'zsh', line])).map((word) => word.replaceAll('\\', ''))
}

describe.each(SHELLS)('completion for %s', (shell) => {
  test('says in its help how to install it', async () => {
    expect((await runHere(['completion', '--help'])).out).toContain(`${shell}  `)
  })

  test.skipIf(!isInstalled(shell)).each<[string, string[], string[], string[]]>([
    ['commands', ['crm', 'get_many_l'], ['get_many_leads'], []],
    ['every command', ['crm', ''], [...OPERATIONS.map(({ id }) => id), 'serve', 'login', 'tail', 'doctor', 'backup'], []],
    ['the commands of a command', ['crm', 'workspaces', ''], ['list', 'add'], []],
    ['flags', ['crm', 'create_a_lead', '--L'], ['--LastName'], ['--FirstName']],
    ['flags of a command of a command', ['crm', 'audit', 'verify', '--he'], ['--head', '--help'], []],
    ['flags inside of others', ['crm', 'get_many_opportunities', '--Filters.S'], ['--Filters.Stage'], []],
    ['formats', ['crm', 'get_many_leads', '--output', ''], ['json', 'table', 'csv'], ['--Filters']],
    ['closed sets of values', ['crm', 'create_user', '--Role', ''], ['admin', 'manager', 'member'], []],
    ['values with blanks', ['crm', 'update_opportunity', '--FieldsToUpdate.Stage', ''], ['Prospecting', 'Closed Won'], []],
    ['kinds of events', ['crm', 'tail', '--type', 'lead.c'], ['lead.created'], ['lead.deleted']],
    [
      'operators of a filter',
      ['crm', 'get_many_leads', '--Filters.Status.'],
      ['--Filters.Status.in', '--Filters.Status.ne'],
      ['--Filters.Status.gte', '--all'],
    ],
    ['operators only where they are wanted', ['crm', 'get_many_leads', '--Filters.Status'], ['--Filters.Status'], ['--Filters.Status.in']],
    ['values after an operator', ['crm', 'get_many_opportunities', '--Filters.Stage.ne', ''], ['Prospecting', 'Closed Won'], ['--Filters']],
    ['record types', ['crm', 'describe', '--RecordType', ''], ['Lead', 'CustomObject'], ['--output']],
    ['what can be imported', ['crm', 'import', 'x.csv', '--type', ''], ['Lead', 'Campaign'], ['--map']],
    ['what can be exported', ['crm', 'export', ''], ['leads', 'custom_objects'], []],
    ['closed sets in lists', ['crm', 'get_many_opportunities', '--Include', ''], ['Company', 'Owner'], ['--Filters']],
    ['a list behind its last comma', ['crm', 'create_key', '--Scopes', 'read:Lead,wri'], ['read:Lead,write', 'read:Lead,write:Opportunity'], ['write']],
    ['a list that is a member', ['crm', 'update_webhook', '--FieldsToUpdate.EventTypes', 'lead.*,case.c'], ['lead.*,case.created'], ['lead.*,lead.created']],
    ['a list of an operator', ['crm', 'get_many_opportunities', '--Filters.Stage.in', 'Prospecting,Closed'], ['Prospecting,Closed Won'], ['Closed Won']],
    ['the type of a pair', ['crm', 'import', 'x.csv', '--define', 'Seats=N'], ['Seats=Number'], ['Seats=String']],
    ['which CRMs can be connected', ['crm', 'connect', ''], ['salesforce', 'hubspot'], []],
    ['names of fields', ['crm', 'get_many_leads', '--OrderBy', 'Last'], ['LastName'], ['FirstName']],
    ['toolsets', ['crm', 'mcp', '--toolsets', 'c'], TOOLSETS.filter((name) => name.startsWith('c')), ['leads']],
    ['closed sets of settings', ['crm', 'serve', '--log-level', ''], ['debug', 'silent'], ['--port']],
    ['usual values of settings', ['crm', 'serve', '--processes', ''], ['auto', '1'], ['--port']],
    ['values of the record behind a reference', ['crm', 'get_many_contacts', '--Filters.Owner.Role', ''], ['admin', 'member'], ['--Filters']],
    ['what is confirmed', ['crm', 'mcp', '--confirm', ''], ['deletes'], []],
    ['shells', ['crm', 'completion', ''], ['bash', 'zsh', 'fish'], []],
    ['files', ['crm', 'batch', ''], ['calls.json', 'my calls.json'], []],
  ])(`offers %s, in a real shell${isInstalled(shell) ? '' : ` (${shell} is not installed here)`}`, (_, words, some, none) => {
    const found = offered(shell, words)
    expect(found).toEqual(expect.arrayContaining(some))
    for (const word of none) expect(found).not.toContain(word)
  })

  test.skipIf(!isInstalled(shell))(
    `offers nothing for a value that only its writer knows${isInstalled(shell) ? '' : ` (${shell} is not installed here)`}`,
    () => {
      expect(offered(shell, ['crm', 'create_a_lead', '--FirstName', ''])).toEqual([])
    },
  )
})

interface InputSchema {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly InputSchema[]
  readonly items?: InputSchema
  readonly properties?: { readonly [name: string]: InputSchema }
}

/** Where the contract closes a set with words that no schema lists. */
const SCOPES = OPERATIONS.flatMap(({ tier, id, record: { name } }) => [tier, `${tier}:${id}`, `${tier}:${name}`])
const NAMED: { readonly [name: string]: readonly string[] } = {
  Scopes: SCOPES,
  EventTypes: ['*', 'lead.*', ...EVENT_TYPES.map(({ type }) => type)],
  EventType: EVENT_TYPES.map(({ type }) => type),
  RecordType: OPERATIONS.map(({ record: { name } }) => name),
  Operation: [...OPERATIONS.map(({ id }) => id), 'batch'],
  Outcome: ['ok', ...Object.keys(ERRORS)],
}

/** The words that a value has to be one of; none where it is open. */
function closedWords(schema: InputSchema): readonly string[] {
  const all = [schema, ...(schema.anyOf ?? []), ...(schema.items ? [schema.items] : [])]
  const listed = all.flatMap((one) => one.enum ?? []).filter((word) => typeof word === 'string')
  const isTruth = all.some(({ type }) => [type].flat().includes('boolean')) && !all.some(({ type }) => [type].flat().includes('string'))
  return listed.length > 0 ? listed : isTruth ? ['true', 'false'] : []
}

/** Every flag of every operation whose values are a closed set. */
const CLOSED = OPERATIONS.flatMap(({ id, input, record }) =>
  Object.entries((input as InputSchema).properties ?? {}).flatMap(([name, schema]) => [
    { id, flag: `--${name}`, words: closedWords(schema).length > 0 ? closedWords(schema) : (NAMED[name] ?? []), isList: schema.items !== undefined },
    ...Object.entries(schema.properties ?? {}).map(([member, inner]) => ({
      id,
      flag: `--${name}.${member}`,
      words: [closedWords(inner), Object.hasOwn(record.fields, member) ? (record.fields[member]?.closed ?? []) : [], NAMED[member] ?? []].find(
        (words) => words.length > 0,
      ),
      isList: inner.items !== undefined,
    })),
  ]),
).flatMap(({ words = [], ...flag }) => (words.length > 0 ? [{ ...flag, words }] : []))

test('completes every closed set of the contract, in lists also behind a comma', () => {
  expect(CLOSED.map(({ flag }) => flag)).toEqual(expect.arrayContaining(['--Scopes', '--EventTypes', '--FieldsToUpdate.EventTypes', '--Filters.Outcome']))
  const lines = CLOSED.flatMap(({ id, flag, isList }) => (isList ? ['', 'x,'] : ['']).map((typed) => ['crm', id, flag, typed].join('\x1f')))
  const found = execFileSync('bash', ['-c', BASH, 'bash', ...lines], { cwd: folder, env: cleanEnvironment({ HOME: folder }), encoding: 'utf8' })
    .split('END\n')
    .map((text) => new Set(text.replaceAll('\\', '').split('\n')))
  const wanted = CLOSED.flatMap(({ id, flag, isList, words }) =>
    (isList ? ['', 'x,'] : ['']).map((before) => ({ id, flag, words: words.map((word) => before + word) })),
  )
  const lacking = wanted.flatMap(({ id, flag, words }, i) => words.filter((word) => !found[i]?.has(word)).map((word) => `${id} ${flag} ${word}`))
  expect(lacking).toEqual([])
})

test('completes what is typed in bash on a terminal, also after an equals sign', async () => {
  const child = spawn('script', ['-qec', 'bash --norc --noprofile -i', '/dev/null'], {
    cwd: folder,
    env: { ...cleanEnvironment(), HOME: folder, TERM: 'dumb', PS1: '> ' },
  })
  const seen = collected(child.stdout)
  child.stdin.write(`source crm.bash; crm() { printf '[%s]' "$@"; echo; }\n`)
  child.stdin.write('crm get_many_oppo\t--outp\tcs\t--Filters.St\tClosed\\ W\t\ncrm create_user --Role=mem\t\n')
  child.stdin.write('crm create_key --Scopes read:Lead,write:Op\t--Confirm del\t\ncrm create_key --Scopes=read:Lead,write:Op\t\nexit\n')
  await once(child, 'close')
  expect(seen()).toContain('[get_many_opportunities][--output][csv][--Filters.Stage][Closed Won]')
  expect(seen()).toContain('[create_user][--Role=member]')
  expect(seen()).toContain('[create_key][--Scopes][read:Lead,write:Opportunity][--Confirm][deletes]')
  expect(seen()).toContain('[create_key][--Scopes=read:Lead,write:Opportunity]')
})
