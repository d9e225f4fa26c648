import type { Crm } from 'crm-connector'
import { useEffect, useState } from 'react'
import { useSession } from '../session/session.ts'

type Names = ReadonlyMap<string, string>

/** How the names of records are loaded by their ids. */
const LOOKUPS = {
  Lead: {
    operation: 'get_many_leads',
    lookUp: async (crm: Crm, ids: string[], signal: AbortSignal) => {
      const { Records } = await crm.leads.getMany({ Filters: { LeadID: { in: ids } }, Select: ['FirstName', 'LastName'] }, { signal })
      return Records.map(({ LeadID, FirstName, LastName }) => [LeadID, `${FirstName} ${LastName}`] as const)
    },
  },
  Opportunity: {
    operation: 'get_many_opportunities',
    lookUp: async (crm: Crm, ids: string[], signal: AbortSignal) => {
      const { Records } = await crm.opportunities.getMany({ Filters: { OpportunityID: { in: ids } }, Select: ['OpportunityName'] }, { signal })
      return Records.map(({ OpportunityID, OpportunityName }) => [OpportunityID, OpportunityName] as const)
    },
  },
  Case: {
    operation: 'get_many_cases',
    lookUp: async (crm: Crm, ids: string[], signal: AbortSignal) => {
      const { Records } = await crm.cases.getMany({ Filters: { CaseID: { in: ids } }, Select: ['Subject'] }, { signal })
      return Records.map(({ CaseID, Subject }) => [CaseID, Subject] as const)
    },
  },
} as const

/** Loads the names of records by their ids, as far as the key may read them. */
export function useRecordNames(records: readonly { readonly recordType: string; readonly recordId: string }[]): Names {
  const { crm, may } = useSession()
  const [names, setNames] = useState<Names>(new Map())
  const key = JSON.stringify([...new Set(records.map(({ recordType, recordId }) => `${recordType} ${recordId}`))].sort())
  useEffect(() => {
    const controller = new AbortController()
    const all = (JSON.parse(key) as string[]).map((one) => one.split(' ') as [string, string])
    for (const [type, { operation, lookUp }] of Object.entries(LOOKUPS)) {
      const ids = all.filter(([of]) => of === type).map(([, id]) => id)
      if (ids.length === 0 || !may(operation)) continue
      // Without a name the id is shown, so errors are ignored.
      lookUp(crm, ids, controller.signal).then(
        (found) => controller.signal.aborted || setNames((known) => new Map([...known, ...found])),
        () => {},
      )
    }
    return () => controller.abort()
  }, [crm, may, key])
  return names
}
