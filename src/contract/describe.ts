import { Type } from 'typebox'
import { operation } from './operation.ts'
import { CustomObject } from './records/custom-object.ts'
import { detailed } from './shapes.ts'

const fieldShape = Type.Object({
  Name: Type.String(),
  Type: Type.String(),
  Label: Type.String(),
  Description: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
  Required: Type.Boolean({ description: 'Always has a value; an update may not clear it.' }),
  Writable: Type.Boolean({ description: 'Whether an update may set it.' }),
  MaxLength: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
  AllowedValues: Type.Unsafe<string[] | null>({
    type: ['array', 'null'],
    items: { type: 'string' },
    description: 'The only values accepted; null where the set is open.',
  }),
  SuggestedValues: Type.Unsafe<string[] | null>({ type: ['array', 'null'], items: { type: 'string' } }),
  RefersTo: Type.Unsafe<string | null>({ type: ['string', 'null'], description: 'The type of the record that an id names.' }),
  Unique: Type.Boolean({ description: 'Whether no two records may have the same value.' }),
  Own: Type.Boolean({ description: 'Whether the workspace has defined the field itself.' }),
  Operators: Type.Array(Type.String(), { description: 'What a filter on this field may use.' }),
})

const customFieldShape = detailed(fieldShape, {
  Retired: Type.Boolean({ description: 'Keeps the values it has, and takes no new ones.' }),
})

export const describe = operation({
  name: 'Describe',
  method: 'describe',
  record: CustomObject,
  verb: 'describe',
  effect: 'read',
  summary: 'Answers with the fields of each record type: type, label, allowed values and filter operators, and the objects the workspace has defined.',
  description: 'Fields that the configuration adds to a CRM are among them; those that the CRM does not have can be neither set nor searched by.',
  input: Type.Object(
    {
      RecordType: Type.Optional(
        Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'text', maxLength: 255, description: 'Only this record type.' }),
      ),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    Platform: Type.String(),
    RecordTypes: Type.Array(
      Type.Object({
        Name: Type.String(),
        Summary: Type.String(),
        IDField: Type.String(),
        Fields: Type.Array(fieldShape),
        Operations: Type.Array(Type.String()),
        ClosedStates: Type.Optional(
          Type.Object(
            { Won: Type.Optional(Type.Array(Type.String())), Lost: Type.Optional(Type.Array(Type.String())), Closed: Type.Optional(Type.Array(Type.String())) },
            { description: 'The stages or statuses that count as won, lost or closed in summaries; all others are open.' },
          ),
        ),
      }),
    ),
    CustomObjects: Type.Array(Type.Object({ ObjectName: Type.String(), Fields: Type.Array(customFieldShape) })),
  }),
  example: { RecordType: 'Opportunity' },
  extension: true,
})
