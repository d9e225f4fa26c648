import type { Service } from '../../../core/service.ts'

/** All workspaces that have no platform of their own. */
const OTHERS = '*'

/** How much of what an account may ask for is used, where a platform knows. */
export function quotaMetrics({ platform, platforms }: Pick<Service, 'platform' | 'platforms'>): string {
  const places = new Map<Service['platform'], string>([[platform, OTHERS]])
  for (const [workspace, own] of platforms) if (!places.has(own)) places.set(own, workspace)
  const known = [...places].flatMap(([{ name, quota }, workspace]) => {
    const said = quota?.()
    return said ? [{ labels: `platform="${name.toLowerCase()}",workspace="${workspace}"`, ...said }] : []
  })
  if (known.length === 0) return ''
  return [
    '',
    '# HELP crm_platform_quota_used How much of the quota of the account on a platform is used, by whomever.',
    '# TYPE crm_platform_quota_used gauge',
    ...known.map(({ labels, used }) => `crm_platform_quota_used{${labels}} ${used}`),
    '',
    '# HELP crm_platform_quota_limit How much the account on a platform may use.',
    '# TYPE crm_platform_quota_limit gauge',
    ...known.map(({ labels, most }) => `crm_platform_quota_limit{${labels}} ${most}`),
    '',
  ].join('\n')
}
