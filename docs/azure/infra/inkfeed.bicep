// The container app. `azd deploy` applies this file with the image that it has just pushed.

@description('Name of the azd environment.')
param environmentName string

@description('Region of the container app.')
param location string

@description('The container image.')
param imageName string

@description('Name of the Container Apps environment.')
param appsEnvironmentName string

@description('Login server of the registry of the image.')
param registryServer string

@description('Resource id of the identity of the container app.')
param identityId string

@description('Client id of the same identity.')
param identityClientId string

@description('Address of the vault of the secrets, which ends in a slash.')
param vaultUri string

@description('Address of the Cosmos DB account.')
param cosmosEndpoint string

@description('Name of the database.')
param databaseName string

@description('A second region of the account; empty: none.')
param secondRegion string = ''

@description('Address of the container of the pictures.')
param blobContainerUrl string

@description('Public address of the site, such as https://blog.example.org; empty: the address of the container app.')
param siteUrl string = ''

@description('Resource id of the certificate of the host in siteUrl, from the environment; empty: no custom domain.')
param certificateId string = ''

@description('Sender of mails; empty: no mail server. Otherwise the vault has the secret smtp-url.')
param mailFrom string = ''

@description('Addresses of the proxies of the environment. If they are wrong, the log of Inkfeed names the right ones.')
param trustedProxies string = '100.100.0.0/16'

@minValue(1)
@description('Least number of replicas. The workers run within them, so it is at least one.')
param minReplicas int = 1

@description('Highest number of replicas.')
param maxReplicas int = 4

@description('Send traces to Application Insights, by a collector beside Inkfeed.')
param tracing bool = true

@description('Share of requests that are traced, from 0 to 1.')
param traceShare string = '0.01'

@description('Image of the OpenTelemetry Collector with its exporter for Azure Monitor.')
param collectorImage string = 'docker.io/otel/opentelemetry-collector-contrib:0.136.0'

var port = 8080

resource apps 'Microsoft.App/managedEnvironments@2025-01-01' existing = {
  name: appsEnvironmentName
}

var name = 'inkfeed'
var url = empty(siteUrl) ? 'https://${name}.${apps.properties.defaultDomain}' : siteUrl

var sessionKeys = { name: 'session-keys', keyVaultUrl: '${vaultUri}secrets/session-keys', identity: identityId }
var smtpUrl = { name: 'smtp-url', keyVaultUrl: '${vaultUri}secrets/smtp-url', identity: identityId }
var insightsConnection = {
  name: 'insights-connection'
  keyVaultUrl: '${vaultUri}secrets/insights-connection'
  identity: identityId
}

var variables = [
  { name: 'INKFEED_ADDR', value: '0.0.0.0:${port}' }
  { name: 'INKFEED_URL', value: url }
  { name: 'INKFEED_TRUSTED_PROXIES', value: trustedProxies }
  { name: 'INKFEED_SESSION_KEYS', secretRef: 'session-keys' }
  { name: 'INKFEED_CACHE_MB', value: '256' }
  { name: 'INKFEED_DRAIN_TIME', value: '5s' }
  { name: 'INKFEED_FINISH_TIME', value: '20s' }
  { name: 'INKFEED_LOG_FORMAT', value: 'json' }
  { name: 'COSMOS_ENDPOINT', value: cosmosEndpoint }
  { name: 'COSMOS_DATABASE', value: databaseName }
  { name: 'COSMOS_REGIONS', value: empty(secondRegion) ? location : '${location},${secondRegion}' }
  { name: 'INKFEED_BLOB_CONTAINER_URL', value: blobContainerUrl }
  // The managed identity whose tokens Inkfeed requests, without looking for the log-in of a developer.
  { name: 'AZURE_TOKEN_CREDENTIALS', value: 'prod' }
  { name: 'AZURE_CLIENT_ID', value: identityClientId }
  // Go's garbage collector keeps the process below this limit. The rest of the container's memory is for a process that
  // reads an uploaded blog.
  { name: 'GOMEMLIMIT', value: '700MiB' }
]

