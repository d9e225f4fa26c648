import { hash } from 'node:crypto'

export const sha256 = (text: string) => hash('sha256', text, 'hex')
