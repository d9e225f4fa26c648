import type { Command } from 'commander'
import { EXIT_CODES } from '../../contract/exit-codes.ts'
import { type Finding, type Shell, settingsOf, withSettings } from './app.ts'
import { Ended } from './ended.ts'
import { terminalWidth } from './io.ts'
import { formatOf, present, viewOf, withOutput, writeLines } from './output.ts'
import { inOneLine, wrapped } from './text.ts'
import type { View } from './views.ts'

const MARKS = { good: '✓', doubtful: '!', unchecked: '?', bad: '✗' } as const
const COLOURS = { good: 'green', doubtful: 'yellow', unchecked: 'yellow', bad: 'red' } as const

/** Looks at everything that could be wrong, and says what to do about it. */
export function doctorCommand(program: Command, shell: Shell): void {
  const { io } = shell
  withOutput(
    withSettings(program.command('doctor'), shell, (name) => ['platform', 'store', 'url', 'host', 'port'].includes(name)),
    ['json', 'table'],
  )
    .description('Check the runtime, the configuration, the store, permissions and credentials, and say what to do')
    .option('--deep', 'also look through all of a large store, which takes a while')
    .addHelpText(
      'after',
      '\nIt changes nothing. It exits with 0 unless something is wrong (✗), and then as the first of that would. What could not be checked (?) is not wrong.\n\nExample:\n  crm doctor',
    )
    .action(async ({ deep = false }: { deep?: boolean }, command: Command) => {
      const format = formatOf(command, io)
      const view = viewOf(io, { width: terminalWidth(io.stdout) })
      const findings: Finding[] = []
      for await (const finding of shell.examine(settingsOf(command, shell), { deep })) {
        if (format === 'table') await writeLines(io, findingLines(finding, findings.at(-1)?.area, view))
        findings.push(finding)
      }
      const of = (wanted: Finding['state']) => findings.filter(({ state }) => state === wanted)
      const bad = of('bad')
      if (format === 'json') await present(io, { Healthy: bad.length === 0, Findings: findings.map(shownFinding) }, 'json')
      else await writeLines(io, ['', summary({ bad: bad.length, doubtful: of('doubtful').length, unchecked: of('unchecked').length }, view)])
      const [worst] = bad
      if (worst) throw new Ended(EXIT_CODES[worst.code ?? 'internal'])
    })
}

function findingLines({ area, name, state, says, todo }: Finding, before: string | undefined, { width, paint }: View): string[] {
  const colour = paint[COLOURS[state]]
  const [first = '', ...more] = wrapped(inOneLine(`${name}: ${says}`), width - 4)
  const advice = todo === undefined ? [] : wrapped(inOneLine(todo), width - 6)
  return [
    ...(area === before ? [] : [...(before === undefined ? [] : ['']), paint.bold(area)]),
    `  ${colour(MARKS[state])} ${first}`,
    ...more.map((line) => `    ${line}`),
    ...advice.map((line, i) => `    ${i === 0 ? colour('→') : ' '} ${line}`),
  ]
}

function summary({ bad, doubtful, unchecked }: { readonly bad: number; readonly doubtful: number; readonly unchecked: number }, { paint }: View): string {
  const counts = [
    bad > 0 && paint.red(`${bad} wrong`),
    doubtful > 0 && paint.yellow(`${doubtful} doubtful`),
    unchecked > 0 && paint.yellow(`${unchecked} could not be checked`),
  ].filter(Boolean)
  return counts.length === 0 ? paint.green('All is well.') : `${counts.join(', ')}.`
}

const shownFinding = ({ area, name, state, says, todo, code }: Finding) => ({
  Area: area,
  Name: name,
  State: state,
  Says: says,
  ...(todo !== undefined && { Todo: todo }),
  ...(code !== undefined && { Code: code }),
})
