import { DriverError } from '../engine/errors.ts'

/** The longest name that HubSpot takes. */
const LONGEST = 100
/** Names that begin so are HubSpot's own. */
const RESERVED = /^(?:hs_|hubspot_)/

/**
 * A name of ours in small letters, so that there is a way back: `HullLength` is `hull_length`. A capital is a small letter behind `_`,
 * except for the first, `_` itself is `__`, and a name that begins with a small letter ends with a single `_`.
 */
export function encodedName(name: string): string {
  const [first = '', ...rest] = name
  const encoded = rest.map((character) => (character === '_' ? '__' : /[A-Z]/.test(character) ? `_${character.toLowerCase()}` : character))
  const theirs = `${first.toLowerCase()}${encoded.join('')}${/[a-z]/.test(first) ? '_' : ''}`
  if (theirs.length > LONGEST || RESERVED.test(theirs)) {
    throw new DriverError('unsupported', `HubSpot cannot have anything called ${name}: it would be ${theirs} there.`, {
      hint:
        theirs.length > LONGEST ? `Choose a shorter name: there it may have ${LONGEST} characters.` : 'Choose another name: those that begin so are its own.',
    })
  }
  return theirs
}

/** The way back. Names that people made in HubSpot come out as we would write them. */
export function decodedName(theirs: string): string {
  let name = ''
  let isSmall = false
  for (let at = 0; at < theirs.length; at++) {
    const character = theirs[at] as string
    const next = theirs[at + 1]
    if (character !== '_') name += name === '' ? character.toUpperCase() : character
    else if (next === '_') {
      name += '_'
      at++
    } else if (next === undefined) isSmall = true
    else if (/[a-z]/.test(next)) {
      name += next.toUpperCase()
      at++
    } else name += '_'
  }
  return isSmall ? name.charAt(0).toLowerCase() + name.slice(1) : name
}
