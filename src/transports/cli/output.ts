import { CrmError, ERRORS } from '../../contract/errors.ts'

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
  process.stderr.write(`crm: ${known.message} [${known.code}]\n${faults.join('')}${known.hint ? `  ${known.hint}\n` : ''}`)
  return ERRORS[known.code].exit
}
