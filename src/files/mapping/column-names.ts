/** A name in lower case without blanks and punctuation, for comparing. */
export const bare = (name: string) =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')

export interface Named {
  readonly name: string
  readonly label: string
}

/** What other systems call the same field. */
const SYNONYMS: { readonly [field: string]: readonly string[] } = {
  FirstName: ['given name', 'forename'],
  LastName: ['surname', 'family name'],
  Email: ['mail', 'email address'],
  Phone: ['telephone', 'phone number'],
  OpportunityName: ['deal name'],
  Stage: ['deal stage'],
  OwnerID: ['owner name', 'owner email', 'record owner'],
  CloseDate: ['closing date', 'expected close date'],
}

/** The field that a column's name fits, and how closely: the same (1), the same but for the name of the record type (2), or a synonym (3). */
export function fieldNamed<F extends Named>(
  record: string,
  fields: readonly F[],
  column: string,
): { readonly field: F; readonly distance: number } | undefined {
  const [name, type] = [bare(column), bare(record)]
  const labelled = fieldsLabelled(fields, column)
  const matches: ((field: F) => boolean)[] = [
    // A label that several fields have tells of none.
    (field) => name === bare(field.name) || (labelled.length === 1 && labelled[0] === field),
    (field) => type + name === bare(field.name) || name === type + bare(field.name),
    (field) => SYNONYMS[field.name]?.some((other) => bare(other) === name) ?? false,
  ]
  for (const [i, isMatch] of matches.entries()) {
    const field = fields.find(isMatch)
    if (field) return { field, distance: i + 1 }
  }
  return undefined
}

/** The fields whose label is the name of a column, unless that is the name of a field. */
export function fieldsLabelled<F extends Named>(fields: readonly F[], column: string): readonly F[] {
  const name = bare(column)
  return fields.some((field) => bare(field.name) === name) ? [] : fields.filter(({ label }) => bare(label) === name)
}
