import { recordType } from 'crm-connector/contract'
import { useState } from 'react'
import { useWrite } from '../data/write.ts'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import { Page } from '../parts/page.tsx'
import { Empty } from '../parts/states.tsx'
import { TableCard } from '../parts/table-card.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { go } from '../routing/router.ts'
import { type DescribedField, useSession } from '../session/session.ts'
import { FieldForm } from './field-form.tsx'
import { EXTENSIBLE, kindOf, kindText } from './field-kinds.ts'
import './administration.css'

const titleOf = (type: string) => {
  const { plural } = recordType(type)
  return plural.charAt(0).toUpperCase() + plural.slice(1)
}

/** The fields that the workspace has beyond the standard ones: its own, which are defined here, or those of the CRM account. */
export function Fields({ path: [plural] }: { readonly path: readonly string[] }) {
  const { crm, description, ownStore, may, refreshDescription } = useSession()
  const write = useWrite()
  const [form, setForm] = useState<{ readonly field?: DescribedField }>()
  const [retiring, setRetiring] = useState<DescribedField>()
  const types = EXTENSIBLE.filter((type) => description.RecordTypes.some(({ Name }) => Name === type))
  const type = types.find((one) => recordType(one).plural === plural) ?? types[0] ?? ''
  const fields = description.RecordTypes.find(({ Name }) => Name === type)?.Fields.filter(({ Name }) => !Object.hasOwn(recordType(type).fields, Name)) ?? []
  const done = async () => {
    await refreshDescription()
    setForm(undefined)
  }

  return (
    <Page
      title="Fields"
      about={
        ownStore
          ? 'What this workspace adds to the standard fields of its records.'
          : `What the account in ${description.Platform} has beyond the standard fields. They are defined there.`
      }
      acts={
        ownStore &&
        may('define_field') &&
        type !== '' && (
          <Button kind="primary" icon="plus" onClick={() => setForm({})}>
            Define field
          </Button>
        )
      }
    >
      <Tabs label="Record type" tabs={types.map((id) => ({ id, label: titleOf(id) }))} shown={type} onShow={(id) => go(['fields', recordType(id).plural])} />
      {fields.length === 0 ? (
        <Empty icon="fields" title={`${titleOf(type)} have the standard fields only`}>
          {ownStore ? 'A field of your own keeps what the standard ones do not.' : `Fields that are added in ${description.Platform} appear here.`}
        </Empty>
      ) : (
        <TableCard
          label={`Fields of ${titleOf(type).toLowerCase()}`}
          rows={fields}
          keyOf={({ Name }) => Name}
          columns={[
            {
              title: 'Field',
              cell: ({ Name, Label }) => (
                <div className="admin-person">
                  <strong>{Label}</strong>
                  <small className="mono">{Name}</small>
                </div>
              ),
            },
            {
              title: 'Kind',
              labelled: true,
              cell: (field) => (
                <div className="admin-kind">
                  <span>{kindText(kindOf(field))}</span>
                  <Values field={field} />
                </div>
              ),
            },
            {
              title: 'Rules',
              labelled: true,
              cell: ({ Required, Unique, Writable }) => (
                <span className="admin-person-line">
                  {Required && <Badge tone="warn">Required</Badge>}
                  {Unique && <Badge tone="accent">Unique</Badge>}
                  {!Writable && <Badge>Read only</Badge>}
                  {!Required && !Unique && Writable && <span className="soft">none</span>}
                </span>
              ),
            },
            {
              title: 'Actions',
              untitled: true,
              cell: (field) =>
                field.Own && (
                  <span className="admin-acts">
                    {may('update_field') && (
                      <Button small icon="edit" aria-label={`Edit ${field.Label}`} onClick={() => setForm({ field })}>
                        Edit
                      </Button>
                    )}
                    {may('retire_field') && (
                      <Button small kind="danger" aria-label={`Retire ${field.Label}`} onClick={() => setRetiring(field)}>
                        Retire
                      </Button>
                    )}
                  </span>
                ),
            },
          ]}
        />
      )}
      {form && <FieldForm recordType={type} field={form.field} onDone={done} onClose={() => setForm(undefined)} />}
      {retiring && (
        <ConfirmDialog
          title={`Retire ${retiring.Label}?`}
          confirmLabel="Retire"
          danger
          onConfirm={async () => {
            const input = { RecordType: type, FieldName: retiring.Name } as Parameters<typeof crm.fields.retire>[0]
            await write(`${retiring.Label} retired.`, () => crm.fields.retire(input))
            await refreshDescription()
          }}
          onClose={() => setRetiring(undefined)}
        >
          <p className="admin-question">
            It disappears from forms, tables, filters and answers. Records keep its values: they come back when a field with the same name and kind is defined.
          </p>
        </ConfirmDialog>
      )}
    </Page>
  )
}

const LISTED = 6

/** The values of a choice, or what a reference points to. */
function Values({ field: { AllowedValues, RefersTo } }: { readonly field: DescribedField }) {
  if (RefersTo) return <small className="soft">to {RefersTo.toLowerCase()}</small>
  if (!AllowedValues) return null
  const more = AllowedValues.length - LISTED
  return <small className="soft">{`${AllowedValues.slice(0, LISTED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`}</small>
}
