import type { StandardObject } from './standard-object.ts'

/** Cases, and the objects that belong to other records: comments, notes and tasks. */
export const SERVICE: readonly StandardObject[] = [
  {
    name: 'Case',
    prefix: '500',
    plural: 'Cases',
    owned: true,
    fields: `
      MasterRecordId reference n >Case:MasterRecord
      CaseNumber string(30) dgaiN
      ContactId reference cunp >Contact:Contact/Cases
      AccountId reference cunp >Account:Account/Cases
      AssetId reference cunp >Asset:Asset
      ParentId reference cunp >Case:Parent/Cases "Parent Case ID"
      SuppliedName string(80) cunp "Name"
      SuppliedEmail email(80) cunp "Email Address"
      SuppliedPhone string(40) cunp "Phone"
      SuppliedCompany string(80) cunp "Company"
      Type picklist(40) cunp #caseTypes "Case Type"
      Status picklist(40) cund #caseStatus
      Reason picklist(40) cunp #caseReasons "Case Reason"
      Origin picklist(40) cunp #caseOrigins "Case Origin"
      Subject string(255) cunp
      Priority picklist(40) cundp #casePriorities
      Description textarea(32000) cunp
      IsClosed boolean d =false "Closed"
      ClosedDate datetime np
      IsEscalated boolean cudp =false "Escalated"
      ContactPhone phone(40) n
      ContactMobile phone(40) n
      ContactEmail email(80) n
      ContactFax phone(40) n
      Comments textarea(4000) cunbS "Internal Comments"
      LastViewedDate datetime n
      LastReferencedDate datetime n`,
  },
  {
    name: 'CaseComment',
    prefix: '00a',
    label: 'Case Comment',
    plural: 'Case Comments',
    fields: `
      ParentId reference c >Case:Parent/CaseComments! "Parent ID"
      IsPublished boolean cud =false "Published"
      CommentBody textarea(4000) cunb "Body"`,
  },
  {
    name: 'Note',
    prefix: '002',
    plural: 'Notes',
    owned: true,
    fields: `
      ParentId reference c >Account|Campaign|Contact|Lead|Opportunity|Custom:Parent/Notes!
      Title string(80) cuN
      IsPrivate boolean cud =false "Private"
      Body textarea(32000) cun`,
  },
  {
    name: 'ContentNote',
    prefix: '069',
    label: 'Note',
    plural: 'Notes',
    owned: true,
    fields: `
      Title string(255) cuN
      Content base64 cun
      ContentSize int n
      TextPreview string(255) n
      FileType string(20) n
      FileExtension string(40) n
      LatestPublishedVersionId id n
      IsReadOnly boolean d =false`,
  },
  {
    name: 'ContentDocument',
    prefix: '069',
    label: 'Content Document',
    plural: 'Content Documents',
    owned: true,
    createable: false,
    fields: `
      Title string(255) uN
      FileType string(20) n
      FileExtension string(40) n
      ContentSize int n
      LatestPublishedVersionId id n`,
  },
  {
    name: 'ContentDocumentLink',
    prefix: '06A',
    label: 'Content Document Link',
    plural: 'Content Document Links',
    fields: `
      LinkedEntityId reference c >Account|Campaign|Case|Contact|Lead|Opportunity|User|Custom:LinkedEntity/ContentDocumentLinks!
      ContentDocumentId reference c >ContentDocument:ContentDocument/ContentDocumentLinks!
      ShareType picklist(40) cundr #shareTypes
      Visibility picklist(40) cundr #visibilities`,
  },
  {
    name: 'Task',
    prefix: '00T',
    plural: 'Tasks',
    owned: true,
    fields: `
      WhoId reference cun >Contact|Lead:Who/Tasks! "Name ID"
      WhatId reference cun >Account|Campaign|Case|Opportunity|Custom:What/Tasks! "Related To ID"
      Subject string(255) cunN
      ActivityDate date cun "Due Date Only"
      Status picklist(255) cud #taskStatus
      Priority picklist(255) cud #taskPriorities
      IsClosed boolean d =false "Closed"
      Description textarea(32000) cun`,
  },
]
