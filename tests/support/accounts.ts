import { createAccounts } from '../../src/app/accounts.ts'
import { RequestCounts } from '../../src/app/request-counts.ts'
import type { Accounts } from '../../src/core/connections/accounts.ts'
import type { Store } from '../../src/platforms/store.ts'

/** Accounts of CRMs that may be on this machine, as simulators are. */
export const accountsOn = ({ takeFromRateLimit }: Pick<Store, 'takeFromRateLimit'>): Accounts =>
  createAccounts({ crms: {}, connectPrivate: true }, { counts: new RequestCounts(), takeFromRateLimit })
