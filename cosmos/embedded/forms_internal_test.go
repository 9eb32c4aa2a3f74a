package embedded

import (
	"strings"
	"testing"
	"time"

	"inkfeed/cosmos/embedded/internal/catalog"
	"inkfeed/cosmos/embedded/internal/items"
	"inkfeed/cosmos/embedded/internal/value"
)

// containerX returns the definition of a container x with further properties.
func containerX(properties string) string {
	return `{"id":"x","partitionKey":{"paths":["/pk"]},` + properties + `}`
}

// TestUnsupportedPropertiesAreRefusedByName sends definitions with one property that the engine does not support, or
// whose value it does not. The refusal names the property.
func TestUnsupportedPropertiesAreRefusedByName(t *testing.T) {
	e, _ := mustEngine(t, Options{}, plainContainer)
	vector := func(name, v string) string {
		entry := map[string]string{"path": `"/v"`, "dataType": `"int8"`, "dimensions": `3`,
			"distanceFunction": `"cosine"`}
		var members []string
		entry[name] = v
		for name, v := range entry {
			if v != "" {
				members = append(members, `"`+name+`":`+v)
			}
		}
		return `"vectorEmbeddingPolicy":{"vectorEmbeddings":[{` + strings.Join(members, ",") + `}]}`
	}
	index := func(entry string) string {
		return vector("path", `"/v"`) + `,"indexingPolicy":{"vectorIndexes":[` + entry + `]}`
	}
	const words = `"fullTextPolicy":{"defaultLanguage":"en-US","fullTextPaths":[{"path":"/a"}]}`
	for name, tt := range map[string]struct{ part, property string }{
		"computed properties": {`"computedProperties":[{"name":"low","query":"SELECT VALUE LOWER(c.a) FROM c"}]`,
			"computedProperties"},
		"a change feed of all versions": {`"changeFeedPolicy":{"retentionDuration":600}`,
			"changeFeedPolicy.retentionDuration"},
		"a materialised view": {`"materializedViewDefinition":{"sourceCollectionId":"c","definition":"SELECT 1"}`,
			"materializedViewDefinition"},
		"materialised views":  {`"materializedViews":[{"id":"v"}]`, "materializedViews"},
		"an analytical store": {`"analyticalStorageTtl":-1`, "analyticalStorageTtl"},
		"client-side encryption": {`"clientEncryptionPolicy":{"policyFormatVersion":1}`,
			"clientEncryptionPolicy"},
		"data masking":               {`"dataMaskingPolicy":{"isPolicyEnabled":true}`, "dataMaskingPolicy"},
		"a restoration":              {`"restoreParameters":{"restoreSource":"s"}`, "restoreParameters"},
		"a path of the time to live": {`"ttlPropertyPath":"/expiry"`, "ttlPropertyPath"},
		"an unknown property":        {`"indexingPolice":{"automatic":true}`, "indexingPolice"},
		"an unknown property of a policy": {`"conflictResolutionPolicy":{"retries":3}`,
			"conflictResolutionPolicy.retries"},
		"custom conflict resolution": {`"conflictResolutionPolicy":{"mode":"Custom"}`,
			"conflictResolutionPolicy.mode"},
		"a procedure that resolves conflicts": {`"conflictResolutionPolicy":{"mode":"LastWriterWins",` +
			`"conflictResolutionProcedure":"dbs/d/colls/c/sprocs/s"}`, "conflictResolutionProcedure"},
		"a path of conflicts without a slash": {`"conflictResolutionPolicy":{"conflictResolutionPath":"n"}`,
			"conflictResolutionPath"},
		"an unknown geometry":               {`"geospatialConfig":{"type":"Flat"}`, "geospatialConfig.type"},
		"an indexing policy that is a text": {`"indexingPolicy":"consistent"`, "indexingPolicy"},
		"included paths that are no list": {`"indexingPolicy":{"includedPaths":"/*"}`,
			"indexingPolicy.includedPaths"},
		"a unique key policy that is a list": {`"uniqueKeyPolicy":[["/a"]]`, "uniqueKeyPolicy"},
		"an unknown kind of index": {`"indexingPolicy":{"tupleIndexes":[{"path":"/a"}]}`,
			"indexingPolicy.tupleIndexes"},
		"an unknown kind of index of a path": {
			`"indexingPolicy":{"includedPaths":[{"path":"/*","indexes":[{"kind":"Tree"}]}]}`,
			"includedPaths[0].indexes[0].kind"},
		"automatic indexing that is a text": {`"indexingPolicy":{"automatic":"yes"}`,
			"indexingPolicy.automatic"},
		"an unknown spatial type": {
			`"indexingPolicy":{"spatialIndexes":[{"path":"/a/*","types":["Circle"]}]}`,
			"spatialIndexes[0].types[0]"},
		"a spatial index without a path": {`"indexingPolicy":{"spatialIndexes":[{"types":["Point"]}]}`,
			"spatialIndexes[0].path"},
		"a bounding box of texts": {
			`"indexingPolicy":{"spatialIndexes":[{"path":"/a/*","boundingBox":{"xmin":"0"}}]}`, "boundingBox.xmin"},
		"a full-text policy in an unknown language": {`"fullTextPolicy":{"defaultLanguage":"spa-SPA"}`,
			"fullTextPolicy.defaultLanguage"},
		"a full-text path in an unknown language": {
			`"fullTextPolicy":{"fullTextPaths":[{"path":"/a","language":"xx"}]}`, "fullTextPaths[0].language"},
		"a full-text path without a slash": {`"fullTextPolicy":{"fullTextPaths":[{"path":"a"}]}`,
			"fullTextPaths[0].path"},
		"a full-text index without a path": {words + `,"indexingPolicy":{"fullTextIndexes":[{"not_path":"/a"}]}`,
			"fullTextIndexes[0].path"},
		"a full-text index without a policy": {`"indexingPolicy":{"fullTextIndexes":[{"path":"/a"}]}`,
			"fullTextIndexes"},
		"a full-text index of another path": {words + `,"indexingPolicy":{"fullTextIndexes":[{"path":"/b"}]}`,
			"fullTextIndexes"},
		"vectors without a path": {vector("path", ""), "vectorEmbeddings[0].path"},
		"vectors of an unknown type": {vector("dataType", `"float33"`),
			"vectorEmbeddings[0].dataType"},
		"vectors of too many dimensions": {vector("dimensions", "8000"), "vectorEmbeddings[0].dimensions"},
		"vectors of negative dimensions": {vector("dimensions", "-1"), "vectorEmbeddings[0].dimensions"},
		"vectors with an unknown distance": {vector("distanceFunction", `"handMeasured"`),
			"distanceFunction"},
		"vectors that a model generates": {vector("embeddingSource", `{"model":"m"}`), "embeddingSource"},
		"a vector index without a policy": {`"indexingPolicy":{"vectorIndexes":[{"path":"/v","type":"flat"}]}`,
			"vectorIndexes"},
		"a vector index of another path": {index(`{"path":"/w","type":"flat"}`), "vectorIndexes"},
		"a vector index of an unknown type": {index(`{"path":"/v","type":"notFlat"}`),
			"vectorIndexes[0].type"},
		"a vector index with a code of no bytes": {index(`{"path":"/v","type":"flat","quantizationByteSize":0}`),
			"quantizationByteSize"},
		"a vector index with a short list": {index(`{"path":"/v","type":"diskANN","indexingSearchListSize":5}`),
			"indexingSearchListSize"},
		"a vector index with a bad shard": {index(`{"path":"/v","type":"diskANN","vectorIndexShardKey":["a"]}`),
			"vectorIndexShardKey"},
	} {
		t.Run(name, func(t *testing.T) {
			a := send(t, e, "POST", "/dbs/d/colls", containerX(tt.part))
			refusal(t, a, 400)
			if !strings.Contains(a.body, tt.property) {
				t.Errorf("%s does not name %s", a.body, tt.property)
			}
			refusal(t, send(t, e, "PUT", "/dbs/d/colls/c", strings.Replace(containerX(tt.part), `"x"`, `"c"`, 1)), 400)
		})
	}
}

