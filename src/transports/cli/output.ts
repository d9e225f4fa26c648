import { CrmError, ERRORS } from '../../contract/errors.ts'

/** Whoever reads only the beginning of what is printed has not done anything wrong. */
export function ignoreClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') process.exitCode = printError(error)
    })
  }
}

/** Indented for people on a terminal, one line for programs. */
export function printResult(result: unknown): void {
  process.stdout.write(`${JSON.stringify(result, null, process.stdout.isTTY ? 2 : undefined)}\n`)
}

/** Says what went wrong, every fault and what to do, and resolves to the exit code. */
export function printError(error: unknown): number {
  const known = error instanceof CrmError ? error : new CrmError('internal', (error as Error)?.message ?? String(error))
  const faults = (known.errors ?? []).map(({ field, message, expected, didYouMean }) => {
    const more = [expected && `expected: ${expected}`, didYouMean && `did you mean ${didYouMean}?`].filter(Boolean)
    return `  ${field}: ${message}${more.length > 0 ? ` (${more.join('; ')})` : ''}\n`
  })
  process.stderr.write(`crm: ${known.message} [${known.code}]\n${faults.join('')}${known.hint ? `  ${inTheShell(known.hint)}\n` : ''}`)
  return ERRORS[known.code].exit
}

/** Where the core points to over HTTP, the command line has its help. */
const inTheShell = (hint: string) => hint.replace(/GET \/v1\/operations\/(\w+)/, 'crm $1 --help')
