import { RECORD_TYPES } from './operations.ts'

/** The name of a record for people; undefined where its image has none. That of a custom object is its first text. */
export function recordName(recordType: string, image: { readonly [field: string]: unknown } | null): string | undefined {
  const isText = (value: unknown) => typeof value === 'string' && value !== ''
  const { names: fields = [] } = RECORD_TYPES.find(({ name }) => name === recordType) ?? {}
  const names = fields.map((field) => image?.[field]).filter(isText)
  return names.length > 0 ? names.join(' ') : (Object.values(Object(image?.Values)).find(isText) as string | undefined)
}