// TestDefinitionsOfSDKsAreAccepted sends the definitions that Microsoft's SDKs make, with everything that they fill in
// on their own.
func TestDefinitionsOfSDKsAreAccepted(t *testing.T) {
	for name, properties := range map[string]string{
		"Java": `"indexingPolicy":{"automatic":true,"indexingMode":"consistent"},"uniqueKeyPolicy":{"uniqueKeys":[]},` +
			`"changeFeedPolicy":{"retentionDuration":0}`,
		".NET 2": `"indexingPolicy":{"indexingMode":"consistent","automatic":true,"includedPaths":[],` +
			`"excludedPaths":[],"compositeIndexes":[],"spatialIndexes":[]},` +
			`"partitionKeyDeleteThroughputFraction":0.0,` +
			`"uniqueIndexNameEncodingMode":0,"materializedViews":[],"uniqueIndexReIndexContext":{},` +
			`"geospatialConfig":{"type":"Geography"},"conflictResolutionPolicy":{"mode":"LastWriterWins",` +
			`"conflictResolutionPath":"/_ts","conflictResolutionProcedure":""}`,
		"Python": `"indexingPolicy":{"automatic":true,"indexingMode":"consistent","includedPaths":[{"path":"/*"}],` +
			`"excludedPaths":[{"path":"/\"_etag\"/?"}],"fullTextIndexes":[]},"conflictResolutionPolicy":` +
			`{"mode":"LastWriterWins","conflictResolutionPath":"/n"},"analyticalStorageTtl":null,` +
			`"computedProperties":[]`,
		"JavaScript 3": `"indexingPolicy":{"indexingMode":"none","automatic":false}`,
		"vectors and words": `"vectorEmbeddingPolicy":{"vectorEmbeddings":[{"path":"/v","dataType":"float32",` +
			`"dimensions":256,"distanceFunction":"euclidean"}]},"fullTextPolicy":{"defaultLanguage":"en-US",` +
			`"fullTextPaths":[{"path":"/a"},{"path":"/b/\"c d\"","language":"fr-FR"}]},"indexingPolicy":{` +
			`"fullTextIndexes":[{"path":"/a"}],"vectorIndexes":[{"path":"/v","type":"diskANN",` +
			`"quantizerType":"product","quantizationByteSize":128,"indexingSearchListSize":100,` +
			`"vectorIndexShardKey":["/country/city"]}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			e, _ := mustEngine(t, Options{}, plainContainer)
			send(t, e, "POST", "/dbs/d/colls", containerX(properties)).want(t, 201)
			read := send(t, e, "GET", "/dbs/d/colls/x", "", "X-Ms-Documentdb-Populatepartitionstatistics",
				"true").want(t, 200)
			for _, absent := range []string{"materializedViews", "computedProperties", "analyticalStorageTtl", "null"} {
				if strings.Contains(read.body, absent) {
					t.Errorf("%s is stored: %s", absent, read.body)
				}
			}
			written := send(t, e, "PUT", "/dbs/d/colls/x", read.body).want(t, 200)
			if strings.Count(written.body, `"_docs"`) != 1 || strings.Contains(written.body, `"statistics"`) {
				t.Errorf("a definition that was read and written has the answer's properties: %s", written.body)
			}
		})
	}
}

// TestStoredPropertiesRemain opens a database of an earlier version, which stored properties without supporting them.
func TestStoredPropertiesRemain(t *testing.T) {
	dir := t.TempDir()
	e, err := open(dir, Options{}, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	send(t, e, "POST", "/dbs", `{"id":"d"}`).want(t, 201)
	const properties = `"computedProperties":[{"name":"n","query":"SELECT VALUE 1 FROM c"}]`
	definition, err := value.Parse(`{"id":"x","partitionKey":{"paths":["/pk"],"kind":"Hash","version":2},` +
		properties + `}`)
	if err != nil {
		t.Fatal(err)
	}
	err = e.writer.Change(t.Context(), func(tx *items.Txn, cat *catalog.Catalog) (*catalog.Catalog, error) {
		c := &catalog.Container{Database: cat.Databases["d"], ID: "x", TS: 1, Revision: 1, Definition: definition,
			State: new(catalog.ContainerState)}
		return cat, catalog.InsertContainer(tx.Conn, c, 1)
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if e, err = open(dir, Options{}, time.Now); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	send(t, e, "POST", "/dbs/d/colls/x/docs", `{"id":"1","pk":"a"}`, pk("a")...).want(t, 201)
	read := send(t, e, "GET", "/dbs/d/colls/x", "").want(t, 200)
	send(t, e, "PUT", "/dbs/d/colls/x", read.body).want(t, 200)
	changed := strings.Replace(read.body, "VALUE 1", "VALUE 2", 1)
	refusal(t, send(t, e, "PUT", "/dbs/d/colls/x", changed), 400)
}

func TestIndexingPoliciesAreNormalised(t *testing.T) {
	e, _ := mustEngine(t, Options{}, plainContainer)
	a := send(t, e, "POST", "/dbs/d/colls", containerX(`"indexingPolicy":{"includedPaths":[{"path":"/*","indexes":[`+
		`{"kind":"Hash","dataType":"String","precision":3},{"kind":"Range","dataType":"Number"}]}],"excludedPaths":[],`+
		`"spatialIndexes":[{"path":"/a/*","types":["LineString"]},{"path":"/b/?","boundingBox":`+
		`{"xmin":-1,"ymin":0,"xmax":1.5,"ymax":9}}]}`)).want(t, 201)
	const types = `"types":["Point","LineString","Polygon","MultiPolygon"]`
	for _, want := range []string{`"includedPaths":[{"path":"/*"}]`, `{"path":"/a/*",` + types + `}`,
		`{"path":"/b/?","boundingBox":{"xmin":-1,"ymin":0,"xmax":1.5,"ymax":9},` + types + `}`} {
		if !strings.Contains(a.body, want) {
			t.Errorf("the policy lacks %s: %s", want, a.body)
		}
	}
}
