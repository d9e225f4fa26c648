import { AUDIT, AUDIT_LINKS, address, EMAIL, NAME, OWNER, OWNER_LINKS, PHONE, person } from './common.ts'
import type { Field, Link, Scope } from './definition.ts'

const DESCRIPTION: { readonly [name: string]: Field } = { description: { type: 'text' } }
const REACHED = { emailAddress: EMAIL, phoneNumber: PHONE }

/** The initial fields of a custom scope, by its type. */
const FIELDS: { readonly [type: string]: { readonly [name: string]: Field } } = {
  Base: { name: NAME, ...DESCRIPTION },
  BasePlus: { name: NAME, ...DESCRIPTION },
  Person: { ...person(), ...DESCRIPTION, ...REACHED, ...address('address') },
  Company: { name: NAME, ...DESCRIPTION, website: { type: 'url' }, ...REACHED, ...address('billingAddress'), ...address('shippingAddress') },
  Event: {
    name: NAME,
    status: { type: 'enum', options: ['Planned', 'Held', 'Not Held'], default: 'Planned' },
    dateStart: { type: 'datetime', required: true },
    dateEnd: { type: 'datetime', required: true },
    ...DESCRIPTION,
  },
}

export const TEMPLATES = Object.keys(FIELDS)

const LINKS: { readonly [name: string]: Link } = { ...AUDIT_LINKS, ...OWNER_LINKS }

export function customScope(name: string, type: string, labels: Scope['labels'], { stream = false, disabled = false } = {}): Scope {
  return {
    name,
    labels,
    fields: { ...FIELDS[type], ...AUDIT, ...OWNER },
    links: LINKS,
    collection: { orderBy: 'createdAt', order: 'desc', textFilterFields: ['name'] },
    stream,
    custom: true,
    scope: {
      entity: true,
      layouts: true,
      tab: true,
      acl: true,
      aclPortal: true,
      aclPortalLevelList: ['all', 'account', 'contact', 'own', 'no'],
      customizable: true,
      importable: true,
      notifications: true,
      stream,
      disabled,
      type,
      module: 'Custom',
      object: true,
      isCustom: true,
    },
  }
}
