import { expect, test } from 'vitest'
import { readScope } from '../../../src/core/access/read-scope.ts'

test.each([
  ['leads:read', 'read:Lead'],
  ['Opportunity:delete', 'delete:Opportunity'],
  ['raed:lead', 'read:Lead'],
  ['reed', 'read'],
  ['read:craete_a_lead', 'write:create_a_lead'],
  ['read:Leeds', 'read:Lead'],
])('%s is no scope, and %s is named, which is one', (wrong, right) => {
  expect(readScope(wrong, 'Scopes.0')).toMatchObject({ didYouMean: right })
  expect(readScope(right, 'Scopes.0')).toBe(right)
})

test.each(['foo:bar', ':', 'read:', 'nothing', 'delete:Workspaces of all'])('%s is no scope, and what is near it is named only where it is one', (wrong) => {
  const fault = readScope(wrong, 'Scopes.0')
  expect(fault).toMatchObject({ field: 'Scopes.0', code: 'value', expected: expect.any(String) })
  const { didYouMean } = fault as { readonly didYouMean?: string }
  if (didYouMean !== undefined) expect(readScope(didYouMean, 'Scopes.0')).toBe(didYouMean)
})
