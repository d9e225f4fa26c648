import { useState } from 'react'
import { useWrite } from '../data/write.ts'
import { faultsOf, hasOtherFaults } from '../forms/faults.ts'
import { FormDialog } from '../forms/form-dialog.tsx'
import { Button } from '../parts/button.tsx'
import { Checkbox } from '../parts/checkbox.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Field } from '../parts/field.tsx'
import { shownText } from '../parts/visible-text.ts'
import { Words } from '../parts/words.tsx'
import { Link } from '../routing/link.tsx'
import { hrefOf } from '../routing/router.ts'
import { useSession } from '../session/session.ts'
import { FieldInputs } from './field-inputs.tsx'
import { labelsOf, nameOf, type RecordSchema, type Row, useRecordSchema } from './record-schema.ts'
import { ReferenceInput } from './reference-input.tsx'
import { useSuggested } from './suggested.ts'

interface Props {
  readonly schema: RecordSchema
  readonly row: Row
  readonly onClose: () => void
  readonly onDone: () => void
  readonly onUndone: () => void
}

interface Converted {
  readonly CompanyID: string
  readonly ContactID: string
  readonly OpportunityID: string | null
}

/** As a text of any operation, since what is typed is for the service to check. */
const CONVERT: string = 'convert_lead'

/** The fields of the new opportunity; the others can be edited later. */
const ASKED = ['OpportunityName', 'Stage', 'CloseDate', 'Amount']

/** Makes a company, a contact and, if asked, an opportunity of a lead. */
export function ConvertDialog({ schema, row, onClose, onDone, onUndone }: Props) {
  const { crm } = useSession()
  const write = useWrite()
  const opportunity = useRecordSchema('Opportunity')
  const [given, setGiven] = useState<{ readonly CompanyID?: string; readonly ContactID?: string }>({})
  const [values, setValues] = useState<Row>()
  const [error, setError] = useState<unknown>()
  const [busy, setBusy] = useState(false)
  const [converted, setConverted] = useState<Converted>()
  const name = nameOf(schema, row)
  if (converted) return <Results converted={converted} name={name} onClose={onDone} />

  const names = ['CompanyID', 'ContactID', ...(values ? ASKED : [])]
  const faults = faultsOf(error, names, { CompanyID: 'Company', ContactID: 'Contact', ...(opportunity && labelsOf(opportunity)) })
  const save = async () => {
    const drafted = values && Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
    const input = { LeadID: String(row[schema.id]), ...given, ...(drafted && { Opportunity: drafted }) }
    setBusy(true)
    setError(undefined)
    try {
      const answer = await write(`${name} converted.`, async (options) => (await crm.call(CONVERT, input, options)) as Converted, onUndone, {
        input,
        open: ({ ContactID }) => hrefOf(['contacts', ContactID]),
      })
      setConverted(answer)
    } catch (refusal) {
      setError(refusal)
      setBusy(false)
    }
  }
  const reference = (field: 'CompanyID' | 'ContactID', recordType: string, made: string) => (
    <Field label={recordType} hint={given[field] === undefined ? <Words>{`Without a choice, ${made} is created.`}</Words> : undefined} fault={faults[field]}>
      {(control) => (
        <ReferenceInput
          control={control}
          kind={{ Name: field, Type: 'id' }}
          reference={{ recordType }}
          value={given[field]}
          onChange={(value) => {
            const { [field]: _, ...rest } = given
            setGiven(typeof value === 'string' ? { ...rest, [field]: value } : rest)
          }}
        />
      )}
    </Field>
  )
  return (
    <FormDialog
      title={`Convert ${name}`}
      save="Convert"
      busy={busy}
      unsaved={(values !== undefined || Object.keys(given).length > 0) && !busy}
      error={hasOtherFaults(error, names) ? error : undefined}
      onSave={() => void save()}
      onClose={onClose}
    >
      {reference('CompanyID', 'Company', typeof row.Company === 'string' ? shownText(row.Company) : name)}
      {reference('ContactID', 'Contact', name)}
      {opportunity?.operation('create') && (
        <Checkbox
          label="Create an opportunity"
          checked={values !== undefined}
          onChange={() => setValues(values ? undefined : { OpportunityName: typeof row.Company === 'string' ? row.Company : name })}
        />
      )}
      {opportunity && values && (
        <OpportunityInputs schema={opportunity} values={values} faults={faults} onChange={(field, value) => setValues({ ...values, [field]: value })} />
      )}
    </FormDialog>
  )
}

function OpportunityInputs({ schema, ...inputs }: Omit<Parameters<typeof FieldInputs>[0], 'fields'>) {
  const fields = useSuggested(schema, schema.createFields).filter(({ Name }) => ASKED.includes(Name))
  return <FieldInputs schema={schema} fields={fields} {...inputs} />
}

function Results({ converted, name, onClose }: { readonly converted: Converted; readonly name: string; readonly onClose: () => void }) {
  const { CompanyID, ContactID, OpportunityID } = converted
  return (
    <Dialog title={`${name} is converted`} onClose={onClose} footer={<Button onClick={onClose}>Close</Button>}>
      <ul>
        <li>
          <Link to={['companies', CompanyID]}>Open the company</Link>
        </li>
        <li>
          <Link to={['contacts', ContactID]}>Open the contact</Link>
        </li>
        {OpportunityID !== null && (
          <li>
            <Link to={['opportunities', OpportunityID]}>Open the opportunity</Link>
          </li>
        )}
      </ul>
    </Dialog>
  )
}
