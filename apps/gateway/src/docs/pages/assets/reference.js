/* global Scalar */
// Everything that Scalar could load from elsewhere is off: fonts, usage data, its proxy, its AI agent, its hosted client.
Scalar.createApiReference('#reference', {
  url: '/openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  proxyUrl: '',
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
  documentDownloadType: 'direct',
  authentication: { preferredSecurityScheme: 'apiKey' },
  // The samples are those of the document.
  hiddenClients: true,
  // error-pages.ts links to these places.
  generateOperationSlug: ({ operationId }) => operationId,
});
