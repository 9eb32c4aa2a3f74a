package catalog

import (
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"inkfeed/cosmos/embedded/internal/apierror"
	"inkfeed/cosmos/embedded/internal/value"
)

// Prepare derives the fields that requests use from the definition. It fails if the definition is
// not valid.
func (c *Container) Prepare() error {
	c.name()
	def := c.Definition
	if err := c.readPartitionKey(def.Member("partitionKey")); err != nil {
		return err
	}
	policy, err := ReadIndexingPolicy(def.Member("indexingPolicy"))
	if err != nil {
		return err
	}
	c.Policy = policy
	if ttl := def.Member("defaultTtl"); ttl.Kind() > value.Null {
		n, err := CheckTTL(ttl)
		if err != nil {
			return err
		}
		c.TTL = &n
	}
	if c.TTL != nil && policy.none {
		return apierror.BadRequest("A default time to live cannot be combined with the indexing mode none.")
	}
	if c.UniqueKeys, err = readUniqueKeys(def.Member("uniqueKeyPolicy")); err != nil {
		return err
	}
	paths := c.indexedPaths()
	if len(paths) > MaxKeyColumns {
		return apierror.BadRequest("The policies of a container name at most %d paths one by one.", MaxKeyColumns)
	}
	c.Table = newTable(c.Num, paths)
	c.Schema = c.querySchema()
	return nil
}

// CheckDefinition reports an invalid definition before the definition is sent to the writer. CheckRequest checks more.
func CheckDefinition(def value.Value) error {
	return (&Container{Database: new(Database), Definition: def}).Prepare()
}

const maxKeyPaths = 3

func (c *Container) readPartitionKey(def value.Value) error {
	paths := def.Member("paths").Elems()
	kind := def.Member("kind").Str()
	c.multiHash = kind == "MultiHash"
	if !c.multiHash && kind != "" && kind != "Hash" {
		return apierror.BadRequest("The partition key kind '%s' is not supported.", kind)
	}
	if len(paths) == 0 || len(paths) > maxKeyPaths || len(paths) > 1 && !c.multiHash {
		return apierror.BadRequest("A partition key of kind %s cannot have %d paths.", kind, len(paths))
	}
	if version, _ := def.Member("version").Int(); version == 1 {
		return apierror.BadRequest("Partition key version 1 is not supported; use version 2.")
	}
	c.KeyPaths = nil
	for _, p := range paths {
		steps, err := ParsePath(p.Str())
		if err != nil || len(steps) == 0 || slices.Contains(steps, "") {
			return apierror.BadRequest("The partition key path '%s' is not valid.", p.Str())
		}
		c.KeyPaths = append(c.KeyPaths, steps)
	}
	c.SystemKey = def.Member("systemKey").IsTrue()
	c.KeyIsID = len(paths) == 1 && paths[0].Str() == "/id"
	return nil
}

// defaultPolicies are the policies of a container whose definition has none.
var defaultPolicies = []struct{ name, json string }{
	{"indexingPolicy",
		`{"indexingMode":"consistent","automatic":true,"includedPaths":[{"path":"/*"}],` +
			`"excludedPaths":[{"path":"/\"_etag\"/?"}]}`},
	{"conflictResolutionPolicy",
		`{"mode":"LastWriterWins","conflictResolutionPath":"/_ts","conflictResolutionProcedure":""}`},
	{"geospatialConfig", `{"type":"Geography"}`},
}

// Complete adds the defaults that the service adds to a definition, and leaves out what the service leaves out.
func Complete(def value.Value) value.Value {
	def = def.Without(func(name string) bool {
		_, supported := definitionForms[name]
		return isAnswer(name) || !supported && asksNothing(def.Member(name))
	})
	key := def.Member("partitionKey")
	if !key.Member("kind").Defined() {
		key = key.With("kind", value.OfString("Hash"))
	}
	if !key.Member("version").Defined() {
		key = key.With("version", value.OfInt(2))
	}
	def = def.With("partitionKey", key)
	if policy := def.Member("indexingPolicy"); policy.Kind() == value.Object {
		def = def.With("indexingPolicy", completePolicy(policy))
	}
	for _, p := range defaultPolicies {
		if def.Member(p.name).Kind() <= value.Null {
			v, _ := value.Parse(p.json) // a constant
			def = def.With(p.name, v)
		}
	}
	return def.Without(func(name string) bool { return def.Member(name).Kind() == value.Null })
}

