import type { WireAnswer, WireRequest } from '../../simulated.ts'
import { Refusal } from '../errors.ts'
import { customObjectId } from '../objects/definition-rows.ts'
import { defineField, defineObject, listed, type Metadata, metadataType, undefine } from '../objects/definitions.ts'
import type { Org } from '../org.ts'
import { RULE_NAME } from '../records/duplicate-rule.ts'
import { readId } from '../records/ids.ts'
import { create } from '../records/records.ts'
import { removeFromBin, undelete } from '../records/recycle-bin.ts'
import { isPassword, userNamed } from '../sign-in/oauth.ts'
import { type Sessions, tokenOf } from '../sign-in/sessions.ts'
import { convertLeads } from './convert-lead.ts'
import { mergeAll } from './merge.ts'
import { eachResult } from './results.ts'
import { asObject, type Element, escaped, readXml, within } from './xml.ts'

export const isSoap = ({ path }: WireRequest) => path.startsWith('/services/Soap/')

const METADATA = 'http://soap.sforce.com/2006/04/metadata'
const PARTNER = 'urn:partner.soap.sforce.com'

/** Whether a request signs in by SOAP. */
export const isSoapLogin = ({ path, body }: WireRequest) => path.startsWith('/services/Soap/u') && /<(?:\w+:)?login[\s>]/.test(body)

const envelope = (status: number, body: string, namespace: string): WireAnswer => ({
  status,
  headers: { 'content-type': 'text/xml;charset=UTF-8' },
  body: `<?xml version="1.0" encoding="UTF-8"?><soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" xmlns="${namespace}" xmlns:sf="urn:fault.partner.soap.sforce.com" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><soapenv:Body>${body}</soapenv:Body></soapenv:Envelope>`,
})

export function fault(code: string, message: string): WireAnswer {
  const text = `<soapenv:Fault><faultcode>sf:${code}</faultcode><faultstring>${escaped(`${code}: ${message}`)}</faultstring></soapenv:Fault>`
  return envelope(500, text, METADATA)
}

function elements(name: string, value: unknown): string {
  if (value === undefined || value === null) return `<${name} xsi:nil="true"/>`
  if (Array.isArray(value)) return value.map((one) => elements(name, one)).join('')
  if (typeof value !== 'object') return `<${name}>${escaped(String(value))}</${name}>`
  return `<${name}>${Object.entries(value)
    .map(([key, one]) => elements(key, one))
    .join('')}</${name}>`
}

export function answerSoap(org: Org, sessions: Sessions, request: WireRequest): WireAnswer {
  const call = within(readXml(request.body.trim()), 'Body')?.children[0]
  if (!call) return fault('UNKNOWN_EXCEPTION', 'The request is not a SOAP message.')
  try {
    if (request.path.startsWith('/services/Soap/u')) return partner(org, sessions, request, call)
    const userId = sessions.userOf(org, tokenOf(request))
    if (!request.path.startsWith('/services/Soap/m')) return fault('UNKNOWN_EXCEPTION', 'There is no such service.')
    return metadata(org, userId, call)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const { errorCode, message } = error.wrong
    return fault(errorCode, errorCode === 'INVALID_SESSION_ID' ? 'Invalid Session ID found in SessionHeader: Illegal Session' : message)
  }
}

function partner(org: Org, sessions: Sessions, request: WireRequest, call: Element): WireAnswer {
  const input = asObject(call) as Metadata
  if (call.name === 'login') {
    const userId = isPassword(String(input.password ?? '')) ? userNamed(org, String(input.username ?? '')) : undefined
    if (typeof userId !== 'string') return fault('INVALID_LOGIN', 'Invalid username, password, security token; or user locked out.')
    const user = org.row(userId)
    const service = `${request.origin}${request.path.replace(/\/$/, '')}/${org.id.slice(0, 15)}`
    const result = {
      metadataServerUrl: service.replace('/Soap/u', '/Soap/m'),
      passwordExpired: false,
      sandbox: false,
      serverUrl: service,
      sessionId: sessions.signIn(org, userId),
      userId,
      userInfo: { organizationId: org.id, organizationName: 'Simulator', userEmail: user?.Email, userFullName: user?.Name, userId, userName: user?.Username },
    }
    return envelope(200, elements('loginResponse', { result }), PARTNER)
  }
  const userId = sessions.userOf(org, tokenOf(request))
  if (call.name === 'logout') {
    sessions.end(tokenOf(request))
    return envelope(200, '<logoutResponse/>', PARTNER)
  }
  if (call.name === 'getUserInfo') return envelope(200, elements('getUserInfoResponse', { result: { organizationId: org.id, userId } }), PARTNER)
  const answer = (result: unknown) => envelope(200, elements(`${call.name}Response`, { result }), PARTNER)
  switch (call.name) {
    case 'convertLead':
      return answer(convertLeads(org, userId, input.leadConverts))
    case 'merge':
      // `request` by the WSDL; jsforce sends `mergeRequests`.
      return answer(mergeAll(org, userId, [...listed(input.request), ...listed(input.mergeRequests)]))
    case 'undelete':
      return answer(idResults(org, input.ids, (id) => undelete(org, userId, id)))
    case 'emptyRecycleBin':
      return answer(idResults(org, input.ids, (id) => removeFromBin(org, id)))
    case 'getServerTimestamp':
      return answer({ timestamp: org.world.now().toISOString() })
  }
  return fault('INVALID_OPERATION', `The call ${call.name} is not simulated.`)
}

const MOST_IDS = 200

