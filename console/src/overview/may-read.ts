import { OPERATIONS, type Verb } from 'crm-connector/contract'
import { useCallback } from 'react'
import { useSession } from '../session/session.ts'

export type MayRead = (recordType: string, verb: Verb) => boolean

/** Whether the key may read records of a type; links to others are not shown. */
export function useMayRead(): MayRead {
  const { may } = useSession()
  return useCallback((recordType, verb) => OPERATIONS.some(({ id, record, verb: does }) => record.name === recordType && does === verb && may(id)), [may])
}
