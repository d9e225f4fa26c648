import type { Definition } from '../engine/driver.ts'
import { DriverError } from '../engine/errors.ts'

/** The field type for each definition. Texts are long text areas, as user-defined texts may be long; those cannot be filtered by. */
const TYPES: { readonly [T in Definition['Type']]: { readonly [member: string]: unknown } } = {
  String: { type: 'LongTextArea', length: 32_768, visibleLines: 3 },
  Number: { type: 'Number', precision: 18, scale: 6 },
  Boolean: { type: 'Checkbox', defaultValue: 'false' },
  Date: { type: 'Date' },
  DateTime: { type: 'DateTime' },
}

const SHORT_TEXT = { type: 'Text', length: 255 }

const LONGEST_LABEL = 40

/** What makes a field. */
export function fieldMetadata({ Type, Label, FieldName }: Definition, shortTexts: boolean): { readonly [member: string]: unknown } {
  if (Label.length > LONGEST_LABEL || Label.trim() !== Label) {
    throw new DriverError(
      'unsupported',
      `Salesforce allows labels of up to ${LONGEST_LABEL} characters without leading or trailing whitespace; the label of ${FieldName} breaks this rule.`,
    )
  }
  return { label: Label, ...(Type === 'String' && shortTexts ? SHORT_TEXT : TYPES[Type]) }
}

const ENTITIES: { readonly [char: string]: string } = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' }

const xml = (text: string) => text.replace(/[&<>"']/g, (char) => ENTITIES[char] as string)

/** How records are numbered. Salesforce takes formats of 30 characters at most, so that the name of the object is no part of it. */
const NUMBER_FORMAT = 'R-{00000000}'

/** The request that makes an object whose records need no name of their own. */
export function createObjectXml(token: string, object: string, label: string): string {
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns="http://soap.sforce.com/2006/04/metadata">',
    `<soapenv:Header><SessionHeader><sessionId>${xml(token)}</sessionId></SessionHeader></soapenv:Header>`,
    '<soapenv:Body><createMetadata><metadata xsi:type="CustomObject">',
    `<fullName>${xml(object)}</fullName><deploymentStatus>Deployed</deploymentStatus><label>${xml(label)}</label>`,
    `<nameField><displayFormat>${NUMBER_FORMAT}</displayFormat><label>Number</label><type>AutoNumber</type></nameField>`,
    `<pluralLabel>${xml(label)}</pluralLabel><sharingModel>ReadWrite</sharingModel>`,
    '</metadata></createMetadata></soapenv:Body></soapenv:Envelope>',
  ].join('')
}

const textIn = (body: string, tag: string) => new RegExp(`<(?:\\w+:)?${tag}>([^<]*)</`).exec(body)?.[1]

interface SoapError {
  readonly code: string
  readonly message: string
}

/** The SOAP fault, if the request was refused as a whole. */
export function soapFault(body: string): SoapError | undefined {
  const fault = textIn(body, 'faultcode')
  return fault === undefined ? undefined : { code: fault.replace(/^\w+:/, ''), message: textIn(body, 'faultstring') ?? fault }
}

/** The outcome of creating an object: undefined if it was created, otherwise Salesforce's error code and message. */
export function soapError(body: string): SoapError | undefined {
  const fault = soapFault(body)
  const success = textIn(body, 'success')
  if (fault || success === 'true') return fault
  // A refusal says `success: false`. Any other answer is incomplete, and is retried: requesting an object twice does no harm.
  if (success !== 'false') throw new DriverError('platform_unavailable', 'Salesforce did not say whether the object was made.', { retryable: true })
  return { code: textIn(body, 'statusCode') ?? 'UNKNOWN_EXCEPTION', message: textIn(body, 'message') ?? 'The object was not made.' }
}
