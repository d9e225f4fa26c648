/** A scope that an app needs, and behind it those that allow the same: older ones, or finer ones. */
type Need = readonly [scope: string, ...others: string[]]

const CONTACTS: readonly Need[] = [
  ['crm.objects.contacts.read', 'contacts'],
  ['crm.objects.contacts.write', 'contacts'],
]

const NEEDS: { readonly [object: string]: readonly Need[] } = {
  contacts: CONTACTS,
  leads: [['crm.objects.leads.read'], ['crm.objects.leads.write'], ...CONTACTS],
  companies: [
    ['crm.objects.companies.read', 'contacts'],
    ['crm.objects.companies.write', 'contacts'],
  ],
  deals: [
    ['crm.objects.deals.read', 'contacts'],
    ['crm.objects.deals.write', 'contacts'],
  ],
  tickets: [
    ['tickets', 'crm.objects.tickets.read'],
    ['tickets', 'crm.objects.tickets.write'],
  ],
  notes: CONTACTS,
  lists: [['crm.lists.read'], ['crm.lists.write']],
  custom: [['crm.objects.custom.read'], ['crm.objects.custom.write'], ['crm.schemas.custom.read'], ['crm.schemas.custom.write']],
}

/** What custom objects are called here, whichever they are. */
export const CUSTOM = 'custom'
const isCustom = (object: string) => /^(?:2-|p\d*_)/.test(object)

function needsOf(object: string): readonly Need[] {
  return NEEDS[isCustom(object) ? CUSTOM : object] ?? [[`crm.objects.${object}.read`], [`crm.objects.${object}.write`]]
}

/** The scopes that an app needs to read and to write an object. */
export const scopesFor = (object: string): string[] => [...new Set(needsOf(object).map(([scope]) => scope))]

/** The scopes for these objects that are not among those granted. */
export function missingFor(objects: readonly string[], granted: readonly string[]): string[] {
  return [...new Set(objects.flatMap(needsOf).flatMap((need) => (need.some((scope) => granted.includes(scope)) ? [] : [need[0]])))]
}

/** Beyond the objects: being authorized at all, what contacts have, and looking owners up. */
const ALWAYS = ['oauth', 'crm.schemas.contacts.read', 'crm.objects.owners.read']

/** What an account is asked for that lets the app in. Custom objects, which only some have, are optional, unless a table is one. */
export function scopesToAuthorize(objects: readonly string[]): { readonly required: readonly string[]; readonly optional: readonly string[] } {
  const required = [...new Set([...ALWAYS, ...objects.flatMap(scopesFor)])]
  return { required, optional: scopesFor(CUSTOM).filter((scope) => !required.includes(scope)) }
}
