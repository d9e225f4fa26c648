import { DriverError } from '../engine/errors.ts'

/**
 * Names of objects and fields, there and back. EspoCRM takes letters and digits alone, and says itself whether the first is large: an object
 * `Boat` is `CBoat`, its field `HullLength` is `hullLength`. What does not fit begins with Zz there: `hull_length` is `zzhullZulength`.
 */
interface Form {
  readonly what: string
  /** How the first letter is written there. */
  readonly first: (letter: string) => string
  readonly prefix: string
  readonly mark: string
  /** In the form with underscores that EspoCRM names tables and columns by. */
  readonly longest: number
}

const OBJECT: Form = { what: 'object', first: (letter) => letter, prefix: 'C', mark: 'Zz', longest: 64 }
const FIELD: Form = { what: 'field', first: (letter) => letter.toLowerCase(), prefix: '', mark: 'zz', longest: 50 }

/** What every field of a custom object is called already, or must not be called. */
const TAKEN: ReadonlySet<string> = new Set(
  'name description createdat modifiedat createdby createdbyid createdbyname modifiedby modifiedbyid modifiedbyname assigneduser assigneduserid assignedusername teams teamsids teamsnames id deleted deleteid skipduplicatecheck isfollowed isstarred versionnumber null false true system followers followersids followersnames posts stream subscription starsubscription action layout'.split(
    ' ',
  ),
)

const PLAIN = /^[A-Z][A-Za-z0-9]*$/

export const scopeOf = (objectName: string) => there(OBJECT, objectName)
export const attributeOf = (fieldName: string) => there(FIELD, fieldName)
/** Objects that were made before EspoCRM put a C before them have none. */
export const objectOf = (scope: string) => here(OBJECT, /^C[A-Z]/.test(scope) ? scope.slice(1) : scope)
export const fieldNameOf = (attribute: string) => here(FIELD, attribute)

function there(form: Form, name: string): string {
  const { what, prefix, longest } = form
  const made = prefix + (isPlain(form, name) ? written(form, name) : escaped(form, name))
  const length = made.replace(/(?<!^)[A-Z]/g, '_$&').length
  if (length > longest)
    throw new DriverError('unsupported', `The ${what} name ${name} is too long for EspoCRM, where it would be ${made}.`, {
      hint: `EspoCRM takes ${longest} characters, and counts a capital letter twice.`,
    })
  return made
}

const written = ({ first }: Form, name: string) => first(name.slice(0, 1)) + name.slice(1)

/** Whether a name is used unencoded, and cannot be mistaken for an encoded one. */
function isPlain(form: Form, name: string): boolean {
  if (!PLAIN.test(name) || written(form, name).startsWith(form.mark)) return false
  return form === OBJECT || !TAKEN.has(name.toLowerCase())
}

/** Z stands before what cannot be written: `ZZ` for itself, `Zu` for an underscore. */
const escaped = ({ mark }: Form, name: string) => mark + name.replace(/[Z_]/g, (letter) => (letter === 'Z' ? 'ZZ' : 'Zu'))

function here(form: Form, made: string): string {
  if (made.startsWith(form.mark)) {
    const name = made.slice(form.mark.length).replace(/Z([Zu])/g, (_, letter: string) => (letter === 'Z' ? 'Z' : '_'))
    if (/^[A-Za-z][A-Za-z0-9_]*$/.test(name) && !isPlain(form, name) && escaped(form, name) === made) return name
  }
  return made.slice(0, 1).toUpperCase() + made.slice(1)
}
