import type { Fault } from '../contract/errors.ts'
import { CONFIG_FILE } from './config-file.ts'
import { crmAddress } from './crm-address.ts'

/** The workspace that every store has. */
const FIRST = 'default'

export const sharedAccount = (one: string, other: string) =>
  `${one} and ${other} are the same account of a CRM. It has no workspaces inside, so that each would show and change the records of the other.`

/** Adds a fault for each two workspaces whose platform is one account, however its address is spelled. */
export function refuseSharedAccounts(platform: string, workspaces: { readonly [name: string]: { readonly platform: string } }, faults: Fault[]): void {
  const places = Object.entries({ [FIRST]: { platform }, ...workspaces }).map(([name, own]) => [name, accountOf(own.platform)] as const)
  const taken = new Map<string, string>()
  for (const [name, account] of places) {
    if (account === undefined) continue
    const other = taken.get(account)
    if (other === undefined) taken.set(account, name)
    else
      faults.push({
        field: `${CONFIG_FILE}: workspaces.${name}.platform`,
        code: 'value',
        message: sharedAccount(`The platforms of the workspaces ${other}`, name),
      })
  }
}

/** The same for addresses that certainly lead to one account. */
function accountOf(url: string): string | undefined {
  const address = crmAddress(url)
  if (!address || address.fault !== undefined) return undefined
  const { name, place } = address
  if (!URL.canParse(place)) return `${name}:${place}`
  const { hostname, port, pathname } = new URL(place)
  return `${name}://${hostname.replace(/\.$/, '')}:${port}${pathname.replace(/\/(api\/v1)?\/?$/, '')}`
}
