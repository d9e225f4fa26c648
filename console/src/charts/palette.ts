import type { Hue } from './figures.ts'

/**
 * Colours that colour-blind readers can distinguish (after Okabe and Ito), with a contrast of at least 3 : 1. Ages are shades of one
 * colour.
 */
const HUES: { readonly [theme in 'light' | 'dark']: { readonly [hue in Hue]: string } } = {
  light: { plain: '#0072b2', won: '#00875f', lost: '#c2570c', partial: '#4f94c8', fresh: '#4f94c8', aging: '#0072b2', old: '#0b3f66' },
  dark: { plain: '#56b4e9', won: '#34c69a', lost: '#ee8d4e', partial: '#3d7aa0', fresh: '#3d7aa0', aging: '#56b4e9', old: '#b5e0fb' },
}

export const colourOf = (hue: Hue | undefined, dark: boolean): string => HUES[dark ? 'dark' : 'light'][hue ?? 'plain']

export interface Inks {
  readonly ink: string
  readonly soft: string
  readonly line: string
  readonly paper: string
  readonly font: string
}

/** The colours and font of the current theme. */
export function inksNow(): Inks {
  const style = getComputedStyle(document.documentElement)
  const token = (name: string) => style.getPropertyValue(`--${name}`).trim()
  return { ink: token('ink'), soft: token('soft'), line: token('line'), paper: token('paper'), font: token('font') }
}
