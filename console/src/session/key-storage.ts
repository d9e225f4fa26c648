/** The key is stored for the tab, or for the browser if the user asked for that. */
const NAME = 'crm-connector-key'

export function storedKey(): string | undefined {
  return sessionStorage.getItem(NAME) ?? localStorage.getItem(NAME) ?? undefined
}

export function storeKey(key: string, { always }: { readonly always: boolean }): void {
  const [to, from] = always ? [localStorage, sessionStorage] : [sessionStorage, localStorage]
  to.setItem(NAME, key)
  from.removeItem(NAME)
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
}
