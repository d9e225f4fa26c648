import { Command } from 'commander'
import { expect, test } from 'vitest'
import { type App, settingsOf, withSettings } from '../../src/transports/cli/app.ts'

const app = {
  settings: [
    { name: 'webhookPrivate', flag: '--webhook-private', help: '', values: ['true', 'false'] },
    { name: 'port', flag: '--port', help: '', values: [] },
  ],
} as unknown as App

const given = (...words: readonly string[]) => settingsOf(withSettings(new Command(), app, () => true).parse(words, { from: 'user' }), app)

test.each([
  [['--webhook-private'], { webhookPrivate: 'true' }],
  [['--webhook-private', '--port', '1'], { webhookPrivate: 'true', port: '1' }],
  [['--webhook-private', 'false'], { webhookPrivate: 'false' }],
  [['--webhook-private=true'], { webhookPrivate: 'true' }],
  [[], {}],
])('a flag that is true or false may stand alone: %j', (words, settings) => {
  expect(given(...words)).toEqual(settings)
})
