type Members = { [name: string]: unknown }

/** Reads the text of an answer back, by what docs/mcp.md says of its grammar and nothing else. Throws for a text that is not of it. */
export function parseAnswer(text: string): Members {
  const lines = text.split('\n')
  const answer: Members = {}
  while (lines.length > 0) {
    const line = lines.shift() ?? ''
    if (line.startsWith('Left out: ')) {
      if (lines.length > 0) throw new Error(`Lines after what is left out: ${lines[0]}`)
      answer.LeftOut = line.slice(10)
    } else {
      const [, quotedName, name, count] = /^(?:("(?:[^"\\]|\\.)*")|(\w+)) \((\d+)\):$/.exec(line) ?? []
      if (count === undefined) Object.assign(answer, parseMembers(line))
      else
        answer[name ?? JSON.parse(quotedName ?? '')] = lines.splice(0, Number(count)).map((item) => {
          if (!item.startsWith('- ')) throw new Error(`No record: ${item}`)
          return parseMembers(item.slice(2))
        })
    }
  }
  return answer
}

/** Reads `Name: value, Name: value`. */
export function parseMembers(line: string): Members {
  const reader = { line, at: 0 }
  const read = members(reader)
  if (reader.at < line.length) throw new Error(`Unexpected: ${line.slice(reader.at)}`)
  return read
}

interface Reader {
  readonly line: string
  at: number
}

function members(reader: Reader): Members {
  const read: Members = {}
  do {
    const name = take(reader, /"(?:[^"\\]|\\.)*"|\w+/y)
    take(reader, /: /y)
    read[name.startsWith('"') ? JSON.parse(name) : name] = value(reader)
  } while (skip(reader, ', '))
  return read
}

function value(reader: Reader): unknown {
  if (skip(reader, '{')) return skip(reader, '}') ? {} : ended(reader, members(reader), '}')
  if (!skip(reader, '[')) {
    const read = JSON.parse(take(reader, /"(?:[^"\\]|\\.)*"|[\w.+-]+/y))
    return typeof read === 'string' ? `${read}${take(reader, /(?:… \(\d+ more characters\))?/y)}` : read
  }
  const items: unknown[] = []
  if (skip(reader, ']')) return items
  do items.push(value(reader))
  while (skip(reader, ', '))
  return ended(reader, items, ']')
}

function ended<T>(reader: Reader, read: T, end: string): T {
  if (!skip(reader, end)) throw new Error(`No ${end} in ${reader.line}`)
  return read
}

function skip(reader: Reader, text: string): boolean {
  const found = reader.line.startsWith(text, reader.at)
  if (found) reader.at += text.length
  return found
}

function take(reader: Reader, pattern: RegExp): string {
  pattern.lastIndex = reader.at
  const [found] = pattern.exec(reader.line) ?? []
  if (found === undefined) throw new Error(`Not ${pattern}: ${reader.line.slice(reader.at)}`)
  reader.at += found.length
  return found
}
