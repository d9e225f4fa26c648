import { generateKeyPairSync, sign } from 'node:crypto'

/** A part of a certificate in DER: its kind, its length, what it holds. */
function der(kind: number, ...parts: (Buffer | string)[]): Buffer {
  const content = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)))
  const { length } = content
  return Buffer.concat([Buffer.from(length < 128 ? [kind, length] : [kind, 0x82, length >> 8, length & 255]), content])
}

const [SEQUENCE, SET, INTEGER, BITS, OID, TEXT, TIME] = [0x30, 0x31, 0x02, 0x03, 0x06, 0x0c, 0x18]

/** A key and a certificate that nobody vouches for. */
export function selfSigned(name: string): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const ecdsaWithSha256 = der(SEQUENCE, der(OID, Buffer.from('2a8648ce3d040302', 'hex')))
  const commonName = der(SEQUENCE, der(SET, der(SEQUENCE, der(OID, Buffer.from('550403', 'hex')), der(TEXT, name))))
  const always = der(SEQUENCE, der(TIME, '20200101000000Z'), der(TIME, '99991231235959Z'))
  const serial = der(INTEGER, Buffer.from([1]))
  const signed = der(SEQUENCE, serial, ecdsaWithSha256, commonName, always, commonName, publicKey.export({ type: 'spki', format: 'der' }))
  const signature = der(BITS, Buffer.from([0]), sign('sha256', signed, privateKey))
  const certificate = der(SEQUENCE, signed, ecdsaWithSha256, signature).toString('base64')
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
  }
}
