import { CrmError } from '../../contract/errors.ts'
import { extentRefusal } from '../../contract/input-extent.ts'
import { LIMITS } from '../../contract/limits.ts'
import { alternatives, type Schema, typesOf } from './schema.ts'

/** A text whose type only the workspace knows: the value of a field that it has defined itself. */
export class Loose {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  /** What it looks like: a number, a truth value, null, a text in quotes, or else the text as it is. */
  get look(): unknown {
    const value = json(this.text)
    return value === undefined || typeof value === 'object' ? (value === null ? null : this.text) : value
  }
}

const DECIMAL = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i

/** A text as the type that its schema says. What does not fit is left as it is, for the contract to refuse. */
export function readText(text: string, schemas: readonly Schema[], where: string): unknown {
  const types = typesOf(schemas)
  const isText = types.has('string')
  if (text === 'null' && types.has('null')) return null
  if (types.has('object') && (!isText || /^\s*\{/.test(text))) return isText ? (json(text) ?? text) : parseJson(text, where)
  if (types.has('array') && !isText) return readList(text, schemas, where)
  const isNumber = types.has('number') || types.has('integer')
  const isTruth = types.has('boolean')
  if (Number(isText) + Number(isNumber) + Number(isTruth) > 1) return new Loose(text)
  if (isTruth) return text === 'true' ? true : text === 'false' ? false : text
  if (isNumber) return DECIMAL.test(text.trim()) && Number.isFinite(Number(text)) ? Number(text) : text
  return text
}

/** A list as JSON, or its items with commas between. */
function readList(text: string, schemas: readonly Schema[], where: string): unknown {
  if (text.trimStart().startsWith('[')) return parseJson(text, where)
  const items = schemas.flatMap(({ items }) => (items ? alternatives(items) : []))
  return text.split(',').map((item) => readText(item.trim(), items, where))
}

export function parseJson(text: string, where: string): unknown {
  const refusal = extentRefusal(text, where, LIMITS.batchValues)
  if (refusal) throw refusal
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new CrmError('invalid_input', `${where} is not JSON: ${(error as Error).message}`)
  }
}

function json(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
