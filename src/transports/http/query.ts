import type { Fault } from '../../contract/errors.ts'
import { didYouMean } from '../../contract/names.ts'
import { quote } from '../../contract/operations.ts'

/** The query parameters of an address, with a fault for each unknown name. */
export function readQuery(url: string, known: readonly string[]): { readonly params: URLSearchParams; readonly faults: Fault[] } {
  const params = new URLSearchParams(url.split('?')[1] ?? '')
  const unknown = [...new Set(params.keys())].filter((name) => !known.includes(name))
  const faults = unknown.map(
    (field): Fault => ({
      field,
      code: 'unknown',
      message: `There is no parameter called ${quote(field)}.`,
      expected: known.join(', '),
      ...didYouMean(field, known),
    }),
  )
  return { params, faults }
}
