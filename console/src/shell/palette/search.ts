import { recordType as contractOf, LIMITS } from 'crm-connector/contract'
import { useEffect, useState } from 'react'
import { pathOf, recordName, typeName } from '../../journal/change-text.ts'
import { visibleText } from '../../parts/visible-text.ts'
import { pageAt } from '../../routing/pages.ts'
import { go } from '../../routing/router.ts'
import { type Session, useSession } from '../../session/session.ts'
import type { Command } from './command.ts'

type Row = { readonly [field: string]: unknown }

/** What tells records of the same name apart, besides their type. */
const ABOUT: { readonly [recordType: string]: readonly string[] } = {
  Lead: ['Email', 'Status'],
  Opportunity: ['Stage'],
  Case: ['Status'],
  Company: ['City'],
  Contact: ['Email'],
  Campaign: ['Status'],
}

const MOST = 12
const DEBOUNCE_MS = 180
const MIN_LENGTH = 2
const MAX_LENGTH = LIMITS.searchText

/** The records that match, best first. */
async function search({ crm, may }: Session, typed: string, signal: AbortSignal): Promise<Command[]> {
  if (!may('search')) return []
  const { Records, NextCursor } = await crm.search({ Text: typed.slice(0, MAX_LENGTH), Limit: MOST }, { signal, retries: 0 })
  const commands = Records.flatMap(({ RecordType, Record }) => commandOf(RecordType, Record))
  return [...commands, ...allResults(typed, Records, NextCursor !== null)]
}

type Hit = { readonly RecordType: string; readonly Record: Row }

/** Leads to the table of each record type that was found more than once, or may be. */
function allResults(typed: string, hits: readonly Hit[], more: boolean): Command[] {
  const tables = hits.map(({ RecordType, Record }) => pathOf(RecordType, '', Record)?.slice(0, -1) ?? [])
  const names = tables.map((path) => path.join('/'))
  return tables
    .filter((path, nth) => path.length > 0 && names.indexOf(path.join('/')) === nth && (more || names.lastIndexOf(path.join('/')) > nth))
    .map((path) => {
      const where = path[1] ?? pageAt(path[0] ?? '')?.title ?? ''
      return {
        id: `all-${path.join('-')}`,
        section: 'Records',
        title: `Show all results for “${typed}” in ${where}`,
        icon: 'search',
        act: () => go(path, { search: typed }),
      }
    })
}

function commandOf(recordType: string, record: Row): Command[] {
  const id = String(record[contractOf(recordType).id])
  const path = pathOf(recordType, id, record)
  const page = pageAt(path?.[0] ?? '')
  if (!path || !page) return []
  const type = typeName(recordType, record)
  const about = [type.charAt(0).toUpperCase() + type.slice(1), ...(ABOUT[recordType] ?? []).map((field) => record[field])]
  return [
    {
      id: `record-${path.join('-')}`,
      section: 'Records',
      title: recordName(recordType, id, record),
      about: about
        .filter((one) => typeof one === 'string' && one !== '')
        .map((one) => visibleText(String(one)))
        .join(' · '),
      icon: page.icon,
      act: () => go(path),
    },
  ]
}

/** Searches records, debounced. Earlier results stay until the next ones arrive. */
export function useSearch(typed: string): { readonly found: readonly Command[]; readonly searching: boolean } {
  const session = useSession()
  const [found, setFound] = useState<readonly Command[]>([])
  const [searching, setSearching] = useState(false)
  const wanted = typed.trim()

  useEffect(() => {
    if (wanted.length < MIN_LENGTH) {
      setFound([])
      setSearching(false)
      return
    }
    const controller = new AbortController()
    setSearching(true)
    const timer = setTimeout(() => {
      search(session, wanted, controller.signal).then(
        (commands) => {
          setFound(commands)
          setSearching(false)
        },
        // If the search fails, the other commands still work.
        () => {
          if (controller.signal.aborted) return
          setFound([])
          setSearching(false)
        },
      )
    }, DEBOUNCE_MS)
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [session, wanted])
  return { found, searching }
}
