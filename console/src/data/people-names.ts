import type { User } from 'crm-connector'
import { createContext, useContext } from 'react'

/** The names of users by id; without a directory, ids. */
export interface PeopleDirectory {
  /** The users the caller may see, by name. */
  readonly people: readonly User[]
  /** Those who may own records: with a CRM, users that have a PlatformUserID. */
  readonly owners: readonly User[]
  nameOf(userId: string): string
  readonly reload: () => void
}

export const PeopleContext = createContext<PeopleDirectory>({ people: [], owners: [], nameOf: (id) => id, reload: () => {} })

export const usePeople = (): PeopleDirectory => useContext(PeopleContext)
