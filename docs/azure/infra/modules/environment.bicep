// The Container Apps environment: where the container app runs, and where its logs go.

@description('Name of the environment.')
param name string

@description('Region of the environment.')
param location string

@description('Tags of the environment.')
param tags object

@description('Resource id of the Log Analytics workspace.')
param workspaceId string

@description('Resource id of a subnet; empty: a network of the platform.')
param subnetId string

resource apps 'Microsoft.App/managedEnvironments@2025-01-01' = {
  name: name
  location: location
  tags: tags
  properties: {
    workloadProfiles: [
      { name: 'Consumption', workloadProfileType: 'Consumption' }
    ]
    vnetConfiguration: empty(subnetId) ? null : { infrastructureSubnetId: subnetId, internal: false }
    // Logs go to the workspace by the diagnostic settings below, which need no key of the workspace.
    appLogsConfiguration: { destination: 'azure-monitor' }
  }
}

resource logs 'Microsoft.Insights/diagnosticSettings@2021-05-01-preview' = {
  scope: apps
  name: 'logs'
  properties: {
    workspaceId: workspaceId
    logs: [
      { category: 'ContainerAppConsoleLogs', enabled: true }
      { category: 'ContainerAppSystemLogs', enabled: true }
    ]
  }
}

output name string = apps.name
