package embedded

import (
	"net/http"

	"inkfeed/cosmos/embedded/internal/value"
)

const (
	accountName  = "inkfeed"
	regionName   = "South Central US" // what Microsoft's emulator calls its only region
	consistency  = "Session"
	queryLimits  = `{"maxSqlQueryInputLength":524288,"maxJoinsPerSqlQuery":10,"maxLogicalAndPerSqlQuery":2000,"maxLogicalOrPerSqlQuery":2000,"maxUdfRefPerSqlQuery":10,"maxInExpressionItemsCount":16000,"queryMaxInMemorySortDocumentCount":500,"maxQueryRequestTimeoutFraction":0.9,"sqlAllowNonFiniteNumbers":false,"sqlAllowAggregateFunctions":true,"sqlAllowSubQuery":false,"sqlAllowScalarSubQuery":false,"allowNewKeywords":true,"sqlAllowLike":true,"sqlAllowGroupByClause":false,"maxSpatialQueryCells":12,"spatialMaxGeometryPointCount":256,"sqlDisableQueryILOptimization":false,"sqlDisableFilterPlanOptimization":false}`
	accountTail  = `"enableMultipleWriteLocations":false,"userReplicationPolicy":{"asyncReplication":false,"minReplicaSetSize":1,"maxReplicasetSize":1},"userConsistencyPolicy":{"defaultConsistencyLevel":"` + consistency + `"},"systemReplicationPolicy":{"minReplicaSetSize":1,"maxReplicasetSize":1},"readPolicy":{"primaryReadCoefficient":1,"secondaryReadCoefficient":1},"continuousBackupEnabled":false,"enableNRegionSynchronousCommit":false,"enablePerPartitionFailoverBehavior":false,"queryEngineConfiguration":`
	accountStart = `{"_self":"","id":"` + accountName + `","_rid":"` + accountName + `.documents.azure.com","media":"//media/","addresses":"//addresses/","_dbs":"//dbs/",`
)

// readAccount tells the client where to send all that follows: where it is now.
func (e *Engine) readAccount(q *request) (*response, error) {
	host := q.Host
	if host == "" {
		host = q.URL.Host
	}
	location := value.OfString("https://" + host + "/").JSON()
	locations := `[{"name":"` + regionName + `","databaseAccountEndpoint":` + location + `}]`
	body := accountStart + `"writableLocations":` + locations + `,"readableLocations":` + locations + `,` +
		accountTail + value.OfString(queryLimits).JSON() + `}`
	return q.respond(http.StatusOK, []byte(body), metadataRU), nil
}