func completePolicy(policy value.Value) value.Value {
	mode := strings.ToLower(policy.Member("indexingMode").Str())
	if mode == "" {
		mode = "consistent"
	}
	policy = policy.With("indexingMode", value.OfString(mode))
	if !policy.Member("automatic").Defined() {
		policy = policy.With("automatic", value.OfBool(true))
	}
	for _, name := range []string{"includedPaths", "excludedPaths"} {
		if policy.Member(name).Kind() <= value.Null {
			policy = policy.With(name, value.OfArray(nil))
		}
		policy = mapElements(policy, name, func(path value.Value) value.Value {
			return path.Without(func(name string) bool { return name == "indexes" })
		})
	}
	policy = mapElements(policy, "spatialIndexes", func(index value.Value) value.Value {
		types, _ := value.Parse(`["Point","LineString","Polygon","MultiPolygon"]`) // a constant
		return index.With("types", types)
	})
	if mode == "none" {
		return policy
	}
	if len(policy.Member("includedPaths").Elems())+len(policy.Member("excludedPaths").Elems()) == 0 {
		policy = withPath(policy, "includedPaths", "/*")
	}
	if !namesETag(policy.Member("includedPaths")) && !namesETag(policy.Member("excludedPaths")) {
		policy = withPath(policy, "excludedPaths", `/"_etag"/?`)
	}
	return policy
}

// mapElements replaces the elements of a list in an indexing policy, if it has this list.
func mapElements(policy value.Value, name string, replace func(value.Value) value.Value) value.Value {
	elems := slices.Clone(policy.Member(name).Elems())
	for i, e := range elems {
		elems[i] = replace(e)
	}
	if len(elems) == 0 {
		return policy
	}
	return policy.With(name, value.OfArray(elems))
}

// withPath adds a path to the included or excluded paths of an indexing policy.
func withPath(policy value.Value, name, path string) value.Value {
	added := value.OfObject([]value.Member{{Name: "path", Value: value.OfString(path)}})
	return policy.With(name, value.OfArray(append(slices.Clone(policy.Member(name).Elems()), added)))
}

// namesETag reports whether a list of paths contains the etag's path. The service excludes the etag
// from an index unless the policy names it, as the tests of Microsoft's SDKs expect.
func namesETag(paths value.Value) bool {
	return slices.ContainsFunc(paths.Elems(), func(entry value.Value) bool {
		steps, err := ParsePath(entry.Member("path").Str())
		return err == nil && len(steps) > 0 && steps[0] == "_etag"
	})
}

// Document returns the container as clients see it.
func (c *Container) Document() value.Value {
	members := slices.Clone(c.Definition.Members())
	text := func(name, s string) {
		members = append(members, value.Member{Name: name, Value: value.OfString(s)})
	}
	text("_rid", c.Rid())
	members = append(members, value.Member{Name: "_ts", Value: value.OfInt(c.TS)})
	text("_self", c.Self())
	text("_etag", c.ETAG())
	for _, feed := range containerFeeds {
		text("_"+feed, feed+"/")
	}
	return value.OfObject(members)
}

// containerFeeds are the feeds below a container to which its document links.
var containerFeeds = []string{"docs", "sprocs", "triggers", "udfs", "conflicts"}

// ETAG returns the etag of the definition.
func (c *Container) ETAG() string { return FormatETag(c.Revision, c.TS) }

// CheckUnchangeable fails if a new definition changes the id, the partition key or the unique keys of a
// container.
func CheckUnchangeable(old, next value.Value) error {
	if !value.Equal(old.Member("id"), next.Member("id")) {
		return apierror.BadRequest("The id of a container cannot be changed.")
	}
	if !value.Equal(old.Member("partitionKey"), next.Member("partitionKey")) {
		return apierror.BadRequest("The partition key of a container cannot be changed.")
	}
	keys := func(def value.Value) value.Value {
		return value.OfArray(def.Member("uniqueKeyPolicy").Member("uniqueKeys").Elems())
	}
	if !value.Equal(keys(old), keys(next)) {
		return apierror.New(http.StatusForbidden, apierror.SubNone, "The unique index cannot be modified.")
	}
	return nil
}

// CheckTTL reads a time to live: a number of seconds, or -1 for items that never expire.
func CheckTTL(v value.Value) (int64, error) {
	n, ok := v.Int()
	if !ok || n != -1 && (n < 1 || n > math.MaxInt32) {
		return 0, apierror.BadRequest("The time to live %s is not valid: it is -1 or from 1 to %d.", v.JSON(),
			math.MaxInt32)
	}
	return n, nil
}

// maxName is the maximum length of a database's or container's name in characters.
const maxName = 255

// CheckName fails if a text is not a valid name of a database or container.
func CheckName(id string) error {
	if id == "" || utf8.RuneCountInString(id) > maxName || strings.ContainsAny(id, `/\#?`) ||
		strings.HasSuffix(id, " ") {
		return apierror.BadRequest("The resource name %s is not valid.", strconv.Quote(id))
	}
	return nil
}

// Expiry returns the time at which an item written at ts expires, in Unix seconds. It is nil if the
// item never expires.
func (c *Container) Expiry(ts int64, ttl *int64) *int64 {
	if c.TTL == nil {
		return nil
	}
	if ttl == nil {
		ttl = c.TTL
	}
	if *ttl <= 0 {
		return nil
	}
	at := ts + *ttl
	return &at
}
