// The vault of the secrets: the session keys, the address of a mail server, and where traces are sent.

@description('Name of the vault, at most 24 characters.')
param name string

@description('Region of the vault.')
param location string

@description('Tags of the vault.')
param tags object

@description('Principal id of the identity that reads the secrets.')
param principalId string

@description('Id of a user or group that reads and writes the secrets; empty: none.')
param operatorId string

@secure()
@description('New value of the secret session-keys; empty: the secret stays.')
param sessionKeys string

@secure()
@description('New value of the secret smtp-url; empty: the secret stays.')
param smtpUrl string

@description('Name of the Application Insights component.')
param insightsName string

@description('Accept requests from the internet.')
param publicAccess bool

// Key Vault Secrets User.
var readerRole = subscriptionResourceId(
  'Microsoft.Authorization/roleDefinitions',
  '4633458b-17de-408a-875c-0445a86db7d6'
)

// Key Vault Secrets Officer.
var officerRole = subscriptionResourceId(
  'Microsoft.Authorization/roleDefinitions',
  'b86a8fe4-44ce-4948-aee5-eccb2c155cd7'
)

resource vault 'Microsoft.KeyVault/vaults@2024-11-01' = {
  name: name
  location: location
  tags: tags
  properties: {
    tenantId: tenant().tenantId
    sku: { family: 'A', name: 'standard' }
    enableRbacAuthorization: true
    enablePurgeProtection: true
    softDeleteRetentionInDays: 90
    publicNetworkAccess: publicAccess ? 'Enabled' : 'Disabled'
  }
}

resource sessionKeysSecret 'Microsoft.KeyVault/vaults/secrets@2024-11-01' = if (!empty(sessionKeys)) {
  parent: vault
  name: 'session-keys'
  properties: { value: sessionKeys }
}

resource smtpSecret 'Microsoft.KeyVault/vaults/secrets@2024-11-01' = if (!empty(smtpUrl)) {
  parent: vault
  name: 'smtp-url'
  properties: { value: smtpUrl }
}

resource insights 'Microsoft.Insights/components@2020-02-02' existing = {
  name: insightsName
}

resource insightsSecret 'Microsoft.KeyVault/vaults/secrets@2024-11-01' = {
  parent: vault
  name: 'insights-connection'
  properties: { value: insights.properties.ConnectionString }
}

resource reader 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  scope: vault
  name: guid(vault.id, principalId, readerRole)
  properties: {
    principalId: principalId
    principalType: 'ServicePrincipal'
    roleDefinitionId: readerRole
  }
}

resource operator 'Microsoft.Authorization/roleAssignments@2022-04-01' = if (!empty(operatorId)) {
  scope: vault
  name: guid(vault.id, operatorId, officerRole)
  properties: {
    principalId: operatorId
    roleDefinitionId: officerRole
  }
}

output id string = vault.id
output uri string = vault.properties.vaultUri
