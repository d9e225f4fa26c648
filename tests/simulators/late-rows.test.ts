import { expect, test } from 'vitest'
import { LateRows } from '../../simulators/src/late-rows.ts'

test('a late write shows when its time has come, and at once with a later one that is not late', () => {
  const late = new LateRows<string>()
  const at = (now: number, current: string) => late.shown('1', current, now)
  late.write('1', undefined, 10)
  late.write('1', 'a', 20)
  expect([at(9, 'b'), at(10, 'b'), at(19, 'b')]).toEqual([undefined, 'a', 'a'])
  late.write('1', 'b', 15)
  expect([at(9, 'c'), at(10, 'c'), at(15, 'c')]).toEqual([undefined, 'a', 'c'])
  expect(late.isEmpty).toBe(true)
  late.write('1', 'c', 30)
  late.write('1', 'd', undefined)
  expect(at(0, 'e')).toBe('e')
})

test('a write that is taken back is as if it had never been', () => {
  const late = new LateRows<string>()
  const hidden = () => late.hidden(() => 'current', 0)
  late.write('1', undefined, 10)
  const takeBack = late.write('1', 'a', 20)
  expect(hidden()).toEqual(['a', 'current'])
  takeBack()
  expect(hidden()).toEqual(['current'])
  const takeBackAll = late.write('1', 'b', undefined)
  expect(hidden()).toEqual([])
  takeBackAll()
  expect(late.shown('1', 'current', 0)).toBeUndefined()
})