function idResults(org: Org, given: unknown, work: (id: string) => void): object[] {
  const ids = listed(given).map(String)
  if (ids.length > MOST_IDS) throw new Refusal(400, 'EXCEEDED_ID_LIMIT', `record limit reached. cannot submit more than ${MOST_IDS} records into this call`)
  return eachResult(
    org,
    ids.map((id) => readId(id) ?? id),
    (id) => {
      work(id)
      return { id }
    },
    (id) => ({ id }),
  )
}

interface Saved {
  readonly fullName: string
  readonly created?: boolean
}

function metadata(org: Org, userId: string, call: Element): WireAnswer {
  const written = call.children.filter(({ name }) => name === 'metadata').map((element) => ({ type: element.attributes.type ?? '', input: asObject(element) }))
  const answer = (result: unknown) => envelope(200, elements(`${call.name}Response`, { result }), METADATA)
  switch (call.name) {
    case 'createMetadata':
      return answer(written.map(({ type, input }) => saved(input, () => define(org, userId, type, input as Metadata))))
    case 'upsertMetadata':
      return answer(
        written.map(({ type, input }) =>
          saved(
            input,
            () =>
              isKnown(org, type, input as Metadata) ? change(org, type, input as Metadata) : { ...define(org, userId, type, input as Metadata), created: true },
            true,
          ),
        ),
      )
    case 'updateMetadata':
      return answer(written.map(({ type, input }) => saved(input, () => change(org, type, input as Metadata))))
    case 'deleteMetadata': {
      const { type, fullNames } = asObject(call) as Metadata
      return answer(
        listed(fullNames).map((fullName) =>
          saved({ fullName }, () => {
            undefine(org, String(type), String(fullName))
            return { fullName: String(fullName) }
          }),
        ),
      )
    }
    case 'readMetadata': {
      const { fullNames } = asObject(call) as Metadata
      return answer({ records: listed(fullNames).map((fullName) => describe(org, String(fullName))) })
    }
    case 'listMetadata': {
      const custom = org.schema.all().filter((object) => object.custom)
      return answer(
        custom.map((object) => ({
          createdById: userId,
          fileName: `objects/${object.name}.object`,
          fullName: object.name,
          id: customObjectId(object),
          type: 'CustomObject',
        })),
      )
    }
    default:
      return fault('INVALID_OPERATION', `The call ${call.name} is not simulated.`)
  }
}

/** The result of one item; errors are reported in it. */
function saved(input: unknown, save: () => Saved, upserted = false): object {
  try {
    const { fullName, created = false } = save()
    return { ...(upserted && { created }), fullName, success: true }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const { errorCode, message } = error.wrong
    return {
      ...(upserted && { created: false }),
      errors: { message, statusCode: errorCode },
      fullName: (input as Metadata | null)?.fullName ?? '',
      success: false,
    }
  }
}

function define(org: Org, userId: string, type: string, input: Metadata): Saved {
  const fullName = String(input.fullName ?? '')
  if (type === 'CustomObject') return { fullName: defineObject(org, input).name }
  if (type === 'CustomField') {
    defineField(org, fullName, input)
    return { fullName }
  }
  if (type === 'PermissionSet') {
    create(org, { userId, version: '' }, org.objectAt('PermissionSet'), { Name: fullName, Label: input.label })
    return { fullName }
  }
  throw new Refusal(400, 'INVALID_TYPE', `Metadata of type ${type} is not simulated.`)
}

/** Permissions are accepted and have no effect: every user sees everything. */
const GRANTS = new Set(['Profile', 'PermissionSet'])

function isKnown(org: Org, type: string, { fullName }: Metadata): boolean {
  const [on = '', field = ''] = String(fullName ?? '').split('.')
  const object = org.schema.object(on)
  if (type === 'DuplicateRule') return on === 'Lead' && field === RULE_NAME
  return GRANTS.has(type) || (type === 'CustomField' ? Boolean(object?.fields.has(field.toLowerCase())) : Boolean(object))
}

/** Only labels can be changed, and what the standard duplicate rule does. */
function change(org: Org, type: string, input: Metadata): Saved {
  const fullName = String(input.fullName ?? '')
  if (!isKnown(org, type, input)) throw new Refusal(400, 'INVALID_CROSS_REFERENCE_KEY', `no ${type} named ${fullName} found`)
  if (type === 'DuplicateRule') {
    org.duplicateRule = { isActive: input.isActive !== 'false', blocks: input.actionOnInsert === 'Block' }
    return { fullName }
  }
  const [on = '', name = ''] = fullName.split('.')
  const object = org.schema.object(on)
  const field = object?.fields.get(name.toLowerCase())
  if (object && field && typeof input.label === 'string') {
    object.fields.set(name.toLowerCase(), { ...field, label: input.label })
    org.schema.touch(object)
  } else if (object && typeof input.label === 'string')
    org.schema.add({ ...object, label: input.label, labelPlural: String(input.pluralLabel ?? object.labelPlural) })
  return { fullName }
}

function describe(org: Org, fullName: string): object {
  const object = org.schema.object(fullName)
  if (!object) return {}
  const fields = [...object.fields.values()].filter(({ name }) => name.endsWith('__c'))
  return {
    fullName: object.name,
    label: object.label,
    pluralLabel: object.labelPlural,
    deploymentStatus: 'Deployed',
    sharingModel: 'ReadWrite',
    nameField: { label: object.fields.get('name')?.label, type: 'Text' },
    fields: fields.map((field) => ({
      fullName: field.name,
      label: field.label,
      type: metadataType(field),
      length: field.length,
      precision: field.precision,
      scale: field.scale,
    })),
  }
}
