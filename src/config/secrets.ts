import { readFileSync } from 'node:fs'
import type { Fault } from '../contract/errors.ts'

export interface GivenSecret {
  readonly name: string
  readonly value: string
  readonly variable: string
  /** The file that holds it, where the variable only names one. */
  readonly file?: string
}

/** The variable of a secret; with the suffix `_FILE`, the variable with the path of a file that holds it. */
export const secretVariable = (prefix: string, name: string) => `CRM_${prefix}_${name.replace(/(?<=[a-z\d])(?=[A-Z])/g, '_').toUpperCase()}`

export const fileVariable = (variable: string) => `${variable}_FILE`

/** The secrets that are set. Their values never appear in a fault. */
export function readSecrets(
  names: readonly string[],
  prefix: string,
  variables: { readonly [variable: string]: string | undefined },
  faults: Fault[] = [],
): GivenSecret[] {
  return names.flatMap((name) => {
    const variable = secretVariable(prefix, name)
    const [given, file] = [variables[variable], variables[fileVariable(variable)]]
    const fault = (field: string, message: string) => void faults.push({ field, code: 'value', message })
    if (given && file) {
      fault(variable, `${variable} and ${fileVariable(variable)} are both set: give one of them.`)
      return []
    }
    if (given) return [{ name, value: unescapeNewlines(given.trim()), variable }]
    if (!file) return []
    try {
      const value = readFileSync(file, 'utf8').trim()
      if (value !== '') return [{ name, value, variable: fileVariable(variable), file }]
      fault(fileVariable(variable), `${fileVariable(variable)} names a file with nothing in it: ${file}`)
    } catch (error) {
      fault(fileVariable(variable), `${fileVariable(variable)} names a file that cannot be read: ${(error as Error).message}`)
    }
    return []
  })
}

/** PEM keys in variables often have their line ends escaped. */
const unescapeNewlines = (value: string) => (value.startsWith('-----BEGIN') ? value.replaceAll('\\n', '\n') : value)
