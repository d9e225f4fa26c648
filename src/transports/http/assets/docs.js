window.SwaggerUIBundle({
  url: new URL('openapi.json', window.location.href).href,
  dom_id: '#reference',
  // Nothing is asked of any other host.
  validatorUrl: null,
  docExpansion: 'list',
  filter: true,
  tryItOutEnabled: true,
  persistAuthorization: false,
  deepLinking: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  defaultModelExpandDepth: 3,
  requestSnippetsEnabled: true,
})
