import type { Command } from 'commander'
import { EXIT_CODES } from '../../contract/exit-codes.ts'
import { type Finding, type Shell, settingsOf, withSettings } from './app.ts'
import { Ended } from './ended.ts'
import { terminalWidth } from './io.ts'
import { formatOf, present, viewOf, withOutput, writeLines } from './output.ts'
import { inOneLine, wrapped } from './text.ts'
import type { View } from './views.ts'

const MARKS = { good: '✓', doubtful: '!', bad: '✗' } as const
const COLOURS = { good: 'green', doubtful: 'yellow', bad: 'red' } as const

/** Looks at everything that could be wrong, and says what to do about it. */
export function doctorCommand(program: Command, shell: Shell): void {
  const { io } = shell
  withOutput(
    withSettings(program.command('doctor'), shell, (name) => ['platform', 'store', 'url', 'host', 'port'].includes(name)),
    ['json', 'table'],
  )
    .description('Check the runtime, the configuration, the store, permissions and credentials, and say what to do')
    .option('--deep', 'also look through all of a large store, which takes a while')
    .addHelpText('after', '\nIt changes nothing. It exits with 0 unless something is wrong (✗), and then as the first of that would.\n\nExample:\n  crm doctor')
    .action(async ({ deep = false }: { deep?: boolean }, command: Command) => {
      const format = formatOf(command, io)
      const view = viewOf(io, { width: terminalWidth(io.stdout) })
      const findings: Finding[] = []
      for await (const finding of shell.examine(settingsOf(command, shell), { deep })) {
        if (format === 'table') await writeLines(io, findingLines(finding, findings.at(-1)?.area, view))
        findings.push(finding)
      }
      const bad = findings.filter(({ state }) => state === 'bad')
      const doubtful = findings.filter(({ state }) => state === 'doubtful').length
      if (format === 'json') await present(io, { Healthy: bad.length === 0, Findings: findings.map(shownFinding) }, 'json')
      else await writeLines(io, ['', summary(bad.length, doubtful, view)])
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

function summary(bad: number, doubtful: number, { paint }: View): string {
  if (bad + doubtful === 0) return paint.green('All is well.')
  const counts = [bad > 0 && paint.red(`${bad} wrong`), doubtful > 0 && paint.yellow(`${doubtful} doubtful`)].filter(Boolean)
  return `${counts.join(', ')}.`
}

const shownFinding = ({ area, name, state, says, todo, code }: Finding) => ({
  Area: area,
  Name: name,
  State: state,
  Says: says,
  ...(todo !== undefined && { Todo: todo }),
  ...(code !== undefined && { Code: code }),
})
