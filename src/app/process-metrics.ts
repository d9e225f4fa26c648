import cluster, { type Worker } from 'node:cluster'
import { randomUUID } from 'node:crypto'

/** How long a process may take to hand over its metrics before it is left out. */
const ANSWER_MS = 1000

interface Message {
  readonly metrics: 'wanted' | 'asked' | 'answered' | 'collected'
  readonly id: string
  readonly text?: string
}

const isMessage = (message: unknown): message is Message => typeof (Object(message) as Partial<Message>).metrics === 'string'

/** In the process that supervises the others: whichever of them is scraped gets the metrics of all. */
export function shareMetrics(): void {
  cluster.on('message', async (scraped, message) => {
    if (!isMessage(message) || message.metrics !== 'wanted') return
    const all = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)
    const parts = await Promise.all(all.map(async (worker) => ({ process: String(worker.process.pid), text: await metricsOf(worker) })))
    tell(scraped, { metrics: 'collected', id: message.id, text: mergeMetrics(parts) })
  })
}

/** Sends a message to a process. One that has just died is not an error: without a callback the write to it would end this process too. */
function tell(worker: Worker, message: Message, onFailed: () => void = () => {}): void {
  if (worker.isConnected()) worker.send(message, (error) => error && onFailed())
  else onFailed()
}

function metricsOf(worker: Worker): Promise<string> {
  const id = randomUUID()
  return new Promise((resolve) => {
    const timer = setTimeout(done, ANSWER_MS)
    function done(text = '') {
      clearTimeout(timer)
      worker.off('message', onMessage)
      worker.off('exit', onExit)
      resolve(text)
    }
    const onExit = () => done()
    const onMessage = (message: unknown) => {
      if (isMessage(message) && message.metrics === 'answered' && message.id === id) done(message.text)
    }
    worker.on('message', onMessage).on('exit', onExit)
    tell(worker, { metrics: 'asked', id }, () => done())
  })
}

/** In one of several processes: hands its own metrics over when asked, and returns how to get those of all. */
export function joinMetrics(own: () => Promise<string>): () => Promise<string> {
  const waiting = new Map<string, (text: string) => void>()
  const send = (message: Message) => process.send?.(message)
  process.on('message', async (message: unknown) => {
    if (!isMessage(message)) return
    if (message.metrics === 'asked') send({ metrics: 'answered', id: message.id, text: await own() })
    else waiting.get(message.id)?.(message.text ?? '')
  })
  return async () => {
    const id = randomUUID()
    const all = new Promise<string>((resolve) => waiting.set(id, resolve))
    send({ metrics: 'wanted', id })
    return all.finally(() => waiting.delete(id))
  }
}

/** Metrics of several processes in the Prometheus text format as one text, with a label that names the process. */
export function mergeMetrics(parts: readonly { readonly process: string; readonly text: string }[]): string {
  const families = new Map<string, { readonly head: Set<string>; readonly samples: string[] }>()
  for (const { process, text } of parts) {
    let family: { readonly head: Set<string>; readonly samples: string[] } | undefined
    for (const line of text.split('\n')) {
      if (line.startsWith('# ')) {
        const name = line.split(' ')[2] ?? ''
        family = families.get(name) ?? { head: new Set(), samples: [] }
        families.set(name, family)
        family.head.add(line)
      } else if (line !== '') family?.samples.push(withLabel(line, `process="${process}"`))
    }
  }
  return [...families.values()].map(({ head, samples }) => `${[...head, ...samples].join('\n')}\n`).join('\n')
}

/** A sample with one more label: `calls{code="ok"} 1` or `in_flight 1`. */
function withLabel(sample: string, label: string): string {
  const end = sample.search(/[{ ]/)
  return sample[end] === '{' ? `${sample.slice(0, end)}{${label},${sample.slice(end + 1)}` : `${sample.slice(0, end)}{${label}}${sample.slice(end)}`
}
