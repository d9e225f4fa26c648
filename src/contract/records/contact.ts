import { Type } from 'typebox'
import { field } from '../fields.ts'
import { asOf, datedPageOf, getInput, idInput, ifRevision, manyInput, operation } from '../operation.ts'
import { record } from '../record.ts'
import { changed, detailed, removedWithReferences, textInput, upserted, withIncluded } from '../shapes.ts'
import { Company } from './company.ts'
import { Note } from './note.ts'
import { ADDRESS, DESCRIPTION, EXTERNAL_ID } from './shared-fields.ts'
import { User } from './user.ts'

/** A person at a company, or a customer of their own. */
export const Contact = record({
  name: 'Contact',
  plural: 'contacts',
  id: 'ContactID',
  summary: 'A person at a company, or a customer of their own.',
  names: ['FirstName', 'LastName'],
  owned: true,
  revised: true,
  children: [{ list: 'Notes', total: 'NotesTotal', type: 'Note' }],
  fields: {
    FirstName: field.text({ label: 'First name' }),
    LastName: field.text({ label: 'Last name', required: true }),
    Email: field.email({ label: 'E-mail', description: 'One @ with text on both sides.' }),
    Phone: field.phone({ label: 'Phone' }),
    MobilePhone: field.phone({ label: 'Mobile phone' }),
    Title: field.text({ label: 'Title', description: 'The position in the company.' }),
    CompanyID: field.id({ label: 'Company', refers: 'Company' }),
    ...ADDRESS,
    ...DESCRIPTION,
    ...EXTERNAL_ID,
  },
  indexed: ['FirstName', 'LastName', 'Email', 'Phone', 'OwnerID', 'UpdatedDate', 'Revision'],
  sparse: ['CompanyID', 'ExternalID'],
})

export const createContact = operation({
  name: 'Create Contact',
  method: 'contacts.create',
  record: Contact,
  verb: 'create',
  effect: 'create',
  summary: 'Stores a new contact and answers with the whole record.',
  input: Contact.draft(),
  output: Contact.stored,
  example: { FirstName: 'Charles', LastName: 'Babbage', Email: 'charles@engines.example', Title: 'Director' },
  extension: true,
})

export const getContact = operation({
  name: 'Get Contact',
  method: 'contacts.get',
  record: Contact,
  verb: 'get',
  effect: 'read',
  summary: 'Answers with one contact in detail: its fields and its newest notes.',
  input: getInput(Contact, 'contact'),
  output: detailed(withIncluded(Contact, { Company, Owner: User }), { Notes: Type.Array(Note.stored), NotesTotal: Type.Integer(), ...asOf }),
  errors: ['not_found'],
  example: { ContactID: '0k6v2m8q4d9x1c7b5n3t' },
  extension: true,
})

export const getManyContacts = operation({
  name: 'Get Many Contacts',
  method: 'contacts.getMany',
  record: Contact,
  verb: 'getMany',
  effect: 'read',
  summary: 'Answers with the contacts that match, page by page, newest first.',
  input: manyInput(Contact),
  output: datedPageOf(withIncluded(Contact, { Company, Owner: User })),
  example: { Filters: { Email: 'charles@engines.example' }, OrderBy: 'LastName' },
  extension: true,
})

export const updateContact = operation({
  name: 'Update Contact',
  method: 'contacts.update',
  record: Contact,
  verb: 'update',
  effect: 'update',
  summary: 'Changes only the named fields of a contact and answers with the whole record.',
  input: Type.Object({ ContactID: idInput('contact'), FieldsToUpdate: Contact.patch, IfRevision: ifRevision }, { additionalProperties: false }),
  output: changed(Contact.stored),
  errors: ['not_found', 'conflict'],
  example: { ContactID: '0k6v2m8q4d9x1c7b5n3t', FieldsToUpdate: { Title: 'Chairman' } },
  extension: true,
})

export const deleteContact = operation({
  name: 'Delete Contact',
  method: 'contacts.delete',
  record: Contact,
  verb: 'delete',
  effect: 'delete',
  summary: 'Removes a contact with its notes, and empties the references to it.',
  input: Type.Object({ ContactID: idInput('contact'), IfRevision: ifRevision }, { additionalProperties: false }),
  output: removedWithReferences('ContactID'),
  errors: ['not_found', 'conflict'],
  example: { ContactID: '0k6v2m8q4d9x1c7b5n3t' },
  extension: true,
})

export const addNotesToContact = operation({
  name: 'Add Notes To Contact',
  method: 'contacts.addNote',
  record: Contact,
  verb: 'attach',
  effect: 'create',
  summary: 'Adds a note to a contact.',
  input: Type.Object({ ContactID: idInput('contact'), Note: textInput(Note.fields.Note) }, { additionalProperties: false }),
  output: detailed(Note.stored, { ContactID: Type.String() }),
  errors: ['not_found'],
  example: { ContactID: '0k6v2m8q4d9x1c7b5n3t', Note: 'Prefers to be called after four.' },
  extension: true,
})

export const upsertContact = operation({
  name: 'Upsert Contact',
  method: 'contacts.upsert',
  record: Contact,
  verb: 'upsert',
  effect: 'update',
  summary: 'Updates the contact that matches, or creates it where there is none, and answers with the whole record.',
  description: 'Calls at the same time leave one record. Where several match, it is refused with `conflict` and their ids.',
  input: Contact.upserted,
  output: upserted(Contact.stored),
  errors: ['not_found', 'conflict'],
  example: { Email: 'charles@engines.example', LastName: 'Babbage', Title: 'Chairman', MatchBy: ['Email'] },
  extension: true,
})
