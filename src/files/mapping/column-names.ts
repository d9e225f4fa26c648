/** A name without what people write differently. */
export const bare = (name: string) =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')

interface Named {
  readonly name: string
  readonly label: string
}

/** What other systems call the same. */
const ALSO: { readonly [field: string]: readonly string[] } = {
  FirstName: ['given name', 'forename'],
  LastName: ['surname', 'family name'],
  Email: ['mail', 'email address'],
  Phone: ['telephone', 'phone number'],
  OpportunityName: ['deal name'],
  Stage: ['deal stage'],
  CloseDate: ['closing date', 'expected close date'],
}

/**
 * The field that a column means by its name, and how far that is from the field's: the same (1), the same but for the name of the record (2), called so
 * elsewhere (3).
 */
export function fieldFor<F extends Named>(record: string, fields: readonly F[], column: string): { readonly field: F; readonly distance: number } | undefined {
  const [name, type] = [bare(column), bare(record)]
  const distances: ((field: F) => boolean)[] = [
    (field) => name === bare(field.name) || name === bare(field.label),
    (field) => type + name === bare(field.name) || name === type + bare(field.name),
    (field) => ALSO[field.name]?.some((other) => bare(other) === name) ?? false,
  ]
  for (const [i, isNear] of distances.entries()) {
    const field = fields.find(isNear)
    if (field) return { field, distance: i + 1 }
  }
  return undefined
}
