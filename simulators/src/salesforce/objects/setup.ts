import type { StandardObject } from './standard-object.ts'

/** Users and permissions. Unlike in a real org, a user needs only a username and a last name. */
export const SETUP: readonly StandardObject[] = [
  {
    name: 'User',
    prefix: '005',
    plural: 'Users',
    deletable: false,
    fields: `
      Username string(80) cuiU
      LastName string(80) cu @Name
      FirstName string(40) cun @Name
      Name string(121) N "Full Name"
      CompanyName string(80) cun
      Department string(80) cun
      Title string(80) cun
      Email email(128) cudi
      Alias string(8) cud
      Phone phone(40) cun
      MobilePhone phone(40) cun
      IsActive boolean cud =true "Active"
      TimeZoneSidKey string(40) cud =GMT "Time Zone"
      LocaleSidKey string(40) cud =en_US "Locale"
      EmailEncodingKey string(40) cud =UTF-8 "Email Encoding"
      LanguageLocaleKey string(40) cud =en_US "Language"
      ProfileId reference cud >Profile:Profile/Users
      UserRoleId reference cun >UserRole:UserRole "Role ID"
      UserType picklist(40) nr #userTypes
      ManagerId reference cun >User:Manager
      FederationIdentifier string(512) cun
      LastLoginDate datetime n`,
  },
  {
    name: 'Profile',
    prefix: '00e',
    plural: 'Profiles',
    createable: false,
    deletable: false,
    fields: 'Name string(255) uN\nUserType picklist(40) nr #userTypes',
  },
  {
    name: 'Organization',
    prefix: '00D',
    plural: 'Organizations',
    createable: false,
    deletable: false,
    fields: `
      Name string(80) uN
      InstanceName string(5) n
      IsSandbox boolean d =false "Is Sandbox"
      OrganizationType picklist(40) n "Edition"
      NamespacePrefix string(15) n
      TimeZoneSidKey string(40) n "Time Zone"
      LanguageLocaleKey string(40) n "Language"`,
  },
  {
    name: 'PermissionSet',
    prefix: '0PS',
    label: 'Permission Set',
    plural: 'Permission Sets',
    fields: `
      Name string(80) cuN
      Label string(80) cu
      Description string(255) cun
      ProfileId reference n >Profile:Profile
      IsOwnedByProfile boolean d =false
      IsCustom boolean d =true`,
  },
  {
    name: 'PermissionSetAssignment',
    prefix: '0Pa',
    label: 'Permission Set Assignment',
    plural: 'Permission Set Assignments',
    fields: `
      PermissionSetId reference c >PermissionSet:PermissionSet/Assignments!
      AssigneeId reference c >User:Assignee/PermissionSetAssignments!`,
  },
  {
    name: 'FieldPermissions',
    prefix: '01k',
    label: 'Field Permissions',
    plural: 'Field Permissions',
    fields: `
      ParentId reference c >PermissionSet:Parent/FieldPerms!
      SobjectType string(40) c
      Field string(121) c
      PermissionsRead boolean cud =true
      PermissionsEdit boolean cud =false`,
  },
  {
    name: 'ObjectPermissions',
    prefix: '110',
    label: 'Object Permissions',
    plural: 'Object Permissions',
    fields: `
      ParentId reference c >PermissionSet:Parent/ObjectPerms!
      SobjectType string(40) c
      PermissionsRead boolean cud =true
      PermissionsCreate boolean cud =false
      PermissionsEdit boolean cud =false
      PermissionsDelete boolean cud =false
      PermissionsViewAllRecords boolean cud =false
      PermissionsModifyAllRecords boolean cud =false`,
  },
]

/** Objects whose records are derived from the schema and cannot be written. */
export const DEFINITIONS: readonly StandardObject[] = [
  {
    name: 'EntityDefinition',
    prefix: '4ie',
    plural: 'Entity Definitions',
    virtual: true,
    fields: `
      DurableId string(255) n
      QualifiedApiName string(255) nN
      DeveloperName string(255) n
      Label string(255) n
      PluralLabel string(255) n
      KeyPrefix string(3) n
      NamespacePrefix string(15) n
      IsCustomizable boolean d
      IsCustomSetting boolean d
      IsQueryable boolean d`,
  },
  {
    name: 'FieldDefinition',
    prefix: '4fe',
    plural: 'Field Definitions',
    virtual: true,
    fields: `
      DurableId string(255) n
      QualifiedApiName string(255) nN
      DeveloperName string(255) n
      EntityDefinitionId reference n >EntityDefinition:EntityDefinition/Fields
      Label string(255) n
      DataType string(255) n
      Length int n
      Precision int n
      Scale int n
      NamespacePrefix string(15) n
      IsNillable boolean d
      IsCalculated boolean d
      IsIndexed boolean d`,
  },
  {
    name: 'CustomObject',
    prefix: '01I',
    plural: 'Custom Objects',
    virtual: true,
    tooling: true,
    fields: `
      DeveloperName string(255) nN
      NamespacePrefix string(15) n
      Description string(1000) n`,
  },
  {
    name: 'CustomField',
    prefix: '00N',
    plural: 'Custom Fields',
    virtual: true,
    tooling: true,
    fields: `
      DeveloperName string(255) nN
      TableEnumOrId string(40) n
      EntityDefinitionId string(255) n
      FullName string(255) nfgs
      NamespacePrefix string(15) n
      Description string(1000) n
      Metadata complexvalue n`,
  },
]
