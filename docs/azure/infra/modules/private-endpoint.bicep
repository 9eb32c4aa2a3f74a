// A private endpoint of one service, with the DNS zone by which the service's name leads to it.

@description('Name of the endpoint.')
param name string

@description('Region of the endpoint.')
param location string

@description('Tags of the endpoint and of the zone.')
param tags object

@description('Resource id of the service.')
param serviceId string

@description('Part of the service that the endpoint reaches, such as Sql.')
param groupId string

@description('Name of the private DNS zone.')
param zoneName string

@description('Resource id of the virtual network.')
param networkId string

@description('Resource id of the subnet of the endpoint.')
param subnetId string

resource zone 'Microsoft.Network/privateDnsZones@2024-06-01' = {
  name: zoneName
  location: 'global'
  tags: tags
}

resource link 'Microsoft.Network/privateDnsZones/virtualNetworkLinks@2024-06-01' = {
  parent: zone
  name: 'inkfeed'
  location: 'global'
  tags: tags
  properties: {
    registrationEnabled: false
    virtualNetwork: { id: networkId }
  }
}

resource endpoint 'Microsoft.Network/privateEndpoints@2024-05-01' = {
  name: name
  location: location
  tags: tags
  properties: {
    subnet: { id: subnetId }
    privateLinkServiceConnections: [
      { name: name, properties: { privateLinkServiceId: serviceId, groupIds: [groupId] } }
    ]
  }
}

resource zoneGroup 'Microsoft.Network/privateEndpoints/privateDnsZoneGroups@2024-05-01' = {
  parent: endpoint
  name: 'default'
  properties: {
    privateDnsZoneConfigs: [
      { name: 'zone', properties: { privateDnsZoneId: zone.id } }
    ]
  }
}
