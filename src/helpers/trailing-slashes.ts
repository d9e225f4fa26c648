/** An address or path without the slashes at its end. Without the lookbehind, slashes elsewhere would take quadratic time. */
export const withoutTrailingSlashes = (text: string) => text.replace(/(?<!\/)\/+$/, '')
