/** How much a JSON text may hold. */
export interface Extent {
  readonly values: number
  readonly depth: number
  /** Items of the long list. */
  readonly items?: number
  /** Bytes of an item of the long list, and of all that is before or after it. */
  readonly item?: number
}

/** The long list of a text, which is the text itself or a member of it, cut at some of the commas between its items. */
export interface CutList {
  /** Where its items begin and end. */
  readonly start: number
  readonly end: number
  /** Where the commas are. */
  readonly cuts: readonly number[]
}

const [QUOTE, BACKSLASH, COMMA, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x22, 0x5c, 0x2c, 0x5b, 0x5d, 0x7b, 0x7d]

/** Within so many bytes a loop finds the end of a text sooner. */
const SHORT_TEXT = 64

/** A list is cut about every so many bytes. */
const PIECE_BYTES = 65_536

/**
 * Measures a JSON text in UTF-8 as its bytes arrive, before anything of it is parsed: the values of a text take many times its own size in
 * memory. Values are counted by commas and brackets, so that there are never more than counted. A text that is not JSON is measured too.
 */
export class JsonExtent {
  private readonly values: number
  private readonly depth: number
  private readonly items: number
  private readonly item: number
  /** The values so far. */
  count = 1
  private level = 0
  private inText = false
  private escaped = false
  /** How many bytes came before those that are measured. */
  private offset = 0
  /** The level of the items of the list that is open, or of what is around it. */
  private itemLevel = 1
  private itemStart = 0
  private startAround = 0
  /** Where the list began that is open; undefined where none is. */
  private list: number | undefined
  /** How many of its items were followed by a comma. */
  private separators = 0
  /** From where on the next comma between its items is a cut. */
  private nextCut = 0
  private cuts: number[] = []
  private ended: CutList | undefined

  constructor({ values, depth, items = Number.POSITIVE_INFINITY, item = Number.POSITIVE_INFINITY }: Extent) {
    this.values = values
    this.depth = depth
    this.items = items
    this.item = item
  }

  /** The long list, once it has ended. */
  get cutList(): CutList | undefined {
    return this.ended
  }

  /** Whether every text, list and object has ended. */
  get isComplete(): boolean {
    return this.level === 0 && !this.inText
  }

  /** Which limit is exceeded with these bytes. */
  add(bytes: Uint8Array): keyof Extent | undefined {
    const { values, depth, offset } = this
    const { length } = bytes
    let { count, level } = this
    let exceeded: keyof Extent | undefined
    for (let at = this.inText ? this.endOfText(bytes, 0) + 1 : 0; at < length && !exceeded; at++) {
      switch (bytes[at]) {
        case QUOTE:
          at = this.endOfText(bytes, at + 1)
          break
        case OPEN_LIST:
        case OPEN_OBJECT:
          level += 1
          count += 1
          if (level <= 2 && bytes[at] === OPEN_LIST) this.opened(level, offset + at)
          if (level > depth) exceeded = 'depth'
          else if (count > values) exceeded = 'values'
          break
        case CLOSE_LIST:
        case CLOSE_OBJECT:
          if (level === this.itemLevel) exceeded = this.closed(offset + at)
          level -= 1
          break
        case COMMA:
          count += 1
          if (count > values) exceeded = 'values'
          else if (level === this.itemLevel) exceeded = this.separated(offset + at)
          break
      }
    }
    this.count = count
    this.level = level
    this.offset += length
    return exceeded ?? (level >= this.itemLevel ? this.endItem(this.offset) : undefined)
  }

  /** Where the text that goes on here has its closing quote; the end of the bytes where they do not have it. Long texts are searched natively. */
  private endOfText(bytes: Uint8Array, start: number): number {
    let at = this.escaped ? start + 1 : start
    const soon = Math.min(at + SHORT_TEXT, bytes.length)
    while (at < soon && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1
    while (at < bytes.length && bytes[at] !== QUOTE) {
      const quote = bytes.indexOf(QUOTE, at)
      const end = quote < 0 ? bytes.length : quote
      let unescaped = end
      while (unescaped > at && bytes[unescaped - 1] === BACKSLASH) unescaped -= 1
      at = (end - unescaped) % 2 === 0 ? end : end + 1
    }
    this.inText = at >= bytes.length
    this.escaped = at > bytes.length
    return at
  }

  /** A list opens. Lists in its items are part of them, and after a long one there is no other. */
  private opened(level: number, at: number): void {
    if (this.list !== undefined || this.ended) return
    this.list = at + 1
    this.separators = 0
    this.itemLevel = level
    this.startAround = this.itemStart
    this.itemStart = at + 1
    this.nextCut = at + PIECE_BYTES
  }

  private closed(at: number): keyof Extent | undefined {
    if (this.list === undefined) return undefined
    const exceeded = this.endItem(at)
    if (this.cuts.length > 0) this.ended = { start: this.list, end: at, cuts: this.cuts }
    this.list = undefined
    this.itemLevel = 1
    this.itemStart = this.ended ? at : this.startAround
    return exceeded
  }

  private separated(at: number): keyof Extent | undefined {
    if (this.list === undefined) return undefined
    this.separators += 1
    if (this.separators >= this.items) return 'items'
    const exceeded = this.endItem(at)
    this.itemStart = at + 1
    if (at >= this.nextCut) {
      this.cuts.push(at)
      this.nextCut = at + PIECE_BYTES
    }
    return exceeded
  }

  private endItem(at: number): keyof Extent | undefined {
    return at - this.itemStart > this.item ? 'item' : undefined
  }
}
