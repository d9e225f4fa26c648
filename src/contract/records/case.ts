import { Type } from 'typebox'
import { field } from '../fields.ts'
import { asOf, datedPageOf, getInput, idInput, ifRevision, manyInput, operation } from '../operation.ts'
import { record } from '../record.ts'
import { changed, detailed, removedWithReferences, textInput, upserted, withIncluded } from '../shapes.ts'
import { agesInput, caseSummary, summaryInput } from '../summary.ts'
import { Comment } from './comment.ts'
import { Company } from './company.ts'
import { Contact } from './contact.ts'
import { EXTERNAL_ID } from './shared-fields.ts'
import { User } from './user.ts'

/** A customer's question or complaint. */
export const Case = record({
  name: 'Case',
  plural: 'cases',
  id: 'CaseID',
  summary: "A customer's question or complaint.",
  names: ['Subject'],
  owned: true,
  revised: true,
  state: 'Status',
  queued: true,
  children: [{ list: 'Comments', total: 'CommentsTotal', type: 'Comment' }],
  fields: {
    Subject: field.text({ label: 'Subject', required: true }),
    Description: field.longText({ label: 'Description', required: true }),
    Status: field.choice({ label: 'Status', suggested: ['New', 'Open', 'In Progress', 'Closed'], defaultValue: 'New' }),
    Priority: field.choice({ label: 'Priority', suggested: ['Low', 'Medium', 'High'] }),
    Origin: field.choice({ label: 'Origin', suggested: ['Phone', 'Email', 'Web'] }),
    Type: field.choice({ label: 'Type', suggested: ['Question', 'Problem', 'Feature Request'] }),
    Reason: field.choice({ label: 'Reason', suggested: [] }),
    CompanyID: field.id({ label: 'Company', refers: 'Company' }),
    ContactID: field.id({ label: 'Contact', refers: 'Contact' }),
    ParentID: field.id({ label: 'Parent case', refers: 'Case' }),
    ContactName: field.text({ label: 'Contact name', description: 'Who wrote, where that is no contact.' }),
    ContactEmail: field.email({ label: 'Contact e-mail', description: 'One @ with text on both sides.' }),
    ContactPhone: field.phone({ label: 'Contact phone' }),
    ...EXTERNAL_ID,
  },
  indexed: ['Subject', 'Description', 'Status', 'Priority', 'OwnerID', 'UpdatedDate', 'Revision'],
  sparse: ['CompanyID', 'ContactID', 'ParentID', 'ExternalID'],
})

export const createCase = operation({
  name: 'Create Case',
  method: 'cases.create',
  record: Case,
  verb: 'create',
  effect: 'create',
  summary: 'Stores a new case and answers with the whole record.',
  input: Case.draft(),
  output: Case.stored,
  example: { Subject: 'Card jammed', Description: 'The third card of the deck sticks.', Status: 'New' },
})

export const getCase = operation({
  name: 'Get Case',
  method: 'cases.get',
  record: Case,
  verb: 'get',
  effect: 'read',
  summary: 'Answers with one case in detail: its fields and its newest comments.',
  input: getInput(Case, 'case'),
  output: detailed(withIncluded(Case, { Company, Contact, Parent: Case, Owner: User }), {
    Comments: Type.Array(Comment.stored),
    CommentsTotal: Type.Integer(),
    ...asOf,
  }),
  errors: ['not_found'],
  example: { CaseID: '0k6v2m8q4d9x1c7b5n3t' },
})

export const getManyCases = operation({
  name: 'Get Many Cases',
  method: 'cases.getMany',
  record: Case,
  verb: 'getMany',
  effect: 'read',
  summary: 'Answers with the cases that match, page by page, newest first.',
  input: manyInput(Case),
  output: datedPageOf(withIncluded(Case, { Company, Contact, Parent: Case, Owner: User })),
  example: { Filters: { Status: { ne: 'Closed' }, Subject: { contains: 'card' } } },
})

export const caseGetSummary = operation({
  name: 'Case Get Summary',
  method: 'cases.getSummary',
  record: Case,
  verb: 'getSummary',
  effect: 'read',
  summary: 'Answers with figures over the cases the caller may see: open and closed, by status, owner and month, and the oldest open one.',
  input: summaryInput(Case.filters, agesInput),
  output: caseSummary(Case.stored),
  errors: ['not_found'],
  example: { Filters: { CreatedDate: { gte: '2026-01-01T00:00:00Z' } } },
})

export const updateCase = operation({
  name: 'Update Case',
  method: 'cases.update',
  record: Case,
  verb: 'update',
  effect: 'update',
  summary: 'Changes only the named fields of a case and answers with the whole record.',
  input: Type.Object({ CaseID: idInput('case'), FieldsToUpdate: Case.patch, IfRevision: ifRevision }, { additionalProperties: false }),
  output: changed(Case.stored),
  errors: ['not_found', 'conflict'],
  example: { CaseID: '0k6v2m8q4d9x1c7b5n3t', FieldsToUpdate: { Status: 'In Progress' } },
})

export const caseDelete = operation({
  name: 'Case Delete',
  method: 'cases.delete',
  record: Case,
  verb: 'delete',
  effect: 'delete',
  summary: 'Removes a case with its comments.',
  input: Type.Object({ CaseID: idInput('case'), IfRevision: ifRevision }, { additionalProperties: false }),
  output: removedWithReferences('CaseID'),
  errors: ['not_found', 'conflict'],
  example: { CaseID: '0k6v2m8q4d9x1c7b5n3t' },
})

export const addComment = operation({
  name: 'Add Comment',
  method: 'cases.addComment',
  record: Case,
  verb: 'attach',
  effect: 'create',
  summary: 'Adds a comment to a case; it is internal unless Publish is true.',
  input: Type.Object(
    {
      CaseID: idInput('case'),
      Comment: textInput(Comment.fields.Comment),
      Publish: Type.Optional(Type.Boolean({ description: Comment.fields.Publish.description as string })),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({ ...Comment.stored.properties, CaseID: Type.String() }),
  errors: ['not_found'],
  example: { CaseID: '0k6v2m8q4d9x1c7b5n3t', Comment: 'A new deck is on its way.', Publish: true },
})

export const upsertCase = operation({
  name: 'Upsert Case',
  method: 'cases.upsert',
  record: Case,
  verb: 'upsert',
  effect: 'update',
  summary: 'Updates the case that matches, or creates it where there is none, and answers with the whole record.',
  description: 'Calls at the same time leave one record. Where several match, it is refused with `conflict` and their ids.',
  input: Case.upserted,
  output: upserted(Case.stored),
  errors: ['not_found', 'conflict'],
  example: { ExternalID: 'mail-4711', Subject: 'Card jammed', Description: 'The third card of the deck sticks.' },
  extension: true,
})
