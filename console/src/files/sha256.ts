import { sha256 as digest } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'

/** Not the browser's own, which is asynchronous and only there on secure pages. */
export const sha256 = (text: string) => bytesToHex(digest(utf8ToBytes(text)))
