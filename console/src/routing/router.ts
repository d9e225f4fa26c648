import { useSyncExternalStore } from 'react'

/** Where the reader is. It lives behind the `#`, so that the service need not know of it and nothing of it is ever sent. */
export interface Route {
  /** `/leads/123` is `['leads', '123']`. */
  readonly path: readonly string[]
  readonly query: URLSearchParams
}

let cached: { readonly hash: string; readonly route: Route } | undefined

function read(): Route {
  const { hash } = window.location
  if (cached?.hash !== hash) {
    const [path = '', query = ''] = hash.replace(/^#/, '').split('?', 2)
    cached = { hash, route: { path: path.split('/').filter(Boolean).map(decoded), query: new URLSearchParams(query) } }
  }
  return cached.route
}

/** What cannot be decoded was typed by hand; it leads nowhere, as it is. */
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

/** Goes to a page, or to another view of the one that is shown, from which Back leads back. What changes with each letter that is typed replaces it. */
export function go(path: readonly string[], query?: Query, { replace = false } = {}): void {
  const href = hrefOf(path, query)
  if (!replace) {
    window.location.hash = href
    return
  }
  window.history.replaceState(null, '', href)
  window.dispatchEvent(new HashChangeEvent('hashchange'))
}
