/** Where the key is kept: for this tab alone, or for this browser when its owner asked for that. */
const NAME = 'crm-connector-key'

export function storedKey(): string | undefined {
  return sessionStorage.getItem(NAME) ?? localStorage.getItem(NAME) ?? undefined
}

export function storeKey(key: string, { always }: { readonly always: boolean }): void {
  const [to, from] = always ? [localStorage, sessionStorage] : [sessionStorage, localStorage]
  to.setItem(NAME, key)
  from.removeItem(NAME)
}

/** Tells when another tab has signed in or out for the whole browser. */
export function onStoredKeyChange(changed: () => void): () => void {
  // Without a name, everything was cleared.
  const onStorage = ({ storageArea, key }: StorageEvent) => storageArea === localStorage && (key === NAME || key === null) && changed()
  window.addEventListener('storage', onStorage)
  return () => window.removeEventListener('storage', onStorage)
}

export function forgetKey(): void {
  sessionStorage.removeItem(NAME)
  localStorage.removeItem(NAME)
}
