package embedded

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"inkfeed/cosmos/embedded/internal/apierror"
	"inkfeed/cosmos/embedded/internal/charge"
	"inkfeed/cosmos/embedded/internal/value"
)

// The constant parts of the account document. The query limits are a JSON document in a string,
// which some SDKs parse.
const (
	queryLimits = `{"maxSqlQueryInputLength":524288,"maxJoinsPerSqlQuery":10,"maxLogicalAndPerSqlQuery":2000,` +
		`"maxLogicalOrPerSqlQuery":2000,"maxUdfRefPerSqlQuery":10,"maxInExpressionItemsCount":16000,` +
		`"queryMaxInMemorySortDocumentCount":500,"maxQueryRequestTimeoutFraction":0.9,` +
		`"sqlAllowNonFiniteNumbers":false,"sqlAllowAggregateFunctions":true,"sqlAllowSubQuery":true,` +
		`"sqlAllowScalarSubQuery":true,"allowNewKeywords":true,"sqlAllowLike":true,"sqlAllowGroupByClause":true,` +
		`"maxSpatialQueryCells":12,"spatialMaxGeometryPointCount":256,"sqlDisableQueryILOptimization":false,` +
		`"sqlDisableFilterPlanOptimization":false}`
	accountTail = `,"userReplicationPolicy":{"asyncReplication":false,"minReplicaSetSize":1,` +
		`"maxReplicasetSize":1},"systemReplicationPolicy":{"minReplicaSetSize":1,"maxReplicasetSize":1},` +
		`"readPolicy":{"primaryReadCoefficient":1,"secondaryReadCoefficient":1},"continuousBackupEnabled":false,` +
		`"enableNRegionSynchronousCommit":false,"enablePerPartitionFailoverBehavior":false,"queryEngineConfiguration":`
)

// readAccount returns the account document, which tells the client the endpoint for all later
// requests.
func (e *Engine) readAccount(q *request) (*response, error) {
	endpoint := e.identity.Endpoint
	if endpoint == "" {
		endpoint = "https://" + q.host() + "/"
	}
	text := func(s string) string { return value.OfString(s).JSON() }
	location := func(r Region) string {
		return `{"name":` + text(r.Name) + `,"databaseAccountEndpoint":` + text(r.Endpoint) + `}`
	}
	writable := location(Region{e.identity.Region, endpoint})
	readable := writable
	for _, r := range e.identity.ReadRegions {
		readable += "," + location(r)
	}
	var b strings.Builder
	b.WriteString(`{"_self":"","id":` + text(e.identity.Name) + `,"_rid":` + text(e.identity.Name))
	b.WriteString(`,"media":"//media/","addresses":"//addresses/","_dbs":"//dbs/","writableLocations":[` + writable +
		`],"readableLocations":[` + readable + `]`)
	b.WriteString(`,"userConsistencyPolicy":{"defaultConsistencyLevel":` + text(e.identity.Consistency) + `}`)
	b.WriteString(`,"enableMultipleWriteLocations":` + strconv.FormatBool(e.identity.MultipleWrites))
	b.WriteString(accountTail + text(queryLimits) + `}`)
	return q.respond(http.StatusOK, []byte(b.String()), charge.MetadataRU), nil
}

// host returns the name and port to which the client sent the request.
func (q *request) host() string {
	if q.Host != "" {
		return q.Host
	}
	return q.URL.Host
}

// Defaults of the fields of Identity.
const (
	defaultName        = "inkfeed"
	defaultRegion      = "South Central US" // the region of Microsoft's emulator
	defaultConsistency = "Session"
)

// Identity describes the account to clients. Empty fields have defaults.
type Identity struct {
	Name        string // account name
	Region      string // the region of this engine, to which clients write
	Consistency string // default consistency level

	// MultipleWrites makes the account announce multiple write regions. It has no other effect.
	MultipleWrites bool

	// ReadRegions are further regions that the account announces for reading. The engine does not replicate:
	// what answers at their endpoints is up to the caller.
	ReadRegions []Region

	// Endpoint is the address to which clients send requests after the first. If it is empty, the
	// address of the first request is used.
	Endpoint string
}

// Region is a region of an account with the address that serves it.
type Region struct{ Name, Endpoint string }

// EmulatorIdentity returns the identity of Microsoft's emulator at an address, for clients and test
// suites that check it.
func EmulatorIdentity(endpoint string) Identity {
	return Identity{Name: "localhost", Consistency: "Strong", Endpoint: endpoint}
}

// levels are the consistency levels from strongest to weakest. The engine has one copy of the data
// and reads the last commit, so it satisfies every level.
var levels = []string{"Strong", "BoundedStaleness", "Session", "ConsistentPrefix", "Eventual"}

func levelOf(name string) int { return slices.Index(levels, name) }

// complete returns the identity with defaults for empty fields.
func (i Identity) complete() (Identity, error) {
	i.Name = cmp.Or(i.Name, defaultName)
	i.Region = cmp.Or(i.Region, defaultRegion)
	i.Consistency = cmp.Or(i.Consistency, defaultConsistency)
	if levelOf(i.Consistency) < 0 {
		return i, fmt.Errorf("the consistency level %q is none of %s", i.Consistency, strings.Join(levels, ", "))
	}
	if u, err := url.Parse(i.Endpoint); i.Endpoint != "" && (err != nil || u.Scheme != "https" || u.Host == "" ||
		u.Path != "/") {
		return i, fmt.Errorf("the endpoint %q is not like https://localhost:8081/", i.Endpoint)
	}
	return i, nil
}

// checkConsistency fails if a request asks for a level stronger than the account's.
func (e *Engine) checkConsistency(level string) error {
	if level == "" {
		return nil
	}
	n := levelOf(level)
	if n < 0 {
		return apierror.BadRequest("The consistency level %q is none of %s.", level, strings.Join(levels, ", "))
	}
	if n < levelOf(e.identity.Consistency) {
		return apierror.BadRequest("The consistency level %q is stronger than the account's, %s.", level,
			e.identity.Consistency)
	}
	return nil
}
