// The Cosmos DB account with its database and containers. It accepts tokens only: it has no usable key.

@description('Name of the account.')
param name string

@description('Region of the account, where it is written.')
param location string

@description('A region to fail over to; empty: none.')
param secondRegion string

@description('Tags of the account.')
param tags object

@description('Name of the database.')
param databaseName string

@description('Throughput that the containers share, in RU/s.')
param sharedThroughput int

@description('Maximum throughput of each container with a throughput of its own, in RU/s.')
param autoscaleMaximum int

@description('Principal id of the identity that reads and writes items.')
param principalId string

@description('Id of a user or group with the same access; empty: none.')
param operatorId string

@description('Accept requests from the internet.')
param publicAccess bool

@allowed(['Continuous7Days', 'Continuous30Days'])
@description('How far back the account can be restored.')
param backupTier string = 'Continuous7Days'

var regions = empty(secondRegion) ? [location] : [location, secondRegion]

resource account 'Microsoft.DocumentDB/databaseAccounts@2024-11-15' = {
  name: name
  location: location
  tags: tags
  kind: 'GlobalDocumentDB'
  properties: {
    databaseAccountOfferType: 'Standard'
    locations: [
      for (region, i) in regions: { locationName: region, failoverPriority: i, isZoneRedundant: false }
    ]
    // Inkfeed refuses a weaker level, and several write regions: see docs/operations.md.
    consistencyPolicy: { defaultConsistencyLevel: 'Session' }
    enableMultipleWriteLocations: false
    // Without effect on one region. The service refuses to change it together with the regions.
    enableAutomaticFailover: true
    disableLocalAuth: true
    minimalTlsVersion: 'Tls12'
    publicNetworkAccess: publicAccess ? 'Enabled' : 'Disabled'
    backupPolicy: {
      type: 'Continuous'
      continuousModeProperties: { tier: backupTier }
    }
  }
}

resource database 'Microsoft.DocumentDB/databaseAccounts/sqlDatabases@2024-11-15' = {
  parent: account
  name: databaseName
  properties: {
    resource: { id: databaseName }
    options: { throughput: sharedThroughput }
  }
}

module containers 'containers.bicep' = {
  name: 'containers'
  params: {
    accountName: account.name
    databaseName: database.name
    // These containers serve the pages that the cache does not have, so their load follows the visitors. The others
    // serve the workers, sessions and moderators, evenly.
    autoscaled: ['posts', 'tags', 'users']
    autoscaleMaximum: autoscaleMaximum
  }
}

// Cosmos DB Built-in Data Contributor: items and metadata, but no databases, containers, throughput or keys.
var contributorRole = '${account.id}/sqlRoleDefinitions/00000000-0000-0000-0000-000000000002'
var scope = '${account.id}/dbs/${databaseName}'

resource contributor 'Microsoft.DocumentDB/databaseAccounts/sqlRoleAssignments@2024-11-15' = {
  parent: account
  name: guid(account.id, databaseName, principalId, contributorRole)
  properties: {
    principalId: principalId
    roleDefinitionId: contributorRole
    scope: scope
  }
  dependsOn: [database]
}

resource operator 'Microsoft.DocumentDB/databaseAccounts/sqlRoleAssignments@2024-11-15' = if (!empty(operatorId)) {
  parent: account
  name: guid(account.id, databaseName, operatorId, contributorRole)
  properties: {
    principalId: operatorId
    roleDefinitionId: contributorRole
    scope: scope
  }
  dependsOn: [database]
}

output id string = account.id
output endpoint string = account.properties.documentEndpoint
