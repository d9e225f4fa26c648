import { useState } from 'react'
import { type Condition, filtersOf } from '../filters/conditions.ts'
import { IconButton } from '../parts/button.tsx'
import { Menu, type MenuPlace, placeBelow } from '../parts/menu.tsx'
import { go } from '../routing/router.ts'
import type { DescribedField } from '../session/session.ts'
import type { RecordSchema, Row } from './record-schema.ts'
import { useValueMenu } from './value-menu.ts'
import { queryOf } from './view.ts'

/** Types whose values several records have in common. */
const SHARED: readonly string[] = ['choice', 'boolean', 'date', 'timestamp', 'integer', 'number', 'money']

interface Props {
  readonly schema: RecordSchema
  readonly field: DescribedField
  readonly row: Row
}

/** Leads from a value of a record to the records that have it too, and to those that have not. */
export function FieldMenu({ schema, field, row }: Props) {
  const [place, setPlace] = useState<MenuPlace>()
  const toTable = (condition: Condition) => go(schema.path, queryOf({ filters: filtersOf([condition]), order: undefined, columns: undefined, board: false }))
  const items = useValueMenu(schema, toTable)(row, [field.Name])
  const isShared = SHARED.includes(field.Type) || field.RefersTo || field.Name === 'OwnerID'
  if (!isShared || items.length === 0) return null
  return (
    <>
      <IconButton
        className="record-field-menu"
        icon="filter"
        label={`Filter by ${field.Label}`}
        small
        aria-haspopup="menu"
        onClick={({ currentTarget }) => setPlace(placeBelow(currentTarget))}
      />
      {place && <Menu label={field.Label} place={place} items={items} onClose={() => setPlace(undefined)} />}
    </>
  )
}
