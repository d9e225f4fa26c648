import { OPERATIONS, type Verb } from 'crm-connector/contract'
import { useCallback } from 'react'
import { useSession } from '../session/session.ts'

export type MayRead = (recordType: string, verb: Verb) => boolean

/** Whether the key gets to records of a type; what it does not get to is no link. */
export function useMayRead(): MayRead {
  const { may } = useSession()
  return useCallback((recordType, verb) => OPERATIONS.some(({ id, record, verb: does }) => record.name === recordType && does === verb && may(id)), [may])
}
