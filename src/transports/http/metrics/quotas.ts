import type { Service } from '../../../core/service.ts'

/** The label of workspaces without a platform of their own. */
const OTHERS = '*'

/** How much of its API quota each CRM account has used, where the platform reports it. */
export function quotaMetrics({ platform, platforms, connections }: Pick<Service, 'platform' | 'platforms' | 'connections'>): string {
  const places = new Map<Service['platform'], string>([[platform, OTHERS]])
  for (const [workspace, own] of [...platforms, ...connections.all()]) if (!places.has(own)) places.set(own, workspace)
  const quotas = [...places].flatMap(([{ name, quota }, workspace]) => {
    const state = quota?.()
    return state ? [{ labels: `platform="${name.toLowerCase()}",workspace="${workspace}"`, ...state }] : []
  })
  if (quotas.length === 0) return ''
  return [
    '',
    '# HELP crm_platform_quota_used How much of the quota of the account on a platform is used, by whomever.',
    '# TYPE crm_platform_quota_used gauge',
    ...quotas.map(({ labels, used }) => `crm_platform_quota_used{${labels}} ${used}`),
    '',
    '# HELP crm_platform_quota_limit How much the account on a platform may use.',
    '# TYPE crm_platform_quota_limit gauge',
    ...quotas.map(({ labels, most }) => `crm_platform_quota_limit{${labels}} ${most}`),
    '',
  ].join('\n')
}
