import type { Definition } from '../engine/driver.ts'
import { DriverError } from '../engine/errors.ts'
import { apiName } from './custom-names.ts'

/** The field type for each definition. Texts are long text areas, as user-defined texts may be long; those cannot be filtered by. */
const TYPES: { readonly [T in Exclude<Definition['Type'], 'Reference'>]: { readonly [member: string]: unknown } } = {
  String: { type: 'LongTextArea', length: 32_768, visibleLines: 3 },
  Number: { type: 'Number', precision: 18, scale: 6 },
  Boolean: { type: 'Checkbox', defaultValue: 'false' },
  Date: { type: 'Date' },
  DateTime: { type: 'DateTime' },
  Choice: { type: 'Picklist' },
  Choices: { type: 'MultiselectPicklist', visibleLines: 4 },
}

const SHORT_TEXT = { type: 'Text', length: 255 }

const LONGEST_LABEL = 40

/** What makes a field. `objects` are the objects of Salesforce by the names of our record types. */
export function fieldMetadata(
  { Type, Label, FieldName, ObjectName, Values, RefersTo = '' }: Definition,
  { shortTexts, objects }: { readonly shortTexts: boolean; readonly objects: ReadonlyMap<string, string> },
): { readonly [member: string]: unknown } {
  if (Label.length > LONGEST_LABEL || Label.trim() !== Label) {
    throw new DriverError(
      'unsupported',
      `Salesforce allows labels of up to ${LONGEST_LABEL} characters without leading or trailing whitespace; the label of ${FieldName} breaks this rule.`,
    )
  }
  if (Type === 'Reference') {
    const referenceTo = objects.get(RefersTo)
    if (referenceTo === undefined) throw new DriverError('unsupported', `A reference to a ${RefersTo}, such as ${FieldName}, is made in Salesforce itself.`)
    // Unique among all that refers to the object, as Salesforce wants it to be.
    const relationshipName = apiName(`${ObjectName}_${FieldName}`.slice(0, LONGEST_LABEL - 4)).replace(/__c$/, '')
    return { label: Label, type: 'Lookup', referenceTo, relationshipName, relationshipLabel: Label }
  }
  return { label: Label, ...(Type === 'String' && shortTexts ? SHORT_TEXT : TYPES[Type]), ...(Values && { valueSet: valueSetOf(Values) }) }
}

const valueSetOf = (values: readonly string[]) => ({
  restricted: true,
  valueSetDefinition: { sorted: false, value: values.map((value) => ({ valueName: value, label: value, default: false })) },
})

const ENTITIES: { readonly [char: string]: string } = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' }

export const xml = (text: string) => text.replace(/[&<>"']/g, (char) => ENTITIES[char] as string)

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

export const textIn = (body: string, tag: string) => new RegExp(`<(?:\\w+:)?${tag}>([^<]*)</`).exec(body)?.[1]

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
