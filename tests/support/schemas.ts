import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'

/** The formats of the contract, implemented independently of the code under test. */
const FORMATS: { readonly [format: string]: (text: string) => boolean } = {
  text: (text) => !text.includes('\u0000') && text.isWellFormed(),
  email: (text) => /^[^@\s]+@[^@\s]+$/.test(text) && !text.includes('\u0000') && text.isWellFormed(),
  date: (text) => /^\d{4}-\d\d-\d\d$/.test(text) && new Date(`${text}T00:00:00Z`).toISOString().startsWith(text),
  'date-time': (text) =>
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)$/.test(text) && !Number.isNaN(Date.parse(text.replace(/([+-]\d\d)(\d\d)$/, '$1:$2'))),
}

const ajv = new Ajv2020({ allErrors: true, strict: true, strictTypes: false, strictRequired: false, allowUnionTypes: true })
for (const [name, validate] of Object.entries(FORMATS)) ajv.addFormat(name, (text) => quietly(() => validate(text)))
ajv.addFormat('money', { type: 'number', validate: (amount) => Number(amount.toPrecision(15)) === Number(Number(amount.toPrecision(15)).toFixed(4)) })

function quietly(check: () => boolean): boolean {
  try {
    return check()
  } catch {
    return false
  }
}

const compiled = new WeakMap<object, ValidateFunction>()

/** The violations of a schema by a value. */
export function wrongWith(schema: object, value: unknown): string[] {
  let validate = compiled.get(schema)
  if (!validate) {
    validate = ajv.compile(schema)
    compiled.set(schema, validate)
  }
  return validate(value) ? [] : (validate.errors ?? []).map(({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`)
}

type Schema = { readonly [keyword: string]: unknown }

/** The schema with additionalProperties: false in every object. */
export function closed(schema: Schema): Schema {
  const properties = schema.properties as { [name: string]: Schema } | undefined
  return {
    ...schema,
    ...(properties && { properties: Object.fromEntries(Object.entries(properties).map(([name, member]) => [name, closed(member)])) }),
    ...(properties && schema.additionalProperties === undefined && { additionalProperties: false }),
    ...(schema.items !== undefined && { items: closed(schema.items as Schema) }),
    ...(schema.anyOf !== undefined && { anyOf: (schema.anyOf as Schema[]).map(closed) }),
  }
}
