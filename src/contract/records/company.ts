import { Type } from 'typebox'
import { field } from '../fields.ts'
import { asOf, datedPageOf, getInput, idInput, ifRevision, manyInput, operation } from '../operation.ts'
import { record } from '../record.ts'
import { changed, detailed, removedWithReferences, textInput, upserted, withIncluded } from '../shapes.ts'
import { Note } from './note.ts'
import { ADDRESS, BUSINESS, DESCRIPTION, EXTERNAL_ID } from './shared-fields.ts'
import { User } from './user.ts'

/** An organisation that contacts, opportunities and cases belong to. */
export const Company = record({
  name: 'Company',
  plural: 'companies',
  id: 'CompanyID',
  summary: 'An organisation that contacts, opportunities and cases belong to.',
  names: ['CompanyName'],
  owned: true,
  revised: true,
  children: [{ list: 'Notes', total: 'NotesTotal', type: 'Note' }],
  fields: {
    CompanyName: field.text({ label: 'Company name', required: true }),
    Website: field.text({ label: 'Website' }),
    Phone: field.phone({ label: 'Phone' }),
    Email: field.email({ label: 'E-mail', description: 'One @ with text on both sides.' }),
    ...BUSINESS,
    ...ADDRESS,
    ...DESCRIPTION,
    ...EXTERNAL_ID,
  },
  indexed: ['CompanyName', 'Website', 'Phone', 'Email', 'Industry', 'OwnerID', 'UpdatedDate', 'Revision'],
  sparse: ['ExternalID'],
})

export const createCompany = operation({
  name: 'Create Company',
  method: 'companies.create',
  record: Company,
  verb: 'create',
  effect: 'create',
  summary: 'Stores a new company and answers with the whole record.',
  input: Company.draft(),
  output: Company.stored,
  example: { CompanyName: 'Analytical Engines Ltd', Website: 'https://engines.example', Industry: 'Manufacturing' },
  extension: true,
})

export const getCompany = operation({
  name: 'Get Company',
  method: 'companies.get',
  record: Company,
  verb: 'get',
  effect: 'read',
  summary: 'Answers with one company in detail: its fields and its newest notes.',
  input: getInput(Company, 'company'),
  output: detailed(withIncluded(Company, { Owner: User }), { Notes: Type.Array(Note.stored), NotesTotal: Type.Integer(), ...asOf }),
  errors: ['not_found'],
  example: { CompanyID: '0k6v2m8q4d9x1c7b5n3t' },
  extension: true,
})

export const getManyCompanies = operation({
  name: 'Get Many Companies',
  method: 'companies.getMany',
  record: Company,
  verb: 'getMany',
  effect: 'read',
  summary: 'Answers with the companies that match, page by page, newest first.',
  input: manyInput(Company),
  output: datedPageOf(withIncluded(Company, { Owner: User })),
  example: { Filters: { Industry: 'Manufacturing' }, OrderBy: 'CompanyName' },
  extension: true,
})

export const updateCompany = operation({
  name: 'Update Company',
  method: 'companies.update',
  record: Company,
  verb: 'update',
  effect: 'update',
  summary: 'Changes only the named fields of a company and answers with the whole record.',
  input: Type.Object({ CompanyID: idInput('company'), FieldsToUpdate: Company.patch, IfRevision: ifRevision }, { additionalProperties: false }),
  output: changed(Company.stored),
  errors: ['not_found', 'conflict'],
  example: { CompanyID: '0k6v2m8q4d9x1c7b5n3t', FieldsToUpdate: { Employees: 250 } },
  extension: true,
})

export const deleteCompany = operation({
  name: 'Delete Company',
  method: 'companies.delete',
  record: Company,
  verb: 'delete',
  effect: 'delete',
  summary: 'Removes a company with its notes, and empties the references to it.',
  input: Type.Object({ CompanyID: idInput('company'), IfRevision: ifRevision }, { additionalProperties: false }),
  output: removedWithReferences('CompanyID'),
  errors: ['not_found', 'conflict'],
  example: { CompanyID: '0k6v2m8q4d9x1c7b5n3t' },
  extension: true,
})

export const addNotesToCompany = operation({
  name: 'Add Notes To Company',
  method: 'companies.addNote',
  record: Company,
  verb: 'attach',
  effect: 'create',
  summary: 'Adds a note to a company.',
  input: Type.Object({ CompanyID: idInput('company'), Note: textInput(Note.fields.Note) }, { additionalProperties: false }),
  output: detailed(Note.stored, { CompanyID: Type.String() }),
  errors: ['not_found'],
  example: { CompanyID: '0k6v2m8q4d9x1c7b5n3t', Note: 'Moves to a new site in May.' },
  extension: true,
})

export const upsertCompany = operation({
  name: 'Upsert Company',
  method: 'companies.upsert',
  record: Company,
  verb: 'upsert',
  effect: 'update',
  summary: 'Updates the company that matches, or creates it where there is none, and answers with the whole record.',
  description: 'Calls at the same time leave one record. Where several match, it is refused with `conflict` and their ids.',
  input: Company.upserted,
  output: upserted(Company.stored),
  errors: ['not_found', 'conflict'],
  example: { CompanyName: 'Analytical Engines Ltd', Employees: 250, MatchBy: ['CompanyName'] },
  extension: true,
})
