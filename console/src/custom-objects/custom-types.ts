import type { CustomType } from 'crm-connector/contract'

/** The types of the fields of custom objects, as a person reads them. */
export const CUSTOM_TYPE_WORDS: { readonly [type in CustomType]: string } = {
  String: 'Text',
  Number: 'Number',
  Boolean: 'Yes or no',
  Date: 'Date',
  DateTime: 'Date and time',
  Choice: 'Choice',
  Choices: 'Several choices',
  Reference: 'Reference',
}
