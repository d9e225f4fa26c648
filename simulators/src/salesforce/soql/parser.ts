import { Refusal } from '../errors.ts'
import { malformed, type Token, tokens } from './tokens.ts'
import type { Condition, Expression, Item, Literal, Operator, Order, Query, TypeOf } from './tree.ts'

const DEEPEST = 100

/** Keywords that end a list; they are no aliases. */
const CLAUSES = new Set('FROM WHERE USING WITH GROUP HAVING ORDER LIMIT OFFSET FOR UPDATE ALL AND OR ASC DESC NULLS'.split(' '))

export function parse(soql: string): Query {
  const parser = new Parser(soql)
  const query = parser.query()
  parser.expectEnd()
  return query
}

class Parser {
  private readonly soql: string
  private readonly tokens: readonly Token[]
  private next = 0
  private depth = 0

  constructor(soql: string) {
    this.soql = soql
    this.tokens = tokens(soql)
  }

  query(): Query {
    this.enter()
    this.word('SELECT')
    const items = this.list(() => this.item())
    this.word('FROM')
    const from = this.take('word')
    if (this.isWord('AS')) this.next++
    const alias = this.peek().kind === 'word' && !CLAUSES.has(this.upper()) ? this.take('word').text : undefined
    if (this.skipWord('USING')) {
      this.word('SCOPE')
      this.take('word')
    }
    const where = this.skipWord('WHERE') ? this.conditions() : undefined
    if (this.skipWord('WITH')) this.take('word')
    const { groupBy, rollup } = this.groups()
    const having = this.skipWord('HAVING') ? this.conditions() : undefined
    const orderBy = this.skipWord('ORDER') ? this.by(() => this.order()) : []
    const limit = this.skipWord('LIMIT') ? this.whole() : undefined
    const offset = this.skipWord('OFFSET') ? this.whole() : undefined
    while (this.isWord('FOR') || this.isWord('UPDATE')) {
      this.next++
      this.take('word')
    }
    this.depth--
    const [only] = items
    const counts =
      only?.kind === 'expression' && only.expression.kind === 'call' && only.expression.name === 'COUNT' && only.expression.of === undefined && !only.alias
    if (counts && items.length > 1) throw malformed(this.soql, from.at, 'count() must be the only element in the SELECT list')
    return { soql: this.soql, items, counts, from: from.text, fromAt: from.at, alias, where, groupBy, rollup, having, orderBy, limit, offset }
  }

  expectEnd(): void {
    if (this.peek().kind !== 'end') throw this.unexpected()
  }

  private item(): Item {
    if (this.isSign('(')) {
      this.next++
      const query = this.query()
      this.sign(')')
      return { kind: 'children', query }
    }
    const { at } = this.peek()
    if (this.isWord('FIELDS') && this.peek(1).text === '(') {
      this.next += 2
      const which = this.take('word').text.toUpperCase()
      this.sign(')')
      if (which !== 'ALL' && which !== 'STANDARD' && which !== 'CUSTOM') throw malformed(this.soql, at, `unexpected token: '${which}'`)
      return { kind: 'all', which, at }
    }
    if (this.isWord('TYPEOF')) return this.typeOf(at)
    const expression = this.expression()
    const alias = this.peek().kind === 'word' && !CLAUSES.has(this.upper()) ? this.take('word').text : undefined
    return { kind: 'expression', expression, alias }
  }

  private typeOf(at: number): TypeOf {
    this.next++
    const relationship = this.take('word').text
    const fields = () => this.list(() => this.expression())
    const cases: { object: string; fields: Expression[] }[] = []
    while (this.skipWord('WHEN')) {
      const object = this.take('word').text
      this.word('THEN')
      cases.push({ object, fields: fields() })
    }
    if (cases.length === 0) throw this.unexpected()
    const otherwise = this.skipWord('ELSE') ? fields() : []
    this.word('END')
    return { kind: 'typeof', relationship, cases, otherwise, at }
  }

  private groups(): { readonly groupBy: Expression[]; readonly rollup: boolean } {
    if (!this.skipWord('GROUP')) return { groupBy: [], rollup: false }
    this.word('BY')
    const rollup = this.isWord('ROLLUP') && this.peek(1).text === '('
    if (!rollup) return { groupBy: this.list(() => this.expression()), rollup }
    this.next += 2
    const groupBy = this.list(() => this.expression())
    this.sign(')')
    return { groupBy, rollup }
  }

  private expression(): Expression {
    const { text, at } = this.take('word')
    if (!this.isSign('(')) return { kind: 'field', path: text.split('.'), at }
    this.enter()
    this.next++
    const of = this.isSign(')') ? undefined : this.expression()
    this.sign(')')
    this.depth--
    return { kind: 'call', name: text.toUpperCase(), of, at }
  }

