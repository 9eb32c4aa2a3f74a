// The workspace that stores logs and traces, and Application Insights as the view on the traces.

@description('Name of the Log Analytics workspace.')
param workspaceName string

@description('Name of the Application Insights component.')
param insightsName string

@description('Region of both.')
param location string

@description('Tags of both.')
param tags object

@description('Logs and traces that the workspace accepts in a day, in GB. This bounds their cost.')
param dailyQuotaGb int = 1

resource workspace 'Microsoft.OperationalInsights/workspaces@2025-07-01' = {
  name: workspaceName
  location: location
  tags: tags
  properties: {
    sku: { name: 'PerGB2018' }
    retentionInDays: 30
    workspaceCapping: { dailyQuotaGb: dailyQuotaGb }
    features: { disableLocalAuth: true }
  }
}

// The collector beside Inkfeed sends traces with this component's connection string, the only way that its exporter
// knows. So local authentication stays enabled here. The string allows sending, but not reading.
resource insights 'Microsoft.Insights/components@2020-02-02' = {
  name: insightsName
  location: location
  tags: tags
  kind: 'web'
  properties: {
    Application_Type: 'web'
    WorkspaceResourceId: workspace.id
    IngestionMode: 'LogAnalytics'
  }
}

output workspaceId string = workspace.id
output insightsName string = insights.name
