import type { Opening } from '../web/opening.ts'
export async function* examine(_opening: Opening): AsyncGenerator<{ name: string; good: boolean; text: string; todo?: string }> {}
