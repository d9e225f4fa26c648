import { field } from '../fields.ts'
import { childrenInput, datedPageOf, operation } from '../operation.ts'
import { record } from '../record.ts'

/** An answer on a case. */
export const Comment = record({
  name: 'Comment',
  plural: 'comments',
  id: 'CommentID',
  summary: 'An answer on a case.',
  owned: false,
  revised: false,
  childOf: { types: ['Case'], field: 'CaseID' },
  fields: {
    CaseID: field.id({ label: 'Case', access: 'secret', required: true }),
    Comment: field.longText({ label: 'Comment', required: true, access: 'create' }),
    Publish: field.boolean({
      label: 'Published',
      description: 'Whether the customer sees it; false by default.',
      required: true,
      access: 'create',
      defaultValue: false,
    }),
    AuthorID: field.id({ label: 'Author', required: true, access: 'read', refers: 'User' }),
  },
})

export const getManyComments = operation({
  name: 'Get Many Comments',
  method: 'comments.getMany',
  record: Comment,
  verb: 'getAttached',
  effect: 'read',
  summary: 'Answers with the comments of a case, page by page, newest first.',
  input: childrenInput('CaseID', 'case'),
  output: datedPageOf(Comment.stored),
  errors: ['not_found'],
  example: { CaseID: '0k6v2m8q4d9x1c7b5n3t', Limit: 50 },
  extension: true,
})
