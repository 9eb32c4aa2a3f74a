// Everything that Inkfeed needs on Azure, except the container app itself: see inkfeed.bicep.
targetScope = 'subscription'

@minLength(1)
@maxLength(48)
@description('Name of the azd environment. It names the resource group and is part of the names of the resources.')
param environmentName string

@minLength(1)
@description('Region of all resources, such as westeurope.')
param location string

@description('A second region of the Cosmos DB account and of the copies of pictures; empty: none.')
param secondRegion string = ''

@description('Reach the data, the pictures and the vault by private endpoints only.')
param privateEndpoints bool = false

@description('Id of a user or group that may read and write the data and the secrets; empty: none.')
param operatorId string = ''

@secure()
@description('New value of the secret session-keys; empty: the vault keeps its value.')
param sessionKeys string = ''

@secure()
@description('New value of the secret smtp-url; empty: the vault keeps its value, if it has one.')
param smtpUrl string = ''

@description('Name of the Cosmos DB account, to adopt one that was restored from a backup; empty: a name is made.')
param cosmosAccount string = ''

@description('Name of the database.')
param databaseName string = 'inkfeed'

@description('Throughput that most containers share, in RU/s.')
param sharedThroughput int = 400

@description('Maximum throughput of each container whose load is uneven, in RU/s.')
param autoscaleMaximum int = 1000

var token = toLower(uniqueString(subscription().id, environmentName, location))
var cosmosName = empty(cosmosAccount) ? 'cosmos-${token}' : cosmosAccount
var tags = { 'azd-env-name': environmentName }

resource group 'Microsoft.Resources/resourceGroups@2021-04-01' = {
  name: 'rg-${environmentName}'
  location: location
  tags: tags
}

module identity 'modules/identity.bicep' = {
  name: 'identity'
  scope: group
  params: { name: 'id-${token}', location: location, tags: tags }
}

module network 'modules/network.bicep' = if (privateEndpoints) {
  name: 'network'
  scope: group
  params: { name: 'vnet-${token}', location: location, tags: tags }
}

module monitoring 'modules/monitoring.bicep' = {
  name: 'monitoring'
  scope: group
  params: { workspaceName: 'log-${token}', insightsName: 'appi-${token}', location: location, tags: tags }
}

module registry 'modules/registry.bicep' = {
  name: 'registry'
  scope: group
  params: {
    name: 'cr${token}'
    location: location
    tags: tags
    principalId: identity.outputs.principalId
  }
}

module vault 'modules/vault.bicep' = {
  name: 'vault'
  scope: group
  params: {
    name: 'kv-${token}'
    location: location
    tags: tags
    principalId: identity.outputs.principalId
    operatorId: operatorId
    sessionKeys: sessionKeys
    smtpUrl: smtpUrl
    insightsName: monitoring.outputs.insightsName
    publicAccess: !privateEndpoints
  }
}

module storage 'modules/storage.bicep' = {
  name: 'storage'
  scope: group
  params: {
    name: 'st${token}'
    location: location
    tags: tags
    principalId: identity.outputs.principalId
    operatorId: operatorId
    copiedToAnotherRegion: !empty(secondRegion)
    publicAccess: !privateEndpoints
  }
}

module cosmos 'modules/cosmos.bicep' = {
  name: 'cosmos'
  scope: group
  params: {
    name: cosmosName
    location: location
    secondRegion: secondRegion
    tags: tags
    databaseName: databaseName
    sharedThroughput: sharedThroughput
    autoscaleMaximum: autoscaleMaximum
    principalId: identity.outputs.principalId
    operatorId: operatorId
    publicAccess: !privateEndpoints
  }
}

module cosmosEndpoint 'modules/private-endpoint.bicep' = if (privateEndpoints) {
  name: 'cosmos-endpoint'
  scope: group
  params: {
    name: 'pe-${cosmosName}' // an endpoint cannot move to another account
    location: location
    tags: tags
    serviceId: cosmos.outputs.id
    groupId: 'Sql'
    zoneName: 'privatelink.documents.azure.com'
    networkId: network!.outputs.id
    subnetId: network!.outputs.endpointsSubnetId
  }
}

module blobEndpoint 'modules/private-endpoint.bicep' = if (privateEndpoints) {
  name: 'blob-endpoint'
  scope: group
  params: {
    name: 'pe-blob-${token}'
    location: location
    tags: tags
    serviceId: storage.outputs.id
    groupId: 'blob'
    zoneName: 'privatelink.blob.${environment().suffixes.storage}'
    networkId: network!.outputs.id
    subnetId: network!.outputs.endpointsSubnetId
  }
}

module vaultEndpoint 'modules/private-endpoint.bicep' = if (privateEndpoints) {
  name: 'vault-endpoint'
  scope: group
  params: {
    name: 'pe-vault-${token}'
    location: location
    tags: tags
    serviceId: vault.outputs.id
    groupId: 'vault'
    zoneName: 'privatelink.vaultcore.azure.net'
    networkId: network!.outputs.id
    subnetId: network!.outputs.endpointsSubnetId
  }
}

module apps 'modules/environment.bicep' = {
  name: 'environment'
  scope: group
  params: {
    name: 'cae-${token}'
    location: location
    tags: tags
    workspaceId: monitoring.outputs.workspaceId
    subnetId: privateEndpoints ? network!.outputs.appsSubnetId : ''
  }
}

// azd stores the outputs in its environment. inkfeed.parameters.json refers to them.
output AZURE_RESOURCE_GROUP string = group.name
output AZURE_CONTAINER_REGISTRY_ENDPOINT string = registry.outputs.loginServer
output AZURE_CONTAINER_ENVIRONMENT_NAME string = apps.outputs.name
output INKFEED_IDENTITY_ID string = identity.outputs.id
output INKFEED_IDENTITY_CLIENT_ID string = identity.outputs.clientId
output INKFEED_VAULT_URI string = vault.outputs.uri
output INKFEED_BLOB_CONTAINER_URL string = storage.outputs.containerUrl
output COSMOS_ENDPOINT string = cosmos.outputs.endpoint
output COSMOS_DATABASE string = databaseName
// Tells the hooks on every machine that the vault already has session keys.
output INKFEED_SESSION_KEYS_STORED string = 'true'
