import type { ErrorCode, Fault } from '../../../contract/errors.ts'

export interface Meaning {
  readonly code: ErrorCode
  /** Nothing was executed, and a retry may succeed. */
  readonly retryable?: boolean
  /** A fresh session does not help. */
  readonly lasting?: boolean
  /** It has ended, and what it wrote may be there or not. */
  readonly ended?: boolean
  /** The backoff, where it takes longer than a retry budget. */
  readonly retryAfterMs?: number
  readonly hint?: string
  /** What is wrong with the fields that are named beside it. */
  readonly fault?: Fault['code']
}

const SEEN = 'Give the user that the connector signs in as access to the object and its fields, in a permission set; `crm doctor` lists what is missing.'

/** What to do instead of changing a converted lead. */
export const CONVERTED = 'The lead has become a contact: change that in Salesforce.'

/** What Salesforce's own error codes mean. One that is not here means what its status does. */
export const MEANINGS: { readonly [errorCode: string]: Meaning } = {
  INVALID_SESSION_ID: {
    code: 'unauthenticated',
    hint: 'Salesforce refuses sessions that it has just opened. Give the app the scope “Manage user data via APIs (api)” and the user the permission “API Enabled”, and check the IP ranges and session settings of the app and the profile.',
  },
  INVALID_AUTH_HEADER: { code: 'unauthenticated' },
  INVALID_OPERATION_WITH_EXPIRED_PASSWORD: {
    code: 'unauthenticated',
    lasting: true,
    hint: 'The password of the user that the connector signs in as has expired. Set a new one in Salesforce, and give the user the permission “Password Never Expires”.',
  },
  REQUEST_LIMIT_EXCEEDED: { code: 'rate_limited', retryable: true },
  SERVER_UNAVAILABLE: { code: 'platform_unavailable', ended: true },
  UNABLE_TO_LOCK_ROW: { code: 'platform_unavailable', retryable: true },
  REQUEST_RUNNING_TOO_LONG: { code: 'platform_unavailable', ended: true, hint: 'Ask for less at once, or try again later.' },
  INSERT_UPDATE_DELETE_NOT_ALLOWED_DURING_MAINTENANCE: {
    code: 'platform_unavailable',
    retryAfterMs: 60_000,
    hint: 'Salesforce is being maintained, and only reads until that is over; trust.salesforce.com says for how long.',
  },
  QUERY_TIMEOUT: { code: 'platform_unavailable', retryable: true },
  EXCEEDED_ID_LIMIT: { code: 'too_large' },
  INVALID_QUERY_LOCATOR: { code: 'conflict' },
  QUERY_TOO_COMPLICATED: { code: 'unsupported', hint: 'Ask for less at once, with fewer or shorter filters.' },
  NOT_FOUND: { code: 'not_found' },
  ENTITY_IS_DELETED: { code: 'not_found' },
  INVALID_FIELD: { code: 'forbidden', hint: SEEN },
  INVALID_TYPE: { code: 'forbidden', hint: SEEN },
  INVALID_FIELD_FOR_INSERT_UPDATE: { code: 'forbidden', hint: SEEN },
  INSUFFICIENT_ACCESS: { code: 'forbidden', hint: SEEN },
  INSUFFICIENT_ACCESS_OR_READONLY: { code: 'forbidden', hint: SEEN },
  INSUFFICIENT_ACCESS_ON_CROSS_REFERENCE_ENTITY: { code: 'forbidden', hint: SEEN },
  CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY: { code: 'platform_rejected', hint: 'A trigger or a flow of the account refused it.' },
  API_DISABLED_FOR_ORG: { code: 'forbidden', hint: 'Give the user the permission “API Enabled”; some editions of Salesforce have no API at all.' },
  API_CURRENTLY_DISABLED: { code: 'forbidden', hint: 'Give the user the permission “API Enabled”; some editions of Salesforce have no API at all.' },
  FUNCTIONALITY_NOT_ENABLED: { code: 'forbidden', hint: 'The account has not switched on what this needs.' },
  REQUIRED_FIELD_MISSING: {
    code: 'platform_rejected',
    fault: 'missing',
    hint: 'What an account insists on can be given in the configuration, as `defaults` of the table.',
  },
  STRING_TOO_LONG: { code: 'platform_rejected', fault: 'length' },
  NUMBER_OUTSIDE_VALID_RANGE: { code: 'platform_rejected', fault: 'range' },
  INVALID_EMAIL_ADDRESS: { code: 'platform_rejected', fault: 'form' },
  DUPLICATES_DETECTED: {
    code: 'platform_rejected',
    fault: 'conflict',
    hint: 'The duplicate rules of the account refused it; the option `duplicates` with the value `allow` lets it through.',
  },
  CANNOT_UPDATE_CONVERTED_LEAD: { code: 'platform_rejected', hint: CONVERTED },
  DUPLICATE_VALUE: { code: 'conflict', fault: 'conflict' },
  STORAGE_LIMIT_EXCEEDED: { code: 'platform_rejected', hint: 'The account has no room for more records.' },
}

/** What a status means where nothing better is known. */
export function meaningOf(status: number): Meaning {
  if (status === 401) return { code: 'unauthenticated' }
  if (status === 403) return { code: 'forbidden', hint: SEEN }
  if (status === 404) return { code: 'not_found' }
  if (status === 412) return { code: 'conflict' }
  if (status === 414 || status === 431) return { code: 'unsupported' }
  if (status === 429) return { code: 'rate_limited', retryable: true }
  return { code: 'platform_rejected' }
}
