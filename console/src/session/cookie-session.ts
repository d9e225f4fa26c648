import { SIGN_IN_REFUSALS } from 'crm-connector/contract'
import { baseUrl } from './base-url.ts'

/** Stands for a key where the service knows the session by its cookie, which no script can read. */
export const COOKIE = Symbol('the session in the cookie')

/** Proves to the service that a request comes from this page: forms of other sites cannot send it. */
const OURS = { 'x-requested-by': 'console' }

/** The headers of a request, with the cookie in the place of a key. */
export function withoutKey(headers: RequestInit['headers']): Headers {
  const own = new Headers(headers)
  own.delete('authorization')
  for (const [name, value] of Object.entries(OURS)) own.set(name, value)
  return own
}

/** How people sign in beside their keys, whether this browser has a session, and in which currency amounts are shown. */
export interface SignInWays {
  readonly Oidc: { readonly Name: string } | null
  readonly SignedIn: boolean
  readonly Currency?: string
}

/** What the service answers; keys alone where it does not. */
export async function signInWays(): Promise<SignInWays> {
  try {
    const response = await fetch(`${baseUrl}/sign-in`, { headers: OURS })
    if (response.ok) return (await response.json()) as SignInWays
  } catch {
    // The sign-in itself says that the service does not answer.
  }
  return { Oidc: null, SignedIn: false }
}

/** A place that is longer stays in the tab: the issuer is sent all others as part of the state, which has to fit into an address. */
const MAX_PLACE = 400
const PLACE = 'crm-connector-place'

const isLong = (hash: string) => hash.length > MAX_PLACE

/** The address at which a person signs in, who then comes back to the present page. */
export function signInUrl(): string {
  const { hash } = window.location
  return `sign-in/oidc${hash.startsWith('#/') && !isLong(hash) ? `?place=${encodeURIComponent(hash.slice(1))}` : ''}`
}

/** Called when the person leaves for there. */
export function keepPlace(): void {
  if (isLong(window.location.hash)) sessionStorage.setItem(PLACE, window.location.hash)
}

/** Goes back to the place that was kept, such as the request of a program. */
export function returnToPlace(): void {
  const place = sessionStorage.getItem(PLACE)
  sessionStorage.removeItem(PLACE)
  if (place?.startsWith('#/') && window.location.hash === '') window.location.replace(place)
}

/** Ends the session. Resolves to the address that ends the one at the issuer, too. */
export async function endCookieSession(): Promise<string | undefined> {
  const response = await fetch(`${baseUrl}/sign-out`, { method: 'POST', headers: OURS })
  // It has ended already.
  if (response.status === 401) return undefined
  if (!response.ok) throw new Error(`The service answered with ${response.status}.`)
  return ((await response.json()) as { readonly Address: string | null }).Address ?? undefined
}

/** The names of the person's workspaces; none where the service does not say. */
export async function ownWorkspaces(send: typeof fetch): Promise<readonly string[]> {
  try {
    const response = await send(`${baseUrl}/sign-in/workspaces`)
    if (response.ok) return ((await response.json()) as { readonly Workspaces: readonly string[] }).Workspaces
  } catch {
    // The console works without the choice.
  }
  return []
}

/** Where the tabs of a browser tell each other that its session is one in another workspace. */
const WORKSPACE = 'crm-connector-workspace'

/** Shows the workspace that the session has gone over to, from its beginning and in all tabs: what they show is of the one before. */
export function showWorkspace(name: string): void {
  localStorage.setItem(WORKSPACE, `${name} ${Date.now()}`)
  reloadAtStart()
}

/** Shows the other workspace when another tab has gone over to it. */
export function followWorkspace(): () => void {
  const onStorage = ({ storageArea, key }: StorageEvent) => storageArea === localStorage && key === WORKSPACE && reloadAtStart()
  window.addEventListener('storage', onStorage)
  return () => window.removeEventListener('storage', onStorage)
}

/** A request of a program is about the person, whatever workspace is shown. */
export function reloadAtStart(): void {
  if (!window.location.hash.startsWith('#/authorize')) window.history.replaceState(null, '', `${baseUrl}/`)
  window.location.reload()
}

/** Why a sign-in has failed, from the address that the service has sent the browser to; removed from it, so that it is said once. */
export function takeSignInFailure(): string | undefined {
  const url = new URL(window.location.href)
  const reason = url.searchParams.get('sign-in')
  if (reason === null) return undefined
  url.searchParams.delete('sign-in')
  window.history.replaceState(null, '', url)
  const known: { readonly [name: string]: { readonly text: string } } = SIGN_IN_REFUSALS
  return (Object.hasOwn(known, reason) ? known[reason] : SIGN_IN_REFUSALS.failed)?.text
}
