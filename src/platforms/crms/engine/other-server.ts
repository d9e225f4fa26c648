import { DriverError } from './errors.ts'
import type { CrmKind } from './kind.ts'

/** The failure where something answers that is not the CRM: the address is mistyped, or is that of something in front of the CRM. */
export function otherServer({ label, address }: Pick<CrmKind, 'label' | 'address'>, origin: string): DriverError {
  const message = `${origin} does not answer as ${label} does.`
  return new DriverError('platform_unavailable', message, { errors: [{ field: 'Address', code: 'value', message }], ...addressHint(address) })
}

/** What to do about an address. */
export const addressHint = (address: CrmKind['address']) => ({
  hint: `Check the address of the account${address ? `: it looks like ${address.example}` : ''}.`,
})
