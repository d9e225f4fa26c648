/** The CRMs that can be a platform, as their addresses begin. */
export const CRM_NAMES = ['salesforce', 'hubspot', 'espocrm'] as const

export type CrmName = (typeof CRM_NAMES)[number]

/** A CRM that is loaded from a package of its own, or from a file: `package:crm-acme`, `package:./crm.js`. */
export type PackageName = `package:${string}`

export const isPackage = (name: CrmName | PackageName): name is PackageName => name.startsWith('package:')
