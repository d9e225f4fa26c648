/** The key is stored for the tab, or for the browser if the user asked for that. */
const NAME = 'crm-connector-key'

export function storedKey(): string | undefined {
  return sessionStorage.getItem(NAME) ?? localStorage.getItem(NAME) ?? undefined
}

/** Whether the key is that of a session, which ends when the person signs out. */
const SESSION = 'crm-connector-session'

export const isStoredSession = (): boolean => sessionStorage.getItem(SESSION) !== null

/** A key with whether it is that of a session. */
export interface StoredKey {
  readonly key: string
  readonly session: boolean
}

/** The key that is stored for the tab alone. */
export function storedKeyInTab(): StoredKey | undefined {
  const key = sessionStorage.getItem(NAME)
  return key === null ? undefined : { key, session: isStoredSession() }
}

/** Uses a key in this tab, and leaves that of the browser as it is. */
export function keepInTab({ key, session }: StoredKey): void {
  sessionStorage.setItem(NAME, key)
  if (session) sessionStorage.setItem(SESSION, '')
  else sessionStorage.removeItem(SESSION)
}

export interface HowToKeep {
  readonly always: boolean
  readonly session?: boolean
}

export function storeKey(key: string, { always, session = false }: HowToKeep): void {
  if (always) {
    localStorage.setItem(NAME, key)
    sessionStorage.removeItem(NAME)
    sessionStorage.removeItem(SESSION)
  } else {
    keepInTab({ key, session })
    localStorage.removeItem(NAME)
  }
}

/** Calls back when another tab signs in or out for the whole browser. */
export function onStoredKeyChange(changed: () => void): () => void {
  // The key of the event is null when the whole storage was cleared.
  const onStorage = ({ storageArea, key }: StorageEvent) => storageArea === localStorage && (key === NAME || key === null) && changed()
  window.addEventListener('storage', onStorage)
  return () => window.removeEventListener('storage', onStorage)
}

export function forgetKey(): void {
  sessionStorage.removeItem(NAME)
  localStorage.removeItem(NAME)
  sessionStorage.removeItem(SESSION)
}
