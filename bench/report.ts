import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { median } from './processes.ts'

/** One figure: what was measured, both sides, and the limit for their ratio. */
export interface Result {
  readonly what: string
  readonly ours: string
  readonly other: string
  readonly ratio: number
  /** The ratio of the CPU time that a call takes on both sides, which also holds on a busy machine. */
  readonly cpuRatio?: number
  readonly atLeast?: number
  readonly atMost?: number
}

/** Makes rows of a report from the rates of several rounds. */
export function ratiosOf<Round extends { readonly [name: string]: number }>(rounds: readonly Round[]) {
  return (what: string, ours: keyof Round, other: keyof Round, against: string, atLeast?: number): Result => ({
    what,
    ours: `${Math.round(median(rounds.map((round) => round[ours] as number)))}/s`,
    other: `${against} ${Math.round(median(rounds.map((round) => round[other] as number)))}/s`,
    ratio: median(rounds.map((round) => (round[ours] as number) / (round[other] as number))),
    ...(atLeast !== undefined && { atLeast }),
  })
}

/** Prints the figures as a table and writes them to bench/results/. Returns whether all limits were met. */
export function report(name: string, results: readonly Result[]): boolean {
  const hasCpu = results.some(({ cpuRatio }) => cpuRatio !== undefined)
  const rows = results.map(({ what, ours, other, ratio, cpuRatio, atLeast, atMost }) => {
    const bar = atLeast !== undefined ? `≥ ${atLeast}` : atMost !== undefined ? `≤ ${atMost}` : ''
    const reached = (atLeast === undefined || ratio >= atLeast) && (atMost === undefined || ratio <= atMost)
    return {
      cells: [what, ours, other, ratio.toFixed(2), ...(hasCpu ? [cpuRatio?.toFixed(2) ?? ''] : []), bar, bar === '' ? '' : reached ? 'yes' : 'NO'],
      reached,
    }
  })
  const head = ['what', 'ours', 'against', 'ratio', ...(hasCpu ? ['of CPU time'] : []), 'bar', 'reached']
  const all = [head, ...rows.map(({ cells }) => cells)]
  const widths = head.map((_, i) => Math.max(...all.map((cells) => cells[i]?.length ?? 0)))
  const line = (cells: readonly string[]) => `| ${cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')} |`
  const table = [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(({ cells }) => line(cells))].join('\n')
  const machine = `Node ${process.versions.node}, ${cpus().length} cores, ${cpus()[0]?.model.trim()}, ${new Date().toISOString().slice(0, 10)}`
  process.stdout.write(`\n${table}\n\n${machine}\n`)
  mkdirSync('bench/results', { recursive: true })
  const note = 'Where several rounds were measured, each figure is the median of its own: a ratio need not be that of the two beside it.'
  writeFileSync(`bench/results/${name}.md`, `<!-- Written by npm run bench. -->\n\n# ${name}\n\n${machine}\n\n${table}\n\n${note}\n`)
  return rows.every(({ reached }) => reached)
}
