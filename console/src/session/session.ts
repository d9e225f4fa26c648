import { type Crm, type CrmError, connect } from 'crm-connector'
import { findOperation, mayCall } from 'crm-connector/contract'
import { createContext, useContext } from 'react'
import { rememberLabels } from '../data/field-names.ts'
import { baseUrl } from './base-url.ts'
import { COOKIE, ownWorkspaces, withoutKey } from './cookie-session.ts'
import { createGet, createPost, createPostForLines, type Get, type Post, type PostForLines } from './post.ts'
import { createStreaming, type Streaming } from './streaming.ts'
import { isTabWorkspace, tabWorkspaces } from './tab-workspaces.ts'

export type Me = Awaited<ReturnType<Crm['users']['getCurrent']>>
export type Description = Awaited<ReturnType<Crm['describe']>>
export type DescribedType = Description['RecordTypes'][number]
export type DescribedField = DescribedType['Fields'][number]

/** The signed-in user, their key's rights, and what the platform has. */
export interface Session {
  readonly crm: Crm
  readonly get: Get
  readonly post: Post
  readonly postForLines: PostForLines
  readonly baseUrl: string
  readonly me: Me
  /** The names of the workspaces that the person may go over to, this one among them; with a key those that the tab has keys of. */
  readonly workspaces: readonly string[]
  /** Whether the key allows an operation. */
  readonly may: (operation: string) => boolean
  /** Whether a change can be undone: a CRM cannot restore deleted records. */
  readonly mayUndo: (change: { readonly deleted: boolean }) => boolean
  readonly description: Description
  /** Why there is no description, for instance because the CRM does not answer. Journal and administration work without it. */
  readonly fault: CrmError | undefined
  /** Whether records are in the connector's own store, which can restore deleted ones and has the same user ids. */
  readonly ownStore: boolean
  /** Reloads the description, for instance after a custom object was defined. */
  readonly refreshDescription: () => Promise<void>
  readonly streaming: Streaming
  readonly signOut: () => void
}

const NOTHING: Description = { Platform: '', RecordTypes: [], CustomObjects: [] }

const OWN_STORES: readonly string[] = ['sqlite', 'postgres']

export async function describe(crm: Crm): Promise<Pick<Session, 'description' | 'fault' | 'ownStore'>> {
  try {
    const description = await crm.describe({})
    rememberLabels(description)
    return { description, fault: undefined, ownStore: OWN_STORES.includes(description.Platform) }
  } catch (error) {
    return { description: NOTHING, fault: error as CrmError, ownStore: false }
  }
}

export type OpenedSession = Omit<Session, 'refreshDescription' | 'signOut' | 'mayUndo'>

/** A key, or the session in the cookie. */
export type Credential = string | typeof COOKIE

/** Signs in: loads the user and the description. Calls `onEnd` when the key or the session expires or is revoked. */
export async function openSession(credential: Credential, onEnd: () => void): Promise<OpenedSession> {
  const streaming = createStreaming()
  const ended = new AbortController()
  let signedIn = false
  // After a 401 all requests are aborted: too many failed sign-ins would block everyone at this network address.
  const send: typeof fetch = (url, init) =>
    fetch(url, {
      ...init,
      ...(credential === COOKIE && { headers: withoutKey(init?.headers) }),
      signal: init?.signal ? AbortSignal.any([init.signal, ended.signal]) : ended.signal,
    })
  const key = credential === COOKIE ? 'cookie' : credential
  const crm = connect({
    baseUrl,
    key,
    fetch: send,
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
  const [described, workspaces] = await Promise.all([
    may('describe') ? describe(crm) : { description: NOTHING, fault: undefined, ownStore: true },
    credential === COOKIE ? ownWorkspaces(send) : isTabWorkspace(me.Workspace) ? tabWorkspaces() : [],
  ])
  return {
    crm,
    get: createGet(baseUrl, key, send),
    post: createPost(baseUrl, key, send),
    postForLines: createPostForLines(baseUrl, key, send),
    baseUrl,
    me,
    workspaces,
    may,
    streaming,
    ...described,
  }
}

export const SessionContext = createContext<Session | undefined>(undefined)

export function useSession(): Session {
  const session = useContext(SessionContext)
  if (!session) throw new Error('useSession is only available inside Gate.')
  return session
}

/** The description of a record type; undefined where the key may not read it. */
export function useDescribed(recordType: string): DescribedType | undefined {
  return useSession().description.RecordTypes.find(({ Name }) => Name === recordType)
}
