/** The CRMs that can be a platform, as their addresses begin. */
export const CRM_NAMES = ['salesforce', 'hubspot', 'espocrm'] as const

export type CrmName = (typeof CRM_NAMES)[number]
