import type { StandardObject } from './standard-object.ts'

/** Leads, opportunities, campaigns, accounts and contacts of a new org. */
export const SALES: readonly StandardObject[] = [
  {
    name: 'Lead',
    prefix: '00Q',
    plural: 'Leads',
    owned: true,
    fields: `
      MasterRecordId reference n >Lead:MasterRecord
      LastName string(80) cu @Name
      FirstName string(40) cun @Name
      Salutation picklist(40) cun #salutations @Name
      Name string(121) N "Full Name"
      Title string(128) cunp
      Company string(255) cu
      Street textarea(255) cunp @Address
      City string(40) cunp @Address
      State string(80) cunp @Address "State/Province"
      PostalCode string(20) cunp @Address "Zip/Postal Code"
      Country string(80) cunp @Address
      Latitude double(18,15) cunp @Address
      Longitude double(18,15) cunp @Address
      GeocodeAccuracy picklist(40) cunpr #accuracies @Address
      Address address np
      Phone phone(40) cunp
      MobilePhone phone(40) cunp
      Fax phone(40) cunp
      Email email(80) cunpi
      Website url(255) cunp
      PhotoUrl url(255) n "Photo URL"
      Description textarea(32000) cunp
      LeadSource picklist(255) cunp #sources
      Status picklist(255) cud #leadStatus
      Industry picklist(255) cunp #industries
      Rating picklist(255) cunp #ratings
      AnnualRevenue currency(18,0) cunp
      NumberOfEmployees int cunp "Employees"
      HasOptedOutOfEmail boolean cudp =false "Email Opt Out"
      IsConverted boolean cd =false "Converted"
      ConvertedDate date n
      ConvertedAccountId reference n >Account:ConvertedAccount
      ConvertedContactId reference n >Contact:ConvertedContact
      ConvertedOpportunityId reference n >Opportunity:ConvertedOpportunity
      IsUnreadByOwner boolean cud =false "Unread By Owner"
      LastActivityDate date n "Last Activity"
      LastViewedDate datetime n
      LastReferencedDate datetime n
      Jigsaw string(20) cunp "Data.com Key"
      JigsawContactId string(20) n
      CleanStatus picklist(40) cunpr #cleanStatus
      CompanyDunsNumber string(9) cunp "Company D-U-N-S Number"
      DandbCompanyId reference cunp >DandBCompany:DandbCompany "D&B Company ID"
      EmailBouncedReason string(255) un
      EmailBouncedDate datetime un
      IndividualId reference cun >Individual:Individual`,
  },
  {
    name: 'Opportunity',
    prefix: '006',
    plural: 'Opportunities',
    owned: true,
    fields: `
      AccountId reference cunp >Account:Account/Opportunities!
      IsPrivate boolean cudp =false "Private"
      Name string(120) cuiN
      Description textarea(32000) cunp
      StageName picklist(255) cu #stages "Stage"
      Amount currency(18,2) cunp
      Probability percent(3,0) cundp "Probability (%)"
      ExpectedRevenue currency(18,2) np "Expected Amount"
      TotalOpportunityQuantity double(18,2) cunp "Quantity"
      CloseDate date cu
      Type picklist(255) cunp #opportunityTypes "Opportunity Type"
      NextStep string(255) cunp
      LeadSource picklist(255) cunp #sources
      IsClosed boolean d =false "Closed"
      IsWon boolean d =false "Won"
      ForecastCategory picklist(40) r #forecasts
      ForecastCategoryName picklist(255) cundr #forecastNames "Forecast Category"
      CampaignId reference cunp >Campaign:Campaign/Opportunities
      HasOpportunityLineItem boolean d =false "Has Line Item"
      Pricebook2Id reference cund >Pricebook2:Pricebook2 "Price Book ID"
      LastActivityDate date n "Last Activity"
      LastStageChangeDate datetime n
      FiscalQuarter int n @Fiscal
      FiscalYear int n @Fiscal
      Fiscal string(6) n "Fiscal Period"
      ContactId reference cn >Contact
      LastViewedDate datetime n
      LastReferencedDate datetime n
      HasOpenActivity boolean dfs =false
      HasOverdueTask boolean dfs =false
      LastAmountChangedHistoryId reference n >OpportunityHistory:LastAmountChangedHistory "Opportunity History ID"
      LastCloseDateChangedHistoryId reference n >OpportunityHistory:LastCloseDateChangedHistory "Opportunity History ID"`,
  },
  {
    name: 'LeadStatus',
    prefix: '01J',
    label: 'Lead Status Value',
    plural: 'Lead Status Values',
    createable: false,
    deletable: false,
    fields: `
      MasterLabel string(255) nN
      ApiName string(255) n
      SortOrder int n
      IsDefault boolean d =false
      IsConverted boolean d =false`,
  },
  {
    name: 'OpportunityStage',
    prefix: '01O',
    label: 'Opportunity Stage',
    plural: 'Opportunity Stages',
    createable: false,
    deletable: false,
    fields: `
      MasterLabel string(255) nN
      ApiName string(255) n
      IsActive boolean d =false "Active"
      SortOrder int n
      IsClosed boolean d =false "Closed"
      IsWon boolean d =false "Won"
      ForecastCategory picklist(40) r #forecasts
      ForecastCategoryName picklist(255) nr #forecastNames "Forecast Category Name"
      DefaultProbability percent(3,0) n "Probability (%)"`,
  },
  {
    name: 'OpportunityContactRole',
    prefix: '00K',
    label: 'Opportunity Contact Role',
    plural: 'Opportunity Contact Roles',
    fields: `
      OpportunityId reference c >Opportunity:Opportunity/OpportunityContactRoles!
      ContactId reference cu >Contact:Contact/OpportunityContactRoles!
      Role picklist(255) cunp #contactRoles
      IsPrimary boolean cud =false "Primary"`,
  },
  {
    name: 'Campaign',
    prefix: '701',
    plural: 'Campaigns',
    owned: true,
    fields: `
      Name string(80) cuiN
      ParentId reference cunp >Campaign:Parent/ChildCampaigns "Parent Campaign ID"
      Type picklist(40) cunp #campaignTypes
      Status picklist(40) cundp #campaignStatus
      StartDate date cunp
      EndDate date cunp
      ExpectedRevenue currency(18,0) cunp
      BudgetedCost currency(18,0) cunp
      ActualCost currency(18,0) cunp
      ExpectedResponse percent(10,2) cunp "Expected Response (%)"
      NumberSent double(18,0) cunp "Num Sent"
      IsActive boolean cudp =false "Active"
      Description textarea(32000) cunp
      NumberOfLeads int d =0 "Leads in Campaign"
      NumberOfConvertedLeads int d =0 "Converted Leads in Campaign"
      NumberOfContacts int d =0 "Contacts in Campaign"
      NumberOfResponses int d =0 "Responses in Campaign"
      NumberOfOpportunities int d =0 "Opportunities in Campaign"
      NumberOfWonOpportunities int d =0 "Won Opportunities in Campaign"
      AmountAllOpportunities currency(18,0) d =0 "Value Opportunities in Campaign"
      AmountWonOpportunities currency(18,0) d =0 "Value Won Opportunities in Campaign"
      LastActivityDate date n "Last Activity"
      LastViewedDate datetime n
      LastReferencedDate datetime n`,
  },
  {
    name: 'CampaignMemberStatus',
    prefix: '01Y',
    label: 'Campaign Member Status',
    plural: 'Campaign Member Statuses',
    fields: `
      CampaignId reference c >Campaign:Campaign/CampaignMemberStatuses!
      Label string(765) cuN
      SortOrder int cun
      IsDefault boolean cud =false
      HasResponded boolean cud =false "Responded"`,
  },
  {
    name: 'CampaignMember',
    prefix: '00v',
    label: 'Campaign Member',
    plural: 'Campaign Members',
    fields: `
      CampaignId reference c >Campaign:Campaign/CampaignMembers!
      LeadId reference cn >Lead:Lead/CampaignMembers!
      ContactId reference cn >Contact:Contact/CampaignMembers!
      Status picklist(40) cund #memberStatus
      HasResponded boolean d =false "Responded"
      FirstRespondedDate date n
      Salutation picklist(40) n #salutations
      Name string(121) nN
      FirstName string(40) n
      LastName string(80) n
      Title string(128) n
      Email email(80) n
      Phone phone(40) n
      CompanyOrAccount string(255) n "Company (Account)"
      Type picklist(40) n
      LeadOrContactId reference n >Contact|Lead:LeadOrContact "Related Record ID"
      LeadOrContactOwnerId reference n >Group|User:LeadOrContactOwner "Related Record Owner ID"
      LeadSource picklist(255) n #sources`,
  },
  {
    name: 'Account',
    prefix: '001',
    plural: 'Accounts',
    owned: true,
    fields: `
      MasterRecordId reference n >Account:MasterRecord
      Name string(255) cuN "Account Name"
      Type picklist(255) cunp #accountTypes "Account Type"
      ParentId reference cunp >Account:Parent/ChildAccounts "Parent Account ID"
      BillingStreet textarea(255) cunp @BillingAddress
      BillingCity string(40) cunp @BillingAddress
      BillingState string(80) cunp @BillingAddress
      BillingPostalCode string(20) cunp @BillingAddress
      BillingCountry string(80) cunp @BillingAddress
      BillingAddress address np
      ShippingStreet textarea(255) cunp @ShippingAddress
      ShippingCity string(40) cunp @ShippingAddress
      ShippingState string(80) cunp @ShippingAddress
      ShippingPostalCode string(20) cunp @ShippingAddress
      ShippingCountry string(80) cunp @ShippingAddress
      ShippingAddress address np
      Phone phone(40) cunp
      Fax phone(40) cunp
      AccountNumber string(40) cunp
      Website url(255) cunp
      Industry picklist(255) cunp #industries
      AnnualRevenue currency(18,0) cunp
      NumberOfEmployees int cunp "Employees"
      Description textarea(32000) cunp
      Rating picklist(255) cunp #ratings
      Site string(80) cunp "Account Site"
      AccountSource picklist(255) cunp #sources
      LastActivityDate date n "Last Activity"`,
  },
  {
    name: 'Contact',
    prefix: '003',
    plural: 'Contacts',
    owned: true,
    fields: `
      MasterRecordId reference n >Contact:MasterRecord
      AccountId reference cunp >Account:Account/Contacts!
      LastName string(80) cu @Name
      FirstName string(40) cun @Name
      Salutation picklist(40) cun #salutations @Name
      Name string(121) N "Full Name"
      MailingStreet textarea(255) cunp @MailingAddress
      MailingCity string(40) cunp @MailingAddress
      MailingState string(80) cunp @MailingAddress
      MailingPostalCode string(20) cunp @MailingAddress
      MailingCountry string(80) cunp @MailingAddress
      MailingAddress address np
      Phone phone(40) cunp "Business Phone"
      Fax phone(40) cunp
      MobilePhone phone(40) cunp
      ReportsToId reference cunp >Contact:ReportsTo
      Email email(80) cunpi
      Title string(128) cunp
      Department string(80) cunp
      LeadSource picklist(255) cunp #sources
      Birthdate date cunp
      HasOptedOutOfEmail boolean cudp =false "Email Opt Out"
      Description textarea(32000) cunp
      LastActivityDate date n "Last Activity"`,
  },
]
