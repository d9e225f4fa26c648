import { Type } from 'typebox'
import { LIMITS } from './limits.ts'
import { datedPageOf, fresh, operation } from './operation.ts'
import { Lead } from './records/lead.ts'

/** The record types that a search covers. Stores number them by their place in this list, so that further ones are added at its end. */
export const SEARCHED_TYPES: readonly string[] = ['Lead', 'Opportunity', 'Case', 'Company', 'Contact', 'Campaign', 'CustomObject']

export const search = operation({
  name: 'Search',
  method: 'search',
  record: Lead,
  verb: 'search',
  effect: 'read',
  summary: 'Finds records of several types by words in their names, e-mail addresses, phone numbers and texts, the best match first.',
  description: `Every word must be there, as a word, the beginning or a part of one (one or two letters as the beginning only); case and accents make no difference, and a phone number is found in any spelling. Each type is searched for its ${LIMITS.searched} newest matches; get-many operations list all.`,
  input: Type.Object(
    {
      Text: Type.Unsafe<string>({
        type: 'string',
        format: 'text',
        minLength: 1,
        maxLength: LIMITS.searchText,
        pattern: '\\S',
        description: 'The words to look for.',
      }),
      RecordTypes: Type.Optional(
        Type.Array(Type.Unsafe<string>({ type: 'string', enum: SEARCHED_TYPES }), {
          minItems: 1,
          uniqueItems: true,
          description: 'Only these types; all that the key may read by default.',
        }),
      ),
      Limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LIMITS.searched, description: `Records in a page, ${LIMITS.defaultSearched} by default.` })),
      Cursor: Type.Optional(
        Type.Unsafe<string | null>({
          type: ['string', 'null'],
          maxLength: LIMITS.cursor,
          description: 'The NextCursor of the page before; the other inputs must stay the same.',
        }),
      ),
      ...fresh,
    },
    { additionalProperties: false },
  ),
  output: datedPageOf(
    Type.Object({
      RecordType: Type.String(),
      Record: Type.Unsafe<Record<string, unknown>>({ type: 'object' }),
      Matched: Type.Array(Type.String(), { description: 'The fields in which the words were found.' }),
    }),
  ),
  errors: ['unsupported'],
  example: { Text: 'ada lovel', RecordTypes: ['Lead', 'Contact'] },
  extension: true,
})
