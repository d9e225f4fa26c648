import { useEffect } from 'react'
import { pageAt } from '../../routing/pages.ts'
import { useRoute } from '../../routing/router.ts'
import { useSession } from '../../session/session.ts'

export interface RecentRecord {
  readonly path: readonly string[]
  readonly title: string
}

const RECORD_PAGES: readonly string[] = ['leads', 'opportunities', 'companies', 'contacts', 'cases', 'campaigns', 'objects']

const MAX_SHOWN = 6

/** In the tab's storage, like the key, so that no customer names stay in the browser. */
const storageKey = (userId: string) => `crm-connector-recent-${userId}`

export function recentRecords(userId: string): readonly RecentRecord[] {
  try {
    return JSON.parse(sessionStorage.getItem(storageKey(userId)) ?? '[]') as RecentRecord[]
  } catch {
    return []
  }
}

/** Remembers the records that are opened, by the title of their page. */
export function useRecent(): void {
  const { me } = useSession()
  const { path } = useRoute()
  useEffect(() => {
    const page = pageAt(path[0] ?? '')
    const title = document.querySelector('title')
    if (path.length < 2 || !page || !title || !RECORD_PAGES.includes(page.path)) return
    const before = title.textContent
    const remember = () => {
      const shown = document.title.replace(/ · CRM Connector$/, '')
      if (document.title === before || shown === page.title) return
      const others = recentRecords(me.UserID).filter((one) => one.path.join('/') !== path.join('/'))
      sessionStorage.setItem(storageKey(me.UserID), JSON.stringify([{ path, title: shown }, ...others].slice(0, MAX_SHOWN)))
    }
    const observer = new MutationObserver(remember)
    observer.observe(title, { childList: true })
    return () => observer.disconnect()
  }, [path, me])
}
