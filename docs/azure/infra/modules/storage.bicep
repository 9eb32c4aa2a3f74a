// The storage account of the pictures, which accepts tokens only.

@description('Name of the account: lower-case letters and digits, at most 24.')
param name string

@description('Region of the account.')
param location string

@description('Tags of the account.')
param tags object

@description('Principal id of the identity that reads and writes pictures.')
param principalId string

@description('Id of a user or group with the same access; empty: none.')
param operatorId string

@description('Copy the pictures to the paired region, too.')
param copiedToAnotherRegion bool

@description('Accept requests from the internet.')
param publicAccess bool

// Storage Blob Data Contributor.
var contributorRole = subscriptionResourceId(
  'Microsoft.Authorization/roleDefinitions',
  'ba92f5b4-2d11-453d-a403-e96b0029c9fe'
)

resource account 'Microsoft.Storage/storageAccounts@2024-01-01' = {
  name: name
  location: location
  tags: tags
  kind: 'StorageV2'
  sku: { name: copiedToAnotherRegion ? 'Standard_GRS' : 'Standard_LRS' }
  properties: {
    allowSharedKeyAccess: false
    allowBlobPublicAccess: false
    minimumTlsVersion: 'TLS1_2'
    supportsHttpsTrafficOnly: true
    publicNetworkAccess: publicAccess ? 'Enabled' : 'Disabled'
  }
}

resource blobs 'Microsoft.Storage/storageAccounts/blobServices@2024-01-01' = {
  parent: account
  name: 'default'
  properties: {
    deleteRetentionPolicy: { enabled: true, days: 30 }
    containerDeleteRetentionPolicy: { enabled: true, days: 30 }
  }
}

resource pictures 'Microsoft.Storage/storageAccounts/blobServices/containers@2024-01-01' = {
  parent: blobs
  name: 'media'
  properties: { publicAccess: 'None' }
}

resource contributor 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  scope: pictures
  name: guid(pictures.id, principalId, contributorRole)
  properties: {
    principalId: principalId
    principalType: 'ServicePrincipal'
    roleDefinitionId: contributorRole
  }
}

resource operator 'Microsoft.Authorization/roleAssignments@2022-04-01' = if (!empty(operatorId)) {
  scope: pictures
  name: guid(pictures.id, operatorId, contributorRole)
  properties: {
    principalId: operatorId
    roleDefinitionId: contributorRole
  }
}

output id string = account.id
output containerUrl string = '${account.properties.primaryEndpoints.blob}${pictures.name}'
