import type { Org } from '../org.ts'
import { type Field, TEXT } from './fields.ts'
import type { SObject } from './objects.ts'

const SOAP_TYPES: { readonly [type: string]: string } = {
  id: 'tns:ID',
  reference: 'tns:ID',
  boolean: 'xsd:boolean',
  int: 'xsd:int',
  double: 'xsd:double',
  currency: 'xsd:double',
  percent: 'xsd:double',
  date: 'xsd:date',
  datetime: 'xsd:dateTime',
  address: 'urn:address',
  base64: 'xsd:base64Binary',
}

const isAggregatable = (field: Field) => field.sortable && field.type !== 'boolean'

/** The parts of a person's name. */
const isPersonal = (object: SObject, { name, compound }: Field) => compound === 'Name' || (name === 'Name' && object.fields.has('lastname'))

function fieldShown(org: Org, object: SObject, field: Field): object {
  const { name, type, length, picklist, defaultValue, referenceTo } = field
  const extra = isPersonal(object, field) ? 'personname' : type === 'textarea' ? 'plaintextarea' : name === 'PhotoUrl' ? 'imageurl' : null
  return {
    aggregatable: isAggregatable(field),
    aiPredictionField: false,
    autoNumber: field.autoNumber,
    byteLength: TEXT.has(type) ? (field.inBytes || name === 'Fiscal' ? length : length * 3) : length,
    calculated: field.calculated,
    calculatedFormula: field.calculated ? 'TODAY()' : null,
    cascadeDelete: false,
    caseSensitive: false,
    compoundFieldName: field.compound,
    controllerName: null,
    createable: field.createable,
    custom: field.custom,
    defaultValue: field.autoNumber ? null : defaultValue,
    defaultValueFormula: null,
    defaultedOnCreate: field.defaultedOnCreate,
    dependentPicklist: false,
    deprecatedAndHidden: false,
    digits: type === 'int' ? 8 : 0,
    displayLocationInDecimal: false,
    encrypted: false,
    externalId: field.externalId,
    extraTypeInfo: extra,
    filterable: field.filterable,
    filteredLookupInfo: null,
    formulaTreatNullNumberAsZero: false,
    groupable: field.groupable,
    highScaleNumber: false,
    htmlFormatted: false,
    idLookup: field.idLookup,
    inlineHelpText: null,
    label: field.label,
    length,
    mask: null,
    maskType: null,
    name,
    nameField: field.nameField,
    namePointing: referenceTo.length > 1,
    nillable: field.nillable,
    permissionable: field.permissionable,
    picklistValues: picklist.map((value) => ({ active: true, defaultValue: value === defaultValue, label: value, validFor: null, value })),
    polymorphicForeignKey: referenceTo.length > 1,
    precision: field.precision,
    queryByDistance: type === 'address',
    referenceTargetField: null,
    referenceTo: referenceTo.includes('Custom') ? org.schema.targets(field).map((target) => target.name) : referenceTo,
    relationshipName: field.relationshipName,
    relationshipOrder: null,
    restrictedDelete: false,
    restrictedPicklist: field.restricted,
    scale: field.scale,
    searchPrefilterable: field.relationshipName !== null && referenceTo.length === 1 && referenceTo[0] !== 'User' && name !== 'MasterRecordId',
    soapType: SOAP_TYPES[type] ?? 'xsd:string',
    sortable: field.sortable,
    type,
    unique: field.unique,
    updateable: field.updateable,
    writeRequiresMasterRead: false,
  }
}

/** The short description of an object, as in lists of objects. */
export function describeBriefly(version: string, object: SObject): object {
  const path = `/services/data/${version}/sobjects/${object.name}`
  return {
    activateable: false,
    associateEntityType: null,
    associateParentEntity: null,
    createable: object.createable,
    custom: object.custom,
    customSetting: false,
    deepCloneable: object.name === 'Opportunity',
    deletable: object.deletable,
    deprecatedAndHidden: false,
    feedEnabled: !object.virtual,
    hasSubtypes: false,
    isInterface: false,
    isSubtype: false,
    keyPrefix: object.keyPrefix,
    label: object.label,
    labelPlural: object.labelPlural,
    layoutable: !object.virtual,
    mergeable: ['Lead', 'Contact', 'Account'].includes(object.name),
    mruEnabled: !object.virtual,
    name: object.name,
    queryable: true,
    replicateable: !object.virtual,
    retrieveable: true,
    searchable: !object.virtual,
    triggerable: !object.virtual,
    undeletable: object.deletable,
    updateable: object.updateable,
    urls: {
      compactLayouts: `${path}/describe/compactLayouts`,
      rowTemplate: `${path}/{ID}`,
      approvalLayouts: `${path}/describe/approvalLayouts`,
      listviews: `${path}/listviews`,
      describe: `${path}/describe`,
      quickActions: `${path}/quickActions`,
      layouts: `${path}/describe/layouts`,
      sobject: path,
    },
  }
}

export function describe(org: Org, version: string, object: SObject): object {
  const children = org.schema.children(object).map(({ object: child, field }) => ({
    cascadeDelete: field.cascade,
    childSObject: child.name,
    deprecatedAndHidden: false,
    field: field.name,
    junctionIdListNames: [],
    junctionReferenceTo: [],
    relationshipName: field.childRelationship,
    restrictedDelete: false,
  }))
  return {
    actionOverrides: [],
    ...describeBriefly(version, object),
    childRelationships: children,
    compactLayoutable: true,
    defaultImplementation: null,
    extendedBy: null,
    extendsInterfaces: null,
    fields: org.schema.fields(object).map((field) => fieldShown(org, object, field)),
    implementedBy: null,
    implementsInterfaces: null,
    listviewable: null,
    lookupLayoutable: null,
    namedLayoutInfos: [],
    networkScopeFieldName: null,
    recordTypeInfos: [
      {
        active: true,
        available: true,
        defaultRecordTypeMapping: true,
        developerName: 'Master',
        master: true,
        name: 'Master',
        recordTypeId: '012000000000000AAA',
        urls: { layout: `/services/data/${version}/sobjects/${object.name}/describe/layouts/012000000000000AAA` },
      },
    ],
    searchLayoutable: true,
    sobjectDescribeOption: 'FULL',
    supportedScopes: [
      { label: `All ${object.labelPlural.toLowerCase()}`, name: 'everything' },
      { label: `My ${object.labelPlural.toLowerCase()}`, name: 'mine' },
    ],
  }
}
