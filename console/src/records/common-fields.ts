/** The fields that tables show unless others are chosen, and that forms show first. */
export const COMMON_FIELDS: { readonly [recordType: string]: readonly string[] } = {
  Lead: ['FirstName', 'LastName', 'Email', 'Phone', 'Status', 'Company', 'OwnerID', 'CreatedDate'],
  Opportunity: ['OpportunityName', 'Stage', 'CloseDate', 'Amount', 'CompanyID', 'ContactID', 'OwnerID', 'CreatedDate'],
  Case: ['Subject', 'Status', 'Priority', 'CompanyID', 'ContactID', 'OwnerID', 'CreatedDate'],
  Company: ['CompanyName', 'Industry', 'City', 'Phone', 'Website', 'OwnerID', 'CreatedDate'],
  Contact: ['FirstName', 'LastName', 'Email', 'Phone', 'Title', 'CompanyID', 'OwnerID', 'CreatedDate'],
}
