import { fstatSync } from 'node:fs'
import { isatty } from 'node:tty'

/** Where a command writes to. */
export type Sink = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number }

/** Where a command reads from. */
export type Source = NodeJS.ReadableStream & { readonly isTTY?: boolean; setRawMode?(raw: boolean): unknown }

/** What surrounds a command: a process's own, or whatever a test brings. */
export interface Io {
  readonly stdin: Source
  readonly stdout: Sink
  readonly stderr: Sink
  readonly env: { readonly [variable: string]: string | undefined }
  /** What standard input is. */
  readonly input: 'terminal' | 'file' | 'pipe' | 'nothing'
  /** Aborted once standard output is closed by its reader. */
  readonly unread: AbortSignal
  /** Hears when a person wants it to stop, instead of it being stopped. Call the answer to have that back. */
  interrupted(listener: () => void): () => void
  /** Ends the process soon, and after its output, although something is still under way. */
  abandon(): void
}

const DEFAULT_COLUMNS = 80
/** How long what is still under way may go on. */
const ABANDONED_MS = 100

/** The streams and signals of this process. `failed` is called when output could not be written. */
export function processIo(env: Io['env'], failed: (error: unknown) => void): Io {
  const gone = new AbortController()
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // A reader such as `head` may close the pipe early, which is no error.
      if (error.code !== 'EPIPE') failed(error)
      if (stream === process.stdout) gone.abort()
    })
  return {
    // Whatever is not read must not be opened: that would keep the process waiting for it.
    get stdin() {
      return process.stdin
    },
    stdout: process.stdout,
    stderr: process.stderr,
    env,
    input: inputKind(),
    unread: gone.signal,
    interrupted(listener) {
      process.once('SIGINT', listener)
      return () => void process.off('SIGINT', listener)
    },
    abandon() {
      setTimeout(() => process.stdout.write('', () => process.exit()), ABANDONED_MS).unref()
    },
  }
}

function inputKind(): Io['input'] {
  try {
    // As numbers, the answer would stay in the buffer that Node's realpath looks at: a pipe there makes it take symbolic links for real paths,
    // and packages that are linked, as with pnpm, would not be found.
    const input = fstatSync(0, { bigint: true })
    if (input.isFile()) return 'file'
    if (input.isFIFO() || input.isSocket()) return 'pipe'
    return isatty(0) ? 'terminal' : 'nothing'
  } catch {
    return 'nothing'
  }
}

/** Whether a person can be asked. */
export const isAttended = ({ stdin, stderr }: Io) => stdin.isTTY === true && stderr.isTTY === true

export const terminalWidth = (sink: Sink) => (sink.columns && sink.columns > 0 ? sink.columns : DEFAULT_COLUMNS)

/** Writes, and waits while the reader does not keep up. */
export async function write({ stdout, unread }: Io, text: string): Promise<void> {
  if (unread.aborted || stdout.write(text)) return
  await new Promise<void>((resolve) => {
    const done = () => {
      stdout.removeListener('drain', done)
      unread.removeEventListener('abort', done)
      resolve()
    }
    stdout.once('drain', done)
    unread.addEventListener('abort', done)
  })
}

/** Writes a note to stderr on a terminal only, so that programs never read it. */
export function note({ stderr }: Io, text: string): void {
  if (stderr.isTTY) stderr.write(`${text}\n`)
}
