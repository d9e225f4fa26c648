/** One message of a stream of server-sent events. */
export interface Message {
  readonly event: string
  readonly data: string
  /** The last id, of this message or one before it. */
  readonly id: string | undefined
}

const LINE = /^([^:]*)(?:: ?(.*))?$/s

/**
 * The messages of a stream, parsed as the HTML standard prescribes. `next` resolves to more of the text, or undefined at the end, where an
 * unfinished message is dropped.
 */
export async function* readMessages(next: () => Promise<string | undefined>): AsyncGenerator<Message> {
  let text = ''
  let id: string | undefined
  let event = ''
  let data: string[] = []
  for (let chunk = await next(); chunk !== undefined; chunk = await next()) {
    text += chunk
    // A carriage return at the end may be the first half of a CRLF.
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
