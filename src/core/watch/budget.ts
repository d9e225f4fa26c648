import type { Quota } from '../../platforms/platform.ts'
import type { WatchSettings } from '../service.ts'

/** How an account is watched in fact. */
export interface Budgeted extends WatchSettings {
  /** The requests that the account allows in a day, where it tells. Absent in reports of earlier versions. */
  readonly quota?: number | undefined
}

/** By default, watching takes one part in so many of an account's daily quota at most: the rest is left to calls, and to other programs. */
const SHARE = 2

const shareOf = (quota: number) => Math.max(1, Math.floor(quota / SHARE))

/** How an account is watched: with the requests of the configuration or, where it names none, with half of those that the account allows at most. */
export function budgeted({ intervalMs, requestsPerDay, sparesQuota }: WatchSettings, quota: Quota | number | undefined): Budgeted {
  const most = typeof quota === 'object' ? quota.most : quota
  if (most === undefined || !sparesQuota) return { intervalMs, requestsPerDay }
  return { intervalMs, requestsPerDay: Math.min(requestsPerDay, shareOf(most)), quota: most }
}

/** Why there are no more requests a day; empty where the configuration says so. */
export const reasonOf = ({ requestsPerDay, quota }: Budgeted): string =>
  quota !== undefined && requestsPerDay === shareOf(quota) ? `half of the ${quota.toLocaleString('en')} that the account allows` : ''
