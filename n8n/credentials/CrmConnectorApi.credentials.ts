import type { IAuthenticateGeneric, ICredentialTestRequest, ICredentialType, INodeProperties } from 'n8n-workflow'

/** Where the service is, and the key of the user the workflow acts as. */
export class CrmConnectorApi implements ICredentialType {
  name = 'crmConnectorApi'

  displayName = 'CRM Connector API'

  documentationUrl = 'https://crm-connector.example/n8n'

  icon = { light: 'file:../icons/crm-connector.svg', dark: 'file:../icons/crm-connector.dark.svg' } as const

  properties: INodeProperties[] = [
    {
      displayName: 'Base URL',
      name: 'baseUrl',
      type: 'string',
      default: 'http://127.0.0.1:8484',
      required: true,
      placeholder: 'e.g. https://crm.example.com',
      description: 'Where the service listens, as n8n reaches it',
    },
    {
      displayName: 'Key',
      name: 'apiKey',
      type: 'string',
      typeOptions: { password: true },
      default: '',
      required: true,
      description: 'A key of the service, as create_key shows it once. It decides what the workflow may see and do.',
    },
  ]

  authenticate: IAuthenticateGeneric = {
    type: 'generic',
    properties: { headers: { Authorization: '=Bearer {{$credentials.apiKey}}' } },
  }

  test: ICredentialTestRequest = {
    request: {
      baseURL: '={{$credentials.baseUrl.trim().replace(/\\/+$/, "")}}',
      url: '/v1/operations/get_current_user',
      method: 'POST',
      body: {},
      json: true,
      // What is sent to another address may arrive there as something else.
      disableFollowRedirect: true,
    },
    // A rule is broken where the member has the value: whoever answers without a user is not the service.
    rules: [
      {
        type: 'responseSuccessBody',
        properties: { key: 'UserID', value: undefined, message: 'What answers at the Base URL is not the CRM Connector.' },
      },
    ],
  }
}
