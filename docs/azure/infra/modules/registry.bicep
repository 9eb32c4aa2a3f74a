// The registry of the container image, without an administrator's password.

@description('Name of the registry: letters and digits.')
param name string

@description('Region of the registry.')
param location string

@description('Tags of the registry.')
param tags object

@description('Principal id of the identity that pulls the image.')
param principalId string

// AcrPull. The ids of the built-in roles are the same everywhere.
var pullRole = subscriptionResourceId('Microsoft.Authorization/roleDefinitions', '7f951dda-4ed3-4680-a7ca-43fe172d538d')

resource registry 'Microsoft.ContainerRegistry/registries@2023-07-01' = {
  name: name
  location: location
  tags: tags
  sku: { name: 'Basic' }
  properties: { adminUserEnabled: false }
}

resource pull 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  scope: registry
  name: guid(registry.id, principalId, pullRole)
  properties: {
    principalId: principalId
    principalType: 'ServicePrincipal'
    roleDefinitionId: pullRole
  }
}

output loginServer string = registry.properties.loginServer
