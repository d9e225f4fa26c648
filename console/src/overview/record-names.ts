import type { Crm } from 'crm-connector'
import { useEffect, useState } from 'react'
import { useSession } from '../session/session.ts'

type Names = ReadonlyMap<string, string>

/** What a record is called: the fields its name is made of, and how records are asked for by their ids. */
const ASK = {
  Lead: {
    operation: 'get_many_leads',
    ask: async (crm: Crm, ids: string[], signal: AbortSignal) => {
      const { Records } = await crm.leads.getMany({ Filters: { LeadID: { in: ids } }, Select: ['FirstName', 'LastName'] }, { signal })
      return Records.map(({ LeadID, FirstName, LastName }) => [LeadID, `${FirstName} ${LastName}`] as const)
    },
  },
  Opportunity: {
    operation: 'get_many_opportunities',
    ask: async (crm: Crm, ids: string[], signal: AbortSignal) => {
      const { Records } = await crm.opportunities.getMany({ Filters: { OpportunityID: { in: ids } }, Select: ['OpportunityName'] }, { signal })
      return Records.map(({ OpportunityID, OpportunityName }) => [OpportunityID, OpportunityName] as const)
    },
  },
  Case: {
    operation: 'get_many_cases',
    ask: async (crm: Crm, ids: string[], signal: AbortSignal) => {
      const { Records } = await crm.cases.getMany({ Filters: { CaseID: { in: ids } }, Select: ['Subject'] }, { signal })
      return Records.map(({ CaseID, Subject }) => [CaseID, Subject] as const)
    },
  },
} as const

/** The names of records of which only the ids are known, as far as the key may see them. */
export function useRecordNames(wanted: readonly { readonly recordType: string; readonly recordId: string }[]): Names {
  const { crm, may } = useSession()
  const [names, setNames] = useState<Names>(new Map())
  const asked = JSON.stringify([...new Set(wanted.map(({ recordType, recordId }) => `${recordType} ${recordId}`))].sort())
  useEffect(() => {
    const gone = new AbortController()
    const all = (JSON.parse(asked) as string[]).map((one) => one.split(' ') as [string, string])
    for (const [type, { operation, ask }] of Object.entries(ASK)) {
      const ids = all.filter(([of]) => of === type).map(([, id]) => id)
      if (ids.length === 0 || !may(operation)) continue
      // A record without a name is shown by its id; that is no reason to show an error.
      ask(crm, ids, gone.signal).then(
        (found) => gone.signal.aborted || setNames((known) => new Map([...known, ...found])),
        () => {},
      )
    }
    return () => gone.abort()
  }, [crm, may, asked])
  return names
}
