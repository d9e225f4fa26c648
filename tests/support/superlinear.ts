import { type CharSet, JS, type Node, type NoParent } from 'refa'

/**
 * How a regular expression backtracks in more than linear time, by the ambiguity of its automaton (Weideman et al., Analyzing matching time behavior
 * of backtracking regular expression matchers): `exponential` where a loop can read a text in two ways, `polynomial` where two loops
 * that follow each other can read the same text. The search for the beginning of a match is a loop too.
 *
 * Every loop that can be left without a match counts, though another input might have to follow. What a lookaround demands is ignored.
 */
export function superlinear(pattern: string, flags: string): 'exponential' | 'polynomial' | undefined {
  const { expression } = JS.Parser.fromLiteral({ source: pattern, flags }).parse({ assertions: 'parse', backreferences: 'throw' })
  const automaton = new Automaton()
  const whole = automaton.add(expression as Node)
  // Unless it is sticky, the search begins anew at each character.
  const search = automaton.position(ANY)
  if (!flags.includes('y')) automaton.link([search], [search])
  automaton.link([search], whole.first)
  return automaton.judge(search, whole)
}

const ANY = JS.createCharSet([{ kind: 'any' }], { dotAll: true })

interface Part {
  readonly first: readonly number[]
  readonly last: readonly number[]
  readonly nullable: boolean
}

const EMPTY: Part = { first: [], last: [], nullable: true }

/** Glushkov's automaton: a state for each position of a character in the expression. */
class Automaton {
  /** What each position reads; undefined where it reads nothing, which no loop can pass. */
  private readonly reads: (CharSet | undefined)[] = []
  private readonly next: Set<number>[] = []
  /** Positions that follow each other in two ways, as with nested quantifiers. */
  private readonly doubled: [number, number][] = []

  position(set: CharSet | undefined): number {
    this.next.push(new Set())
    return this.reads.push(set) - 1
  }

  link(from: readonly number[], to: readonly number[]): void {
    for (const a of from)
      for (const b of to) {
        if (this.next[a]?.has(b)) this.doubled.push([a, b])
        this.next[a]?.add(b)
      }
  }

  add(node: Node | NoParent<Node>): Part {
    switch (node.type) {
      case 'CharacterClass': {
        const at = [this.position(node.characters)]
        return { first: at, last: at, nullable: false }
      }
      case 'Expression':
      case 'Alternation':
        return this.alternatives(node.alternatives)
      case 'Concatenation':
        return (node.elements as Node[]).reduce((before, one) => this.concatenate(before, this.add(one)), EMPTY)
      case 'Quantifier':
        return this.repeat(() => this.alternatives(node.alternatives), node.min, node.max)
      default: {
        const at = [this.position(undefined)]
        return { first: at, last: at, nullable: false }
      }
    }
  }

  private alternatives(alternatives: readonly (Node | NoParent<Node>)[]): Part {
    const parts = alternatives.map((one) => this.add(one))
    return { first: parts.flatMap(({ first }) => first), last: parts.flatMap(({ last }) => last), nullable: parts.some(({ nullable }) => nullable) }
  }

  private concatenate(a: Part, b: Part): Part {
    this.link(a.last, b.first)
    return {
      first: a.nullable ? [...a.first, ...b.first] : a.first,
      last: b.nullable ? [...a.last, ...b.last] : b.last,
      nullable: a.nullable && b.nullable,
    }
  }

  /** A bounded repetition is no loop, so that two copies stand for any number of them. */
  private repeat(make: () => Part, min: number, max: number): Part {
    let part = EMPTY
    for (let i = 0; i < Math.min(max === Number.POSITIVE_INFINITY ? Math.max(1, min) : max, 2); i++) {
      const copy = make()
      part = this.concatenate(part, i < min ? copy : { ...copy, nullable: true })
      if (max === Number.POSITIVE_INFINITY && i === Math.min(Math.max(1, min), 2) - 1) this.link(copy.last, copy.first)
    }
    return part
  }

  judge(search: number, { last, nullable }: Part): 'exponential' | 'polynomial' | undefined {
    if (nullable) return undefined
    // Behind these there is a match, whatever follows.
    for (const state of last) this.reads[state] = undefined
    const looping = this.reads.flatMap((_, state) => (this.reachable(state).has(state) ? [state] : []))
    if (this.doubled.some(([a, b]) => this.reachable(a).has(b) && this.reachable(b).has(a))) return 'exponential'
    for (const q of looping) if (q !== search && this.readsTwice(q)) return 'exponential'
    for (const p of looping) for (const q of looping) if (p !== q && this.passes(p, q)) return 'polynomial'
    return undefined
  }

  private readonly reach = new Map<number, Set<number>>()

  private reachable(from: number): Set<number> {
    let found = this.reach.get(from)
    if (!found) {
      found = new Set()
      const open = [from]
      for (let state = open.pop(); state !== undefined; state = open.pop()) {
        for (const next of this.next[state] ?? []) {
          if (!this.reads[next] || found.has(next)) continue
          found.add(next)
          open.push(next)
        }
      }
      this.reach.set(from, found)
    }
    return found
  }

  /** Whether a text leads from q back to q on two different paths. */
  private readsTwice(q: number): boolean {
    return this.product(
      [q, q],
      ([a, b]) => a === q && b === q,
      ([a, b]) => a !== b,
    )
  }

  /** Whether one text leads from p to p, from p to q, and from q to q. */
  private passes(p: number, q: number): boolean {
    return (
      this.reachable(p).has(q) &&
      this.product(
        [p, p, q],
        ([a, b, c]) => a === p && b === q && c === q,
        () => true,
      )
    )
  }

  /** Whether the states can advance on the same text from `start` to an end, through a tuple that fulfils `via`. */
  private product(start: readonly number[], isEnd: (states: readonly number[]) => boolean, via: (states: readonly number[]) => boolean): boolean {
    const seen = new Set<string>()
    const open: [readonly number[], boolean][] = [[start, false]]
    for (let one = open.pop(); one; one = open.pop()) {
      const [states, passed] = one
      for (const next of this.steps(states)) {
        const isVia = passed || via(next)
        if (isVia && isEnd(next)) return true
        const name = `${next.join()},${isVia}`
        if (seen.has(name)) continue
        seen.add(name)
        open.push([next, isVia])
      }
    }
    return false
  }

  private *steps(states: readonly number[], at = 0, common?: CharSet): Generator<number[]> {
    if (at === states.length) {
      yield []
      return
    }
    for (const next of this.next[states[at] as number] ?? []) {
      const set = this.reads[next]
      const shared = set && (common ? common.intersect(set) : set)
      if (!shared || shared.isEmpty) continue
      for (const rest of this.steps(states, at + 1, shared)) yield [next, ...rest]
    }
  }
}
