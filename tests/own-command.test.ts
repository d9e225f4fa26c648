import { expect, test } from 'vitest'
import { ownCommand } from '../src/app/own-command.ts'

test('is crm where that is on the path, and a file where npm has started it', () => {
  expect(ownCommand('/usr/local/bin/crm')).toEqual(['crm'])
  for (const script of ['/home/ada/crm/dist/main.js', '/home/ada/.npm/_npx/1/node_modules/.bin/crm']) expect(ownCommand(script)).toEqual(['node', script])
})
