import { type Crm, type CrmError, connect } from 'crm-connector'
import { findOperation, mayCall } from 'crm-connector/contract'
import { createContext, useContext } from 'react'
import { createStreaming, type Streaming } from './streaming.ts'

export type Me = Awaited<ReturnType<Crm['users']['getCurrent']>>
export type Description = Awaited<ReturnType<Crm['describe']>>
export type DescribedType = Description['RecordTypes'][number]
export type DescribedField = DescribedType['Fields'][number]

/** Who is signed in, with what, and what the platform has. */
export interface Session {
  readonly crm: Crm
  readonly baseUrl: string
  readonly me: Me
  /** Whether the key allows an operation; what it does not is not shown. */
  readonly may: (operation: string) => boolean
  /** Whether a change may be taken back; no CRM brings back what is gone. */
  readonly mayUndo: (change: { readonly deleted: boolean }) => boolean
  readonly description: Description
  /** Why there is no description, for instance because the CRM does not answer; the journal and the administration are there all the same. */
  readonly fault: CrmError | undefined
  /** Whether the records are in a store of our own, which can bring back what was deleted and knows users by our ids. */
  readonly ownStore: boolean
  /** Asks again what there is, for instance because a custom object was defined. */
  readonly refreshDescription: () => Promise<void>
  readonly streaming: Streaming
  readonly signOut: () => void
}

/** The service that has served this page, wherever a proxy puts it. */
export const baseUrl = new URL('.', window.location.href.split('#')[0]).href.replace(/\/$/, '')

const NOTHING: Description = { Platform: '', RecordTypes: [], CustomObjects: [] }

/** The platforms that are stores of our own. */
const OWN_STORES: readonly string[] = ['sqlite', 'postgres']

/** What there is, or why nobody can say. */
export async function describe(crm: Crm): Promise<Pick<Session, 'description' | 'fault' | 'ownStore'>> {
  try {
    const description = await crm.describe({})
    return { description, fault: undefined, ownStore: OWN_STORES.includes(description.Platform) }
  } catch (error) {
    return { description: NOTHING, fault: error as CrmError, ownStore: false }
  }
}

/** A session before it is shown. */
export type OpenedSession = Omit<Session, 'refreshDescription' | 'signOut' | 'mayUndo'>

/** Signs in: asks who the key is and what there is. A key that ends later is told to `onEnd`. */
export async function openSession(key: string, onEnd: () => void): Promise<OpenedSession> {
  const streaming = createStreaming()
  const ended = new AbortController()
  let signedIn = false
  const crm = connect({
    baseUrl,
    key,
    // What would only be refused is not sent any more: too many failed sign-ins shut out everyone at this address.
    fetch: (url, init) => fetch(url, { ...init, signal: init?.signal ? AbortSignal.any([init.signal, ended.signal]) : ended.signal }),
    onResponse(received) {
      streaming.onResponse(received)
      if (!signedIn || received.status !== 401 || ended.signal.aborted) return
      ended.abort()
      onEnd()
    },
  })
  const me = await crm.users.getCurrent()
  signedIn = true
  const caller = { role: me.Role, scopes: me.Scopes }
  const may = (operation: string) => mayCall(caller, findOperation(operation))
  const described = may('describe') ? await describe(crm) : { description: NOTHING, fault: undefined, ownStore: true }
  return { crm, baseUrl, me, may, streaming, ...described }
}

export const SessionContext = createContext<Session | undefined>(undefined)

export function useSession(): Session {
  const session = useContext(SessionContext)
  if (!session) throw new Error('Nobody is signed in.')
  return session
}

/** What the platform says of a record type; undefined where the key may not know. */
export function useDescribed(recordType: string): DescribedType | undefined {
  return useSession().description.RecordTypes.find(({ Name }) => Name === recordType)
}
