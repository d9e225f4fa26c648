/**
 * A function of one argument that makes objects with these members, whose values are given as JavaScript. Generated as one object literal: with more than a dozen names
 * added in a loop, an object becomes a hash table, which is slow to make, copy and serialise. `constants` are what the values may name beside the argument.
 */
export function literalMaker<A, T>(argument: string, members: readonly (readonly [name: string, value: string])[], constants: object = {}): (argument: A) => T {
  // In brackets, `__proto__` is a member like any other.
  const key = (name: string) => (name === '__proto__' ? '["__proto__"]' : JSON.stringify(name))
  const literal = `{ ${members.map(([name, value]) => `${key(name)}: ${value}`).join(', ')} }`
  return new Function(...Object.keys(constants), `return (${argument}) => (${literal})`)(...Object.values(constants))
}
