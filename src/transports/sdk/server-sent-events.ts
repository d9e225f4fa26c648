/** One message of a stream of server-sent events. */
export interface Message {
  readonly event: string
  readonly data: string
  /** The last id that was told, by this message or one before it. */
  readonly id: string | undefined
}

const LINE = /^([^:]*)(?:: ?(.*))?$/s

/**
 * The messages of a stream, as the HTML standard reads them: lines that end with any of the three ends of line, a field and its value
 * in each, a message where a line is empty. `next` brings more of the text, or undefined at the end, when what is unfinished is dropped.
 */
export async function* readMessages(next: () => Promise<string | undefined>): AsyncGenerator<Message> {
  let text = ''
  let id: string | undefined
  let event = ''
  let data: string[] = []
  for (let chunk = await next(); chunk !== undefined; chunk = await next()) {
    text += chunk
    // What ends with a carriage return may go on with the line feed that belongs to it.
    const whole = text.endsWith('\r') ? text.slice(0, -1) : text
    const lines = whole.split(/\r\n|\n|\r/)
    text = (lines.pop() ?? '') + text.slice(whole.length)
    for (const line of lines) {
      if (line === '') {
        if (event !== '' || data.length > 0) yield { event, data: data.join('\n'), id }
        event = ''
        data = []
        continue
      }
      const [, field, value = ''] = LINE.exec(line) ?? []
      if (field === 'event') event = value
      else if (field === 'data') data.push(value)
      else if (field === 'id' && !value.includes('\0')) id = value
    }
  }
}
