import type { Field, Link, Scope } from './definition.ts'

export const NAME: Field = { type: 'varchar', required: true, pattern: '$noBadCharacters' }

export const AUDIT = {
  createdAt: { type: 'datetime', readOnly: true },
  modifiedAt: { type: 'datetime', readOnly: true },
  createdBy: { type: 'link', readOnly: true, view: 'views/fields/user' },
  modifiedBy: { type: 'link', readOnly: true, view: 'views/fields/user' },
} as const satisfies { readonly [name: string]: Field }

export const OWNER = {
  assignedUser: { type: 'link', required: false, view: 'views/fields/assigned-user' },
  teams: { type: 'linkMultiple', view: 'views/fields/teams' },
} as const satisfies { readonly [name: string]: Field }

export const AUDIT_LINKS = {
  createdBy: { type: 'belongsTo', entity: 'User' },
  modifiedBy: { type: 'belongsTo', entity: 'User' },
} as const satisfies { readonly [name: string]: Link }

export const OWNER_LINKS = {
  assignedUser: { type: 'belongsTo', entity: 'User' },
  teams: { type: 'hasMany', entity: 'Team', relationName: 'entityTeam', layoutRelationshipsDisabled: true },
} as const satisfies { readonly [name: string]: Link }

export const PHONE: Field = { type: 'phone', typeList: ['Mobile', 'Office', 'Home', 'Fax', 'Other'], defaultType: 'Mobile', isPersonalData: true }
export const EMAIL: Field = { type: 'email', isPersonalData: true }

/** The fields of a person's name. */
export function person(lastName: Field = { type: 'varchar', maxLength: 100, pattern: '$noBadCharacters' }): { readonly [name: string]: Field } {
  return {
    name: { type: 'personName', isPersonalData: true },
    salutationName: { type: 'enum', options: ['', 'Mr.', 'Ms.', 'Mrs.', 'Dr.'] },
    firstName: { type: 'varchar', maxLength: 100, pattern: '$noBadCharacters' },
    lastName,
    middleName: { type: 'varchar', maxLength: 100, pattern: '$noBadCharacters' },
  }
}

export function address(name: string): { readonly [name: string]: Field } {
  return {
    [name]: { type: 'address' },
    [`${name}Street`]: { type: 'text', maxLength: 255, dbType: 'varchar' },
    [`${name}City`]: { type: 'varchar', maxLength: 100 },
    [`${name}State`]: { type: 'varchar', maxLength: 100 },
    [`${name}Country`]: { type: 'varchar', maxLength: 100 },
    [`${name}PostalCode`]: { type: 'varchar', maxLength: 40 },
  }
}

/** The fields of records that campaigns can target. */
export const TARGET = {
  targetLists: { type: 'linkMultiple', noLoad: true, importDisabled: true },
  targetListIsOptedOut: { type: 'bool', notStorable: true, readOnly: true },
} as const satisfies { readonly [name: string]: Field }

/** A standard scope. */
export function builtIn(scope: Partial<Scope> & Pick<Scope, 'name' | 'fields' | 'links'>): Scope {
  const { name, stream = false, statusField, duplicateCheckFieldList } = scope
  return {
    labels: { singular: name, plural: `${name}s` },
    collection: { orderBy: 'createdAt', order: 'desc' },
    custom: false,
    ...scope,
    stream,
    scope: {
      entity: true,
      object: true,
      layouts: true,
      tab: true,
      acl: true,
      customizable: true,
      importable: true,
      notifications: true,
      stream,
      ...(statusField !== undefined && { statusField }),
      ...(duplicateCheckFieldList && { duplicateCheckFieldList }),
      module: 'Crm',
      ...scope.scope,
    },
  }
}