  private order(): Order {
    const expression = this.expression()
    const descending = this.skipWord('DESC')
    if (!descending) this.skipWord('ASC')
    if (!this.skipWord('NULLS')) return { expression, descending, nullsLast: false }
    if (this.skipWord('FIRST')) return { expression, descending, nullsLast: false }
    this.word('LAST')
    return { expression, descending, nullsLast: true }
  }

  /** AND and OR cannot be mixed without parentheses. */
  private conditions(): Condition {
    this.enter()
    const first = this.condition()
    const joint = this.isWord('AND') ? 'AND' : this.isWord('OR') ? 'OR' : undefined
    const parts = [first]
    while (joint && this.skipWord(joint)) parts.push(this.condition())
    if (this.isWord('AND') || this.isWord('OR')) throw this.unexpected()
    this.depth--
    return joint ? { kind: joint === 'AND' ? 'and' : 'or', parts } : first
  }

  private condition(): Condition {
    this.enter()
    try {
      if (this.skipWord('NOT')) return { kind: 'not', part: this.condition() }
      if (this.isSign('(')) {
        this.next++
        const inside = this.conditions()
        this.sign(')')
        return inside
      }
      const left = this.expression()
      const { at } = this.peek()
      const operator = this.operator()
      if (operator !== 'in' && operator !== 'not in' && operator !== 'includes' && operator !== 'excludes') {
        return { kind: 'compare', left, operator, values: [this.literal()], at }
      }
      this.sign('(')
      if (this.isWord('SELECT')) {
        const query = this.query()
        this.sign(')')
        return { kind: 'within', left, not: operator === 'not in', query, at }
      }
      const values = this.list(() => this.literal())
      this.sign(')')
      return { kind: 'compare', left, operator, values, at }
    } finally {
      this.depth--
    }
  }

  private operator(): Operator {
    const token = this.peek()
    this.next++
    if (token.kind === 'sign' && /^(?:[=<>]|!=|<>|<=|>=)$/.test(token.text)) return token.text === '<>' ? '!=' : (token.text as Operator)
    const word = token.kind === 'word' ? token.text.toLowerCase() : ''
    if (word === 'like' || word === 'in' || word === 'includes' || word === 'excludes') return word
    if (word === 'not' && this.skipWord('IN')) return 'not in'
    this.next--
    throw this.unexpected()
  }

  private literal(): Literal {
    const token = this.peek()
    this.next++
    switch (token.kind) {
      case 'string':
        return { kind: 'string', text: token.text, pattern: token.pattern ?? token.text }
      case 'number':
        return { kind: 'number', number: Number(token.text) }
      case 'date':
      case 'datetime':
        return { kind: token.kind, text: token.text }
      case 'word': {
        const word = token.text.toUpperCase()
        if (word === 'NULL') return { kind: 'null' }
        if (word === 'TRUE' || word === 'FALSE') return { kind: 'boolean', boolean: word === 'TRUE' }
        if (!/^[A-Z][A-Z0-9_]*$/.test(word)) break
        if (!this.isSign(':')) return { kind: 'range', name: word, count: 0 }
        this.next++
        return { kind: 'range', name: word, count: this.whole() }
      }
    }
    this.next--
    throw this.unexpected()
  }

  private by<T>(one: () => T): T[] {
    this.word('BY')
    return this.list(one)
  }

  private list<T>(one: () => T): T[] {
    const found = [one()]
    while (this.isSign(',')) {
      this.next++
      found.push(one())
    }
    return found
  }

  private whole(): number {
    const { text, at } = this.take('number')
    if (!/^\d{1,15}$/.test(text)) throw malformed(this.soql, at, `unexpected token: '${text}'`)
    return Number(text)
  }

  private enter(): void {
    if (++this.depth > DEEPEST) throw new Refusal(400, 'MALFORMED_QUERY', 'The query is too deeply nested.')
  }

  private peek(ahead = 0): Token {
    return this.tokens[Math.min(this.next + ahead, this.tokens.length - 1)] as Token
  }

  private upper(): string {
    return this.peek().text.toUpperCase()
  }

  private isWord(word: string): boolean {
    return this.peek().kind === 'word' && this.upper() === word
  }

  private isSign(sign: string): boolean {
    return this.peek().kind === 'sign' && this.peek().text === sign
  }

  private skipWord(word: string): boolean {
    const there = this.isWord(word)
    if (there) this.next++
    return there
  }

  private take(kind: Token['kind']): Token {
    const token = this.peek()
    if (token.kind !== kind) throw this.unexpected()
    this.next++
    return token
  }

  private word(word: string): void {
    if (!this.skipWord(word)) throw this.unexpected()
  }

  private sign(sign: string): void {
    if (!this.isSign(sign)) throw this.unexpected()
    this.next++
  }

  private unexpected(): Refusal {
    const { text, at, kind } = this.peek()
    return malformed(this.soql, at, kind === 'end' ? 'unexpected token: <EOF>' : `unexpected token: '${text}'`)
  }
}
