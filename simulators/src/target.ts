import type { WireRequest } from './simulated.ts'

/** The path and query that a request was sent to. */
export function targetOf(url: string): Pick<WireRequest, 'path' | 'query'> {
  const [path = '/', ...query] = url.split('?')
  return { path, query: new URLSearchParams(query.join('?')) }
}
