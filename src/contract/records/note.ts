import { field } from '../fields.ts'
import { childrenInput, datedPageOf, operation } from '../operation.ts'
import { record } from '../record.ts'

/** A remark on a lead, an opportunity, a company or a contact. */
export const Note = record({
  name: 'Note',
  plural: 'notes',
  id: 'NoteID',
  summary: 'A remark on a lead, an opportunity, a company or a contact.',
  owned: false,
  revised: false,
  childOf: { types: ['Lead', 'Opportunity', 'Company', 'Contact'], field: 'RecordID' },
  fields: {
    RecordID: field.id({ label: 'Record', access: 'secret', required: true }),
    Note: field.longText({ label: 'Note', required: true, access: 'create' }),
    AuthorID: field.id({ label: 'Author', required: true, access: 'read', refers: 'User' }),
  },
})

export const getManyNotes = operation({
  name: 'Get Many Notes',
  method: 'notes.getMany',
  record: Note,
  verb: 'getAttached',
  effect: 'read',
  summary: 'Answers with the notes of a lead, an opportunity, a company or a contact, page by page, newest first.',
  input: childrenInput('RecordID', 'lead, opportunity, company or contact'),
  output: datedPageOf(Note.stored),
  errors: ['not_found'],
  example: { RecordID: '0k6v2m8q4d9x1c7b5n3t', Limit: 50 },
  extension: true,
})
