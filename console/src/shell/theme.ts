import { useSyncExternalStore } from 'react'

/** `system` follows the device. */
export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

const NAME = 'crm-connector-theme'
const device = window.matchMedia('(prefers-color-scheme: dark)')
/** Paper is white. */
const paper = window.matchMedia('print')
const listeners = new Set<() => void>()

export function theme(): Theme {
  const stored = localStorage.getItem(NAME) as Theme | null
  return stored && THEMES.includes(stored) ? stored : 'system'
}

function apply(): void {
  const dark = theme() === 'dark' || (theme() === 'system' && device.matches)
  document.documentElement.dataset.theme = dark && !paper.matches ? 'dark' : 'light'
  for (const listener of listeners) listener()
}

/** Applies the theme, and follows changes of the device. */
export function showTheme(): void {
  apply()
  device.addEventListener('change', apply)
  paper.addEventListener('change', apply)
}

export function chooseTheme(chosen: Theme): void {
  localStorage.setItem(NAME, chosen)
  apply()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useTheme = (): Theme => useSyncExternalStore(subscribe, theme)

/** For charts, which draw their own colours. */
export const useDark = (): boolean => useSyncExternalStore(subscribe, () => document.documentElement.dataset.theme === 'dark')
