// The Container Apps environment: where the container app runs, and where its logs and traces go.

@description('Name of the environment.')
param name string

@description('Region of the environment.')
param location string

@description('Tags of the environment.')
param tags object

@description('Resource id of the Log Analytics workspace.')
param workspaceId string

@description('Name of the Application Insights component.')
param insightsName string

@description('Resource id of a subnet; empty: a network of the platform.')
param subnetId string

resource insights 'Microsoft.Insights/components@2020-02-02' existing = {
  name: insightsName
}

// The newest stable version at the time of writing, 2025-01-01, has no OpenTelemetry agent.
resource apps 'Microsoft.App/managedEnvironments@2024-10-02-preview' = {
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
    appInsightsConfiguration: { connectionString: insights.properties.ConnectionString }
    openTelemetryConfiguration: {
      tracesConfiguration: { destinations: ['appInsights'] }
    }
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
