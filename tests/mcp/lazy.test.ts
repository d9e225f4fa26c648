import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

const dist = join(import.meta.dirname, '../../dist')

/** A file of the built command and all that is loaded with it. */
function loadedWith(file: string, loaded = new Set<string>()): Set<string> {
  if (loaded.has(file)) return loaded
  loaded.add(file)
  for (const [, path = ''] of readFileSync(file, 'utf8').matchAll(/^(?:import|export)\b[^;]*?["'](\.[^"']+\.js)["'];/gm))
    loadedWith(join(dirname(file), path), loaded)
  return loaded
}

const part = (name: string) => join(dist, 'parts', readdirSync(join(dist, 'parts')).find((file) => file.startsWith(`${name}-`)) ?? '')
const speaksMcp = (files: Iterable<string>) => [...files].some((file) => readFileSync(file, 'utf8').includes('io.modelcontextprotocol/protocolVersion'))

test('neither the command nor the service loads what speaks the protocol before somebody does', () => {
  expect(speaksMcp(loadedWith(join(dist, 'main.js')))).toBe(false)
  expect(speaksMcp(loadedWith(part('serve')))).toBe(false)
  expect(speaksMcp(loadedWith(part('mcp')))).toBe(true)
})