var mailVariables = [
  { name: 'INKFEED_MAIL_FROM', value: mailFrom }
  { name: 'INKFEED_SMTP_URL', secretRef: 'smtp-url' }
]

// Metrics stay off, because storing them would cost more than they tell: see /admin/costs.
var tracingVariables = [
  { name: 'OTEL_EXPORTER_OTLP_ENDPOINT', value: 'http://127.0.0.1:4318' }
  { name: 'OTEL_SERVICE_NAME', value: name }
  { name: 'OTEL_METRICS_EXPORTER', value: 'none' }
  { name: 'OTEL_TRACES_SAMPLER', value: 'parentbased_traceidratio' }
  { name: 'OTEL_TRACES_SAMPLER_ARG', value: traceShare }
]

var inkfeed = {
  name: name
  image: imageName
  resources: { cpu: json('0.5'), memory: '1Gi' }
  env: concat(variables, empty(mailFrom) ? [] : mailVariables, tracing ? tracingVariables : [])
  probes: [
    {
      type: 'Startup'
      httpGet: { path: '/healthz', port: port, scheme: 'HTTP' }
      periodSeconds: 5
      timeoutSeconds: 5
      failureThreshold: 10
    }
    {
      type: 'Liveness'
      httpGet: { path: '/healthz', port: port, scheme: 'HTTP' }
      periodSeconds: 10
      timeoutSeconds: 5
      failureThreshold: 3
    }
    {
      type: 'Readiness'
      httpGet: { path: '/readyz', port: port, scheme: 'HTTP' }
      periodSeconds: 5
      timeoutSeconds: 5
      failureThreshold: 3
    }
  ]
}

// The agent of the Container Apps environment would do instead, but it accepts OTLP by gRPC only.
var collector = {
  name: 'collector'
  image: collectorImage
  args: ['--config=env:COLLECTOR_CONFIGURATION']
  resources: { cpu: json('0.25'), memory: '0.5Gi' }
  env: [
    { name: 'COLLECTOR_CONFIGURATION', value: loadTextContent('collector.yaml') }
    { name: 'APPLICATIONINSIGHTS_CONNECTION_STRING', secretRef: 'insights-connection' }
  ]
}

resource app 'Microsoft.App/containerApps@2025-01-01' = {
  name: name
  location: location
  tags: { 'azd-env-name': environmentName, 'azd-service-name': 'inkfeed' }
  identity: {
    type: 'UserAssigned'
    userAssignedIdentities: { '${identityId}': {} }
  }
  properties: {
    environmentId: apps.id
    workloadProfileName: 'Consumption'
    configuration: {
      // A new revision takes over when it is ready. Sticky sessions require this mode.
      activeRevisionsMode: 'Single'
      maxInactiveRevisions: 5
      ingress: {
        external: true
        targetPort: port
        transport: 'auto'
        allowInsecure: false
        // A visitor stays on one replica, which has seen their writes.
        stickySessions: { affinity: 'sticky' }
        customDomains: empty(certificateId)
          ? []
          : [{ name: split(url, '/')[2], certificateId: certificateId, bindingType: 'SniEnabled' }]
      }
      registries: [
        { server: registryServer, identity: identityId }
      ]
      secrets: concat(
        [sessionKeys],
        empty(mailFrom) ? [] : [smtpUrl],
        tracing ? [insightsConnection] : []
      )
    }
    template: {
      // At least the sum of INKFEED_DRAIN_TIME, INKFEED_FINISH_TIME and ten seconds.
      terminationGracePeriodSeconds: 40
      containers: tracing ? [inkfeed, collector] : [inkfeed]
      scale: {
        minReplicas: minReplicas
        maxReplicas: maxReplicas
        rules: [
          { name: 'requests', http: { metadata: { concurrentRequests: '100' } } }
          { name: 'processor', custom: { type: 'cpu', metadata: { type: 'Utilization', value: '70' } } }
        ]
      }
    }
  }
}

output INKFEED_ADDRESS string = url
