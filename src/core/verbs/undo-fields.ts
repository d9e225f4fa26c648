import { CrmError } from '../../contract/errors.ts'
import { deleteCustomField, updateCustomField } from '../../contract/records/custom-field.ts'
import { Definition } from '../../contract/records/custom-object.ts'
import type { Writer } from '../../platforms/platform.ts'
import { getRecord, type RecordOf } from '../call/records.ts'
import { changeTo } from '../journal/changes.ts'
import { CHANGED, limitFaultsOf, removeField } from './custom-fields.ts'
import { changedSince, type Undos } from './undo-kinds.ts'

/** How the changes of a definition are undone. It has no revision, but its last change alone is undone. */
export const FIELD_UNDOS: Undos = {
  updated: {
    operation: () => updateCustomField,
    tier: 'admin',
    async apply(writer, { id, before }) {
      const field = await getRecord(writer, Definition, id)
      if (!field) throw changedSince('The field is gone.')
      const was = before as RecordOf<typeof Definition>
      // Images of the version before have no Values.
      const changes = Object.fromEntries(CHANGED.map((name) => [name, was[name] ?? null])) as Pick<typeof was, (typeof CHANGED)[number]>
      const after = { ...field, ...changes }
      await refuseBeyondLimits(writer, field, after)
      await writer.update(Definition.name, id, changes)
      return changeTo(Definition, 'updated', field, after)
    },
  },
  deleted: {
    operation: () => updateCustomField,
    tier: 'admin',
    restores: true,
    async apply(writer, { id, before }) {
      if (await writer.get(Definition.name, id)) throw changedSince('The field is there again.')
      const field = { ...before, DefinitionID: id } as RecordOf<typeof Definition>
      await refuseBeyondLimits(writer, undefined, field)
      await writer.restore(Definition.name, field)
      return changeTo(Definition, 'restored', null, field)
    },
  },
  restored: {
    operation: () => deleteCustomField,
    tier: 'admin',
    async apply(writer, { id }) {
      const field = await getRecord(writer, Definition, id)
      if (!field) throw changedSince('The field is gone.')
      return removeField(writer, field)
    },
  },
}

async function refuseBeyondLimits(
  writer: Writer,
  ...change: [before: RecordOf<typeof Definition> | undefined, after: RecordOf<typeof Definition>]
): Promise<void> {
  const [fault] = await limitFaultsOf(writer, ...change, 'ChangeID')
  if (fault) throw new CrmError('conflict', fault.message, { errors: [fault] })
}
