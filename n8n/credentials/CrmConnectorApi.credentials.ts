import type { IAuthenticateGeneric, ICredentialTestRequest, ICredentialType, INodeProperties } from 'n8n-workflow'

export class CrmConnectorApi implements ICredentialType {
  name = 'crmConnectorApi'

  displayName = 'CRM Connector API'

  documentationUrl = 'https://github.com/crm-connector/crm-connector/blob/main/docs/n8n.md#credentials'

  icon = { light: 'file:../icons/crm-connector.svg', dark: 'file:../icons/crm-connector.dark.svg' } as const

  properties: INodeProperties[] = [
    {
      displayName: 'Base URL',
      name: 'baseUrl',
      type: 'string',
      default: 'http://127.0.0.1:8484',
      required: true,
      placeholder: 'e.g. https://crm.example.com',
      description: 'The address of the service, as n8n reaches it',
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
      // A redirected POST may arrive as a GET.
      disableFollowRedirect: true,
    },
    // n8n reports the message if the member has the value: a response without UserID is not from the service.
    rules: [
      {
        type: 'responseSuccessBody',
        properties: { key: 'UserID', value: undefined, message: 'The server at the Base URL is not the CRM Connector.' },
      },
    ],
  }
}
