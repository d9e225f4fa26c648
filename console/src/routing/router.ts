import { useSyncExternalStore } from 'react'

/** The current page and its query. It is the part of the address after the `#`, which browsers never send to the service. */
export interface Route {
  /** `/leads/123` is `['leads', '123']`. */
  readonly path: readonly string[]
  readonly query: URLSearchParams
}

let cached: { readonly hash: string; readonly route: Route } | undefined

function read(): Route {
  const { hash } = window.location
  if (cached?.hash !== hash) cached = { hash, route: routeOf(hash) }
  return cached.route
}

function routeOf(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#/, '').split('?', 2)
  return { path: path.split('/').filter(Boolean).map(decoded), query: new URLSearchParams(query) }
}

/** Whether an address is of the page that is shown, with the same record beside it. */
export function isSameRecord(address: string): boolean {
  const [here, there] = [read(), routeOf(new URL(address).hash)]
  return hrefOf(here.path) === hrefOf(there.path) && here.query.get('record') === there.query.get('record')
}

/** Malformed escapes are kept as they are; such an address matches no page. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

function subscribe(changed: () => void): () => void {
  window.addEventListener('hashchange', changed)
  return () => window.removeEventListener('hashchange', changed)
}

export function useRoute(): Route {
  return useSyncExternalStore(subscribe, read)
}

export type Query = URLSearchParams | { readonly [name: string]: string | undefined }

/** The address of a page, for links: `hrefOf(['leads', id])`. */
export function hrefOf(path: readonly string[], query?: Query): string {
  const given =
    query instanceof URLSearchParams ? query : new URLSearchParams(Object.entries(query ?? {}).flatMap(([k, v]) => (v === undefined ? [] : [[k, v]])))
  const search = given.toString()
  return `#/${path.map(encodeURIComponent).join('/')}${search && `?${search}`}`
}

/**
 * Navigates, at once: by setting the hash, the page would learn of it only after a click that is waiting. With `replace`, used for changes
 * while typing, no entry is added to the browser's history.
 */
export function go(path: readonly string[], query?: Query, { replace = false } = {}): void {
  const href = hrefOf(path, query)
  if (href === window.location.hash) return
  window.history[replace ? 'replaceState' : 'pushState'](null, '', href)
  window.dispatchEvent(new HashChangeEvent('hashchange'))
}
