/** The most characters that are cached. */
const MAX_SIZE = 8_388_608

/** Texts by a key. Once they are too many, all are dropped: whatever is read often is soon back. */
export class TextCache {
  private readonly texts = new Map<string, string>()
  private size = 0

  get(key: string): string | undefined {
    return this.texts.get(key)
  }

  set(key: string, text: string): void {
    if (this.size > MAX_SIZE) this.clear()
    this.texts.set(key, text)
    this.size += text.length
  }

  clear(): void {
    this.texts.clear()
    this.size = 0
  }
}
