import { expect, test } from 'vitest'
import { OpenedConnections } from '../../src/core/connections/opened.ts'
import type { Platform, Quota } from '../../src/platforms/platform.ts'
import { quotaMetrics } from '../../src/transports/http/metrics/quotas.ts'

const platform = (name: string, quota?: Quota) => ({ name, ...(quota && { quota: () => quota }) }) as Platform
const figures = (common: Platform, own: Record<string, Platform> = {}) =>
  quotaMetrics({ platform: common, platforms: new Map(Object.entries(own)), connections: new OpenedConnections((one) => one) })

test('nothing is said where no platform has a quota', () => {
  expect(figures(platform('sqlite'))).toBe('')
})

test('each account is said once, with the first workspace that lives there', () => {
  const shared = platform('salesforce', { of: 'API requests a day', used: 5, most: 15_000 })
  const text = figures(shared, { one: shared, sandbox: platform('salesforce', { of: 'API requests a day', used: 7, most: 100 }), local: platform('sqlite') })
  expect(text.split('\n').filter((line) => !line.startsWith('#') && line !== '')).toEqual([
    'crm_platform_quota_used{platform="salesforce",workspace="*"} 5',
    'crm_platform_quota_used{platform="salesforce",workspace="sandbox"} 7',
    'crm_platform_quota_limit{platform="salesforce",workspace="*"} 15000',
    'crm_platform_quota_limit{platform="salesforce",workspace="sandbox"} 100',
  ])
})
