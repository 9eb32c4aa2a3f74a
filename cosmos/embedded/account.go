package embedded

import (
	"net/http"
	"strconv"
	"strings"

	"inkfeed/cosmos/embedded/internal/charge"
	"inkfeed/cosmos/embedded/internal/value"
)

// What the account says of itself that is the same for all. The limits of queries are a
// JSON document in a string, which some SDKs parse.
const (
	queryLimits = `{"maxSqlQueryInputLength":524288,"maxJoinsPerSqlQuery":10,"maxLogicalAndPerSqlQuery":2000,"maxLogicalOrPerSqlQuery":2000,"maxUdfRefPerSqlQuery":10,"maxInExpressionItemsCount":16000,"queryMaxInMemorySortDocumentCount":500,"maxQueryRequestTimeoutFraction":0.9,"sqlAllowNonFiniteNumbers":false,"sqlAllowAggregateFunctions":true,"sqlAllowSubQuery":true,"sqlAllowScalarSubQuery":true,"allowNewKeywords":true,"sqlAllowLike":true,"sqlAllowGroupByClause":true,"maxSpatialQueryCells":12,"spatialMaxGeometryPointCount":256,"sqlDisableQueryILOptimization":false,"sqlDisableFilterPlanOptimization":false}`
	accountTail = `,"userReplicationPolicy":{"asyncReplication":false,"minReplicaSetSize":1,"maxReplicasetSize":1},"systemReplicationPolicy":{"minReplicaSetSize":1,"maxReplicasetSize":1},"readPolicy":{"primaryReadCoefficient":1,"secondaryReadCoefficient":1},"continuousBackupEnabled":false,"enableNRegionSynchronousCommit":false,"enablePerPartitionFailoverBehavior":false,"queryEngineConfiguration":`
)

// readAccount tells the client where to send all that follows: unless the identity says
// otherwise, where it is now.
func (e *Engine) readAccount(q *request) (*response, error) {
	endpoint := e.identity.Endpoint
	if endpoint == "" {
		endpoint = "https://" + q.host() + "/"
	}
	text := func(s string) string { return value.OfString(s).JSON() }
	locations := `[{"name":` + text(e.identity.Region) + `,"databaseAccountEndpoint":` + text(endpoint) + `}]`
	var b strings.Builder
	b.WriteString(`{"_self":"","id":` + text(e.identity.Name) + `,"_rid":` + text(e.identity.Name))
	b.WriteString(`,"media":"//media/","addresses":"//addresses/","_dbs":"//dbs/","writableLocations":` + locations + `,"readableLocations":` + locations)
	b.WriteString(`,"userConsistencyPolicy":{"defaultConsistencyLevel":` + text(e.identity.Consistency) + `}`)
	b.WriteString(`,"enableMultipleWriteLocations":` + strconv.FormatBool(e.identity.MultipleWrites))
	b.WriteString(accountTail + text(queryLimits) + `}`)
	return q.respond(http.StatusOK, []byte(b.String()), charge.MetadataRU), nil
}

// host is the name and port that the client asked at.
func (q *request) host() string {
	if q.Host != "" {
		return q.Host
	}
	return q.URL.Host
}
