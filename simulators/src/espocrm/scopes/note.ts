import { AUDIT, AUDIT_LINKS, builtIn } from './common.ts'
import type { Scope } from './definition.ts'

const { createdAt, modifiedAt, createdBy, modifiedBy } = AUDIT

export const note: Scope = builtIn({
  name: 'Note',
  collection: { orderBy: 'number', order: 'desc' },
  scope: { object: false, tab: false, importable: false, customizable: false, module: undefined },
  fields: {
    post: { type: 'text' },
    data: { type: 'jsonObject', readOnly: true },
    type: { type: 'varchar', readOnlyAfterCreate: true },
    targetType: { type: 'varchar', readOnlyAfterCreate: true },
    number: { type: 'autoincrement', readOnly: true },
    isGlobal: { type: 'bool', readOnly: true, storedDefault: false },
    createdByGender: { type: 'varchar', readOnly: true },
    isInternal: { type: 'bool' },
    isPinned: { type: 'bool', readOnly: true, storedDefault: false },
    createdAt,
    modifiedAt,
    parent: { type: 'linkParent', readOnlyAfterCreate: true },
    related: { type: 'linkParent', readOnly: true },
    attachments: { type: 'attachmentMultiple' },
    createdBy,
    modifiedBy,
    superParent: { type: 'linkParent', readOnly: true, noName: true },
  },
  links: { ...AUDIT_LINKS, parent: { type: 'belongsToParent' }, related: { type: 'belongsToParent' }, superParent: { type: 'belongsToParent' } },
})
