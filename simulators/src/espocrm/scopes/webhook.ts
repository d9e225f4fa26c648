import { AUDIT, AUDIT_LINKS, builtIn } from './common.ts'
import type { Scope } from './definition.ts'

export const EVENT_TYPES = ['create', 'update', 'fieldUpdate', 'delete']

export const webhook: Scope = builtIn({
  name: 'Webhook',
  scope: { object: false, importable: false, module: undefined },
  fields: {
    event: { type: 'varchar', maxLength: 100, required: true },
    url: { type: 'varchar', maxLength: 512, required: true },
    isActive: { type: 'bool', default: true },
    user: { type: 'link' },
    entityType: { type: 'varchar', readOnly: true },
    type: { type: 'enum', options: EVENT_TYPES, readOnly: true },
    field: { type: 'varchar', readOnly: true },
    secretKey: { type: 'varchar', maxLength: 100, readOnly: true },
    ...AUDIT,
  },
  links: { ...AUDIT_LINKS, user: { type: 'belongsTo', entity: 'User' } },
})
