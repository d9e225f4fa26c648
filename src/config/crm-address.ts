import { withoutTrailingSlashes } from '../helpers/trailing-slashes.ts'
import { CRM_NAMES, type CrmName, isPackage, type PackageName } from '../platforms/crms/names.ts'

export interface CrmAddress {
  readonly name: CrmName | PackageName
  /** The address of the account; empty where the CRM has one address for all. */
  readonly place: string
  /** What is wrong with it, to follow the name of the setting in a message. */
  readonly fault?: string
}

/** An address such as `salesforce:https://acme.my.salesforce.com`, or the name alone; undefined for what is no CRM. */
export function crmAddress(url: string): CrmAddress | undefined {
  const [, word = '', behind = ''] = /^(package:[^:]+|[^:]+)(?::(.*))?$/s.exec(url.trim()) ?? []
  const name = word.startsWith('package:') ? (word as PackageName) : CRM_NAMES.find((one) => one === word.toLowerCase())
  if (name === undefined) return undefined
  const place = behind.trim()
  if (place === '') return { name, place }
  const at = /^https?:\/\//i.test(place) && URL.canParse(place) ? new URL(place) : undefined
  // The package checks its own addresses.
  if (!at && isPackage(name)) return { name, place }
  if (at?.search !== '' || at.hash !== '') return { name, place: '', fault: `must be ${name}: with an address such as https://crm.example.com behind it.` }
  if (at.username !== '' || at.password !== '')
    return { name, place: '', fault: 'holds a name or a password, which does not belong in an address: secrets have variables of their own.' }
  return { name, place: withoutTrailingSlashes(at.href) }
}

export const isCrm = (url: string) => crmAddress(url) !== undefined

/** The normalised address of a CRM, which may be shown; any other address unchanged. */
export function normalizeAddress(url: string): string {
  const address = crmAddress(url)
  return address ? `${address.name}:${address.fault === undefined ? address.place : '…'}` : url
}
