const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const CHECKS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ012345'

/** The part of an id that names the instance. */
const INSTANCE = '5e0'

/** Ids of later records sort after those of earlier ones. */
export function makeId(prefix: string, number: number): string {
  let text = ''
  for (let rest = number; text.length < 9; rest = Math.floor(rest / 62)) text = DIGITS.charAt(rest % 62) + text
  return checked(`${prefix}${INSTANCE}${text}`)
}

/** Appends the three characters that encode which letters of an id are capitals. */
function checked(short: string): string {
  let suffix = ''
  for (let part = 0; part < 15; part += 5) {
    let bits = 0
    for (let at = 0; at < 5; at++) if (/[A-Z]/.test(short.charAt(part + at))) bits |= 1 << at
    suffix += CHECKS.charAt(bits)
  }
  return short + suffix
}

/** An id of 15 or 18 characters in its long form, with its capitals restored from the suffix; undefined if invalid. */
export function readId(text: string): string | undefined {
  if (/^[0-9A-Za-z]{15}$/.test(text)) return checked(text)
  if (!/^[0-9A-Za-z]{18}$/.test(text)) return undefined
  let short = ''
  for (let at = 0; at < 15; at++) {
    const bits = CHECKS.indexOf(text.charAt(15 + Math.floor(at / 5)).toUpperCase())
    const char = text.charAt(at).toLowerCase()
    short += bits >= 0 && bits & (1 << (at % 5)) ? char.toUpperCase() : char
  }
  const whole = checked(short)
  return whole.slice(15) === text.slice(15).toUpperCase() ? whole : undefined
}
