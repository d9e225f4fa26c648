const COLOURS: { readonly [level: string]: number } = { fatal: 31, error: 31, warn: 33, info: 36, debug: 90, trace: 90 }

/** Formats a JSON line of the log for people, as one line; a stack follows on further lines. */
export function prettyLine(line: string): string {
  const { time, level, msg, stack, ...fields } = JSON.parse(line) as { time?: string; level?: string; msg?: string; stack?: string; [name: string]: unknown }
  const clock = time?.slice(11, 23) ?? ''
  const word = paint(COLOURS[level ?? ''] ?? 0, (level ?? '').toUpperCase().padEnd(5))
  const rest = Object.entries(fields).map(([name, value]) => `${paint(90, `${name}=`)}${typeof value === 'string' ? value : JSON.stringify(value)}`)
  const head = [paint(90, clock), word, msg ?? '', ...rest].filter((part) => part !== '').join(' ')
  return `${head}\n${stack === undefined ? '' : `${indent(stack)}\n`}`
}

const paint = (colour: number, text: string) => `\u001b[${colour}m${text}\u001b[39m`

const indent = (stack: string) => stack.replace(/^/gm, '    ')
