package embedded

import (
	"net/http"

	"inkfeed/cosmos/embedded/internal/apierror"
	"inkfeed/cosmos/embedded/internal/catalog"
	"inkfeed/cosmos/embedded/internal/value"
)

// API versions before 2018-12-31 support containers without a partition key. Such a container has
// one feed range and at most 10,000 RU/s, and its items are addressed by id alone. Newer versions
// show it with a partition key that the system made, and address items without a key by the empty
// key, []. See
// https://learn.microsoft.com/azure/cosmos-db/migrate-containers-partitioned-to-nonpartitioned. The
// member systemKey and the empty key are as in Microsoft's SDKs for .NET and JavaScript.

// keyedVersion is the first API version in which each container has a partition key.
const keyedVersion = "2018-12-31"

// systemKey is the partition key definition of a container that was created without one.
const systemKey = `{"paths":["/_partitionKey"],"kind":"Hash","version":2,"systemKey":true}`

// legacy reports whether the client's API version supports containers without a partition key.
// Versions are dates. A request without a version counts as one of the newest version.
func (q *request) legacy() bool {
	version := q.header("X-Ms-Version")
	return version != "" && version < keyedVersion
}

// readDefinition reads the definition of a container and adds what the service adds to it.
func (q *request) readDefinition() (value.Value, error) {
	def, err := q.json()
	if err != nil {
		return def, err
	}
	key := def.Member("partitionKey")
	switch {
	case def.Member("defaultTtl").Kind() == value.Null:
		return def, apierror.BadRequest("The default time to live is null. Leave it out, or set -1 or a number of seconds.")
	case key.Member("systemKey").IsTrue() && q.Method == http.MethodPost:
		return def, apierror.BadRequest(
			"A systemKey marks containers that were created without a partition key. It cannot be set.",
		)
	case key.Kind() > value.Null:
	case !q.legacy():
		return def, apierror.BadRequest(
			"The definition of a container has no partition key. Only API versions before %s create "+
				"containers without one.",
			keyedVersion,
		)
	default:
		key, _ = value.Parse(systemKey) // a constant
		def = def.With("partitionKey", key)
	}
	def = catalog.Complete(def)
	return def, catalog.CheckDefinition(def)
}

// shown returns the definition of a container as the client's API version shows it.
func (q *request) shown(c *catalog.Container) value.Value {
	if c.SystemKey && q.legacy() {
		return c.Document().Without(func(name string) bool { return name == "partitionKey" })
	}
	return c.Document()
}

// keyText returns the partition key header. If the client's API version sees no partition key on
// the container, it returns the key of items without one.
func (q *request) keyText(c *catalog.Container) string {
	text := q.header(keyHeader)
	if text == "" && c.SystemKey && q.legacy() {
		return "[]"
	}
	return text
}
