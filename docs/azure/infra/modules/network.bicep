// The network of a deployment with private endpoints: a subnet for the container apps, one for the endpoints.

@description('Name of the virtual network.')
param name string

@description('Region of the virtual network.')
param location string

@description('Tags of the virtual network.')
param tags object

resource network 'Microsoft.Network/virtualNetworks@2024-05-01' = {
  name: name
  location: location
  tags: tags
  properties: {
    addressSpace: { addressPrefixes: ['10.0.0.0/16'] }
    subnets: [
      {
        name: 'apps'
        properties: {
          addressPrefix: '10.0.0.0/24'
          delegations: [
            { name: 'container-apps', properties: { serviceName: 'Microsoft.App/environments' } }
          ]
        }
      }
      {
        name: 'endpoints'
        properties: { addressPrefix: '10.0.1.0/24' }
      }
    ]
  }
}

output id string = network.id
output appsSubnetId string = '${network.id}/subnets/apps'
output endpointsSubnetId string = '${network.id}/subnets/endpoints'
