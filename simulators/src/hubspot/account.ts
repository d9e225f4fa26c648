import { DAY_MS } from '../dates.ts'
import { type Handler, ok } from './call.ts'
import { instant } from './properties/values.ts'
import { daily } from './quota.ts'

export const accountDetails: Handler = ({ portal }) =>
  ok({
    portalId: portal.id,
    accountType: 'DEVELOPER_TEST',
    timeZone: 'UTC',
    companyCurrency: 'USD',
    additionalCurrencies: [],
    utcOffset: '+00:00',
    utcOffsetMilliseconds: 0,
    uiDomain: 'app.hubspot.com',
    dataHostingLocation: 'na1',
  })

export const dailyUsage: Handler = ({ portal, request }) => {
  const now = portal.now()
  const tomorrow = Math.ceil((now + 1) / DAY_MS) * DAY_MS
  const { used, most } = daily(portal, request)
  const usage = {
    name: 'private-apps-api-calls-daily',
    usageLimit: most,
    currentUsage: used,
    collectedAt: instant(now),
    fetchStatus: 'SUCCESS',
    resetsAt: instant(tomorrow),
  }
  return ok({ results: [usage] })
}
