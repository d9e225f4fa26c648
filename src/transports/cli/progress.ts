import type { Io } from './io.ts'
import { cut } from './text.ts'

/** How far a long command has come. */
export interface Progress {
  readonly stage: string
  readonly table: string
  /** Rows of this table that are done, and how many it has, where that is known. */
  readonly done: number
  readonly rows: number | undefined
  /** How much of the whole is done, from 0 to 1; undefined where the total is not known. */
  readonly part: number | undefined
}

/** How a long command reports its progress, and is stopped. */
export interface Watched {
  readonly progress: ((progress: Progress) => void) | undefined
  readonly signal: AbortSignal
}

const REDRAWN_MS = 100
/** Elsewhere than on a terminal, such as in the log of a container, a line is enough now and then. */
const LINE_MS = 10_000
const BAR = 24
const SHORTEST_BAR = 4

/**
 * Runs a long task with a progress bar on a terminal, and lines elsewhere. Ctrl-C stops it where it can be resumed; a second one stops it at once.
 */
export async function watched<T>(
  { stderr, interrupted }: Pick<Io, 'stderr' | 'interrupted'>,
  work: (how: Watched) => Promise<T>,
  afterStop = 'What was copied is kept: the same command goes on from there.',
): Promise<T> {
  const stop = new AbortController()
  const bar = createBar(stderr, undefined, stderr.isTTY === true)
  const end = interrupted(() => stop.abort())
  try {
    return await work({ progress: bar.show, signal: stop.signal })
  } catch (error) {
    if (!stop.signal.aborted) throw error
    bar.clear()
    stderr.write(`crm: Stopped. ${afterStop}\n`)
    end()
    // The process that started this one sees that it was interrupted.
    process.kill(process.pid, 'SIGINT')
    return await new Promise<never>(() => setTimeout(() => {}, 60_000))
  } finally {
    end()
    bar.clear()
  }
}

interface Terminal {
  write(text: string): unknown
  readonly columns?: number
}

/** A line on a terminal that is redrawn in place; elsewhere another line each time, the first after a while. */
export function createLine(terminal: Pick<Terminal, 'write'>, isTerminal: boolean, now: () => number = () => performance.now()) {
  let drawn = isTerminal ? Number.NEGATIVE_INFINITY : now()
  let shown = false
  return {
    show(line: () => string): void {
      if (now() - drawn < (isTerminal ? REDRAWN_MS : LINE_MS)) return
      drawn = now()
      shown = isTerminal
      terminal.write(isTerminal ? `\r\u001b[K${line()}` : `${line()}\n`)
    },
    clear(): void {
      if (shown) terminal.write('\r\u001b[K')
      shown = false
    },
  }
}

/** Progress as a line. */
export function createBar(terminal: Terminal, now: () => number = () => performance.now(), isTerminal = true) {
  const began = now()
  const line = createLine(terminal, isTerminal, now)
  let last: Progress | undefined
  let rows = 0
  return {
    show(progress: Progress): void {
      const before = last?.stage === progress.stage && last.table === progress.table ? last.done : 0
      rows += progress.done - before
      last = progress
      const most = isTerminal ? Math.max(20, (terminal.columns || 80) - 1) : Number.POSITIVE_INFINITY
      line.show(() => lineOf(progress, rows, (now() - began) / 1000, most, isTerminal))
    },
    clear: line.clear,
  }
}

/** The rate and the time left are always there: first the bar makes room for them, then the rest. */
function lineOf({ stage, table, done, rows: all, part }: Progress, rows: number, seconds: number, most: number, hasBar: boolean): string {
  const rate = seconds > 0 ? Math.round(rows / seconds) : 0
  const left = part !== undefined && part > 0 && part < 1 ? `, ${clock((seconds * (1 - part)) / part)} left` : ''
  const what = `${table} ${shown(done)}${all === undefined ? '' : `/${shown(all)}`} ${stage}`
  const percent = part === undefined ? '' : `${String(Math.floor(part * 100)).padStart(3)}%  `
  const end = `, ${shown(rate)}/s${left}`
  const room = most - percent.length - end.length
  return `${part === undefined || !hasBar ? '' : barOf(part, room - what.length - 1)}${percent}${cut(what, room)}${end}`
}

function barOf(part: number, room: number): string {
  const length = Math.min(BAR, room)
  if (length < SHORTEST_BAR) return ''
  const full = Math.round(part * length)
  return `${'█'.repeat(full)}${'░'.repeat(length - full)} `
}

const shown = (count: number) => count.toLocaleString('en')

function clock(seconds: number): string {
  const whole = Math.ceil(seconds)
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60)]
  const two = (value: number) => String(value).padStart(2, '0')
  return hours > 0 ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`
}
