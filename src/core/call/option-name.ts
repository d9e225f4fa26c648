import { WRITE_OPTIONS } from '../../contract/call-words.ts'
import type { Call } from '../service.ts'

/** What a caller knows an option of a write as: the SDK in process has options, where others send headers, or say it in their own words. */
export const optionName = (option: keyof typeof WRITE_OPTIONS, { transport }: Pick<Call, 'transport'>): string =>
  WRITE_OPTIONS[option][transport === 'sdk' ? 'option' : 'header']
