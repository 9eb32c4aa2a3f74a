package embedded

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
	"testing"
)

// TestBadInput sends meaningless requests. Each is rejected with the service's error, and the data
// is unchanged.
func TestBadInput(t *testing.T) {
	e, _ := mustEngine(t, Options{}, plainContainer)
	send(t, e, "POST", "/dbs/d/colls", `{"id":"ttl","partitionKey":{"paths":["/pk"]},"defaultTtl":-1}`).want(t, 201)
	etag := create(t, e, `{"id":"1","pk":"a","n":1,"s":"x","list":[1,2]}`).want(t, 201).header.Get("Etag")
	everything := func() string { return send(t, e, "GET", docs, "").want(t, 200).body }
	before, lsn := everything(), rangeLSN(e)

	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	w.Write([]byte(`{"id":"2","pk":"a"}`))
	w.Close()
	patch := func(body string) call { return call{"PATCH", docs + "/1", body, pk("a")} }
	with := func(c call, headers ...string) call {
		c.headers = append(c.headers[:len(c.headers):len(c.headers)], headers...)
		return c
	}
	read := call{"GET", docs + "/1", "", pk("a")}
	feed := call{"GET", docs, "", []string{"A-Im", "Incremental feed"}}
	policy := func(text string) call { return containerWith(`"indexingPolicy":` + text) }
	keyed := func(header string) call { return call{"GET", docs + "/1", "", []string{keyHeader, header}} }
	for name, tt := range map[string]struct {
		call call
		want int
	}{
		"item: nothing":                  {post(""), 400},
		"item: half":                     {post(`{"id":"2","pk":"a"`), 400},
		"item: two":                      {post(`{"id":"2","pk":"a"}{"id":"3","pk":"a"}`), 400},
		"item: text behind":              {post(`{"id":"2","pk":"a"} x`), 400},
		"item: a byte order mark":        {post("\ufeff" + `{"id":"2","pk":"a"}`), 400},
		"item: an array":                 {post(`[{"id":"2","pk":"a"}]`), 400},
		"item: null":                     {post(`null`), 400},
		"item: a comment":                {post(`{"id":"2",/* */"pk":"a"}`), 400},
		"item: a trailing comma":         {post(`{"id":"2","pk":"a",}`), 400},
		"item: single quotes":            {post(`{'id':'2','pk':'a'}`), 400},
		"item: NaN":                      {post(`{"id":"2","pk":"a","n":NaN}`), 400},
		"item: a number beyond a double": {post(`{"id":"2","pk":"a","n":1e400}`), 400},
		"item: a long number beyond a double": {post(`{"id":"2","pk":"a","n":1` + strings.Repeat("0", 400) + `}`),
			400},
		"item: a leading zero":                  {post(`{"id":"2","pk":"a","n":01}`), 400},
		"item: a leading plus":                  {post(`{"id":"2","pk":"a","n":+1}`), 400},
		"item: hexadecimal":                     {post(`{"id":"2","pk":"a","n":0x10}`), 400},
		"item: a NUL byte":                      {post("{\"id\":\"2\",\"pk\":\"a\",\"s\":\"\x00\"}"), 400},
		"item: a NUL behind":                    {post("{\"id\":\"2\",\"pk\":\"a\"}\x00"), 400},
		"item: a line break in a string":        {post("{\"id\":\"2\",\"pk\":\"a\",\"s\":\"\n\"}"), 400},
		"item: an unknown escape":               {post(`{"id":"2","pk":"a","s":"\x41"}`), 400},
		"item: a short escape":                  {post(`{"id":"2","pk":"a","s":"\u12"}`), 400},
		"item: gzip":                            {with(post(zipped.String()), "Content-Encoding", "gzip"), 400},
		"item: no id":                           {post(`{"pk":"a"}`), 400},
		"item: an empty id":                     {post(`{"id":"","pk":"a"}`), 400},
		"item: an id that is null":              {post(`{"id":null,"pk":"a"}`), 400},
		"item: the last of two ids is a number": {post(`{"id":"2","id":5,"pk":"a"}`), 400},
		"item: the last of two keys is another": {post(`{"id":"2","pk":"a","pk":"b"}`), 400},
		"item: a key that is an array":          {post(`{"id":"2","pk":["a"]}`), 400},
		"item: a key of another type":           {post(`{"id":"2","pk":null}`), 400},
		"item: ttl 0": {call{"POST", "/dbs/d/colls/ttl/docs", `{"id":"1","pk":"a","ttl":0}`,
			pk("a")}, 400},
		"item: ttl -2": {call{"POST", "/dbs/d/colls/ttl/docs", `{"id":"1","pk":"a","ttl":-2}`,
			pk("a")}, 400},
		"item: ttl null": {call{"POST", "/dbs/d/colls/ttl/docs",
			`{"id":"1","pk":"a","ttl":null}`, pk("a")}, 400},
		"item: ttl text": {call{"POST", "/dbs/d/colls/ttl/docs",
			`{"id":"1","pk":"a","ttl":"5"}`, pk("a")}, 400},
		"item: ttl with a fraction": {call{"POST", "/dbs/d/colls/ttl/docs",
			`{"id":"1","pk":"a","ttl":1.5}`, pk("a")}, 400},
		"replace: another id":            {call{"PUT", docs + "/1", `{"id":"2","pk":"a"}`, pk("a")}, 400},
		"replace: another key":           {call{"PUT", docs + "/1", `{"id":"1","pk":"b"}`, pk("a")}, 400},
		"key: none":                      {call{"GET", docs + "/1", "", nil}, 400},
		"key: an empty list":             {keyed(`[]`), 400},
		"key: two components":            {keyed(`["a","b"]`), 400},
		"key: text":                      {keyed(`a`), 400},
		"key: quoted text":               {keyed(`"a"`), 400},
		"key: an open quote":             {keyed(`["a]`), 400},
		"key: no comma":                  {keyed(`["a" "b"]`), 400},
		"key: a trailing comma":          {keyed(`["a",]`), 400},
		"key: a leading comma":           {keyed(`[,"a"]`), 400},
		"key: an array":                  {keyed(`[["a"]]`), 400},
		"key: an object":                 {keyed(`[{"a":1}]`), 400},
		"key: NaN":                       {keyed(`[NaN]`), 400},
		"key: infinite":                  {keyed(`[1e999]`), 400},
		"key: an unknown escape":         {keyed(`["\q"]`), 400},
		"key: a long escape of Go":       {keyed(`["\U0001f600"]`), 400},
		"key: a byte escape of Go":       {keyed(`["\x00"]`), 400},
		"key: a control escape of Go":    {keyed(`["\a\v"]`), 400},
		"key: a character outside ASCII": {keyed(`["é"]`), 400},
		"key: a raw DEL":                 {keyed("[\"\x7f\"]"), 400},
		"key: a byte that is not UTF-8":  {keyed("[\"\xff\"]"), 400},
		"key: an octal escape":           {keyed(`["\141"]`), 400},
		"condition: a stale etag": {with(call{"PUT", docs + "/1", `{"id":"1","pk":"a"}`, pk("a")},
			"If-Match", etag[:len(etag)-2]+`f"`), 412},
		"session: no range":                    {with(read, "X-Ms-Session-Token", "nonsense"), 400},
		"session: no LSN":                      {with(read, "X-Ms-Session-Token", "0:-1#"), 400},
		"session: an LSN that is no number":    {with(read, "X-Ms-Session-Token", "0:-1#1x"), 400},
		"session: an LSN beyond int64":         {with(read, "X-Ms-Session-Token", "0:-1#99999999999999999999"), 400},
		"session: a version that is no number": {with(read, "X-Ms-Session-Token", "0:junk#1"), 400},
		"session: no version":                  {with(read, "X-Ms-Session-Token", "0:#1"), 400},
		"session: a version below all":         {with(read, "X-Ms-Session-Token", "0:-2#1"), 400},
		"session: a region that is no number":  {with(read, "X-Ms-Session-Token", "0:-1#1#x=1"), 400},
		"session: a region without an LSN":     {with(read, "X-Ms-Session-Token", "0:-1#1#5"), 400},
		"session: a later version":             {with(read, "X-Ms-Session-Token", "0:0#1"), 404},
		"session: ahead":                       {with(read, "X-Ms-Session-Token", "0:-1#99"), 404},
		"consistency: unknown":                 {with(read, "X-Ms-Consistency-Level", "Utter"), 400},
		"patch: nothing":                       {patch(``), 400},
		"patch: no operations":                 {patch(`{"operations":[]}`), 400},
		"patch: operations that are an object": {patch(`{"operations":{"op":"set"}}`), 400},
		"patch: an operation that is a number": {patch(`[1]`), 400},
		"patch: an unknown operation":          {patch(`[{"op":"copy","path":"/b","from":"/n"}]`), 400},
		"patch: no path":                       {patch(`[{"op":"set","value":1}]`), 400},
		"patch: a path that is a number":       {patch(`[{"op":"set","path":1,"value":1}]`), 400},
		"patch: a path without a slash":        {patch(`[{"op":"set","path":"n","value":1}]`), 400},
		"patch: the whole item":                {patch(`[{"op":"set","path":"","value":{}}]`), 400},
		"patch: an index with a leading zero":  {patch(`[{"op":"set","path":"/list/01","value":1}]`), 400},
		"patch: a negative index":              {patch(`[{"op":"set","path":"/list/-1","value":1}]`), 400},
		"patch: an index with a plus":          {patch(`[{"op":"set","path":"/list/+1","value":1}]`), 400},
		"patch: an index beyond int64": {
			patch(`[{"op":"set","path":"/list/99999999999999999999","value":1}]`), 400},
		"patch: a member of an array": {patch(`[{"op":"set","path":"/list/x","value":1}]`), 400},
		"patch: a member of a scalar": {patch(`[{"op":"set","path":"/n/x","value":1}]`), 400},
		"patch: remove the end":       {patch(`[{"op":"remove","path":"/list/-"}]`), 400},
		"patch: increment by text":    {patch(`[{"op":"incr","path":"/n","value":"1"}]`), 400},
		"patch: increment by null":    {patch(`[{"op":"incr","path":"/n"}]`), 400},
		"patch: increment beyond a double": {
			patch(`[{"op":"set","path":"/f","value":1.7e308},{"op":"incr","path":"/f","value":1.7e308}]`), 400},
		"patch: the key":                  {patch(`[{"op":"move","path":"/b","from":"/pk"}]`), 400},
		"patch: move a value into itself": {patch(`[{"op":"move","from":"/list","path":"/list/0"}]`), 400},
		"patch: the last fails": {
			patch(`[{"op":"set","path":"/n","value":2},{"op":"remove","path":"/none"}]`), 400},
		"patch: a condition that is a number": {
			patch(`{"condition":1,"operations":[{"op":"set","path":"/n","value":2}]}`), 400},
		"patch: a condition with an order": {
			patch(
				`{"condition":"from c where c.n = 1 order by c.n","operations":[{"op":"set","path":"/n","value":2}]}`),
			400},
		"patch: a condition that is false": {
			patch(`{"condition":"from c where c.n = 2","operations":[{"op":"set","path":"/n","value":2}]}`), 412},
		"patch: a condition of another type": {
			patch(`{"condition":"from c where c.n","operations":[{"op":"set","path":"/n","value":2}]}`), 412},
		"batch: nothing":       {call{"POST", docs, "", batch("").headers}, 400},
		"batch: an object":     {call{"POST", docs, "{}", batch("").headers}, 400},
		"batch: no operations": {batch(""), 400},
		"batch: a number":      {batch("1"), 400},
		"batch: half":          {batch(`{"operationType":"Create"`), 400},
		"batch: without a key": {call{"POST", docs, `[{"operationType":"Read","id":"1"}]`,
			batch("").headers[2:]}, 400},
		"query: nothing":                    {call{"POST", docs, "", sql("", "").headers}, 400},
		"query: an array":                   {call{"POST", docs, "[]", sql("", "").headers}, 400},
		"query: no text":                    {call{"POST", docs, "{}", sql("", "").headers}, 400},
		"query: text that is a number":      {call{"POST", docs, `{"query":1}`, sql("", "").headers}, 400},
		"query: empty text":                 {sql("", ""), 400},
		"query: a parameter without an at":  {sql("SELECT * FROM c", `{"name":"x","value":1}`), 400},
		"query: a parameter without a name": {sql("SELECT * FROM c", `{"value":1}`), 400},
		"query: a parameter named at":       {sql("SELECT * FROM c", `{"name":"@","value":1}`), 400},
		"query: a parameter twice": {sql("SELECT * FROM c",
			`{"name":"@x","value":1},{"name":"@x","value":1}`), 400},
		"query: a parameter that is a number": {sql("SELECT * FROM c", `1`), 400},
		"query: parameters that are an object": {call{"POST", docs, `{"query":"SELECT * FROM c","parameters":{}}`,
			sql("", "").headers}, 400},
		"page: text":       {with(sql("SELECT * FROM c", ""), "X-Ms-Max-Item-Count", "x"), 400},
		"page: below -1":   {with(sql("SELECT * FROM c", ""), "X-Ms-Max-Item-Count", "-2"), 400},
		"page: a fraction": {with(sql("SELECT * FROM c", ""), "X-Ms-Max-Item-Count", "1.5"), 400},
		"page: beyond int64": {with(sql("SELECT * FROM c", ""), "X-Ms-Max-Item-Count",
			"99999999999999999999"), 400},
		"page: of the change feed": {with(feed, "X-Ms-Max-Item-Count", "x"), 400},
		"continuation: nonsense": {with(sql("SELECT * FROM c", ""), "X-Ms-Continuation", "nonsense"),
			400},
		"change feed: an etag that is no number": {with(feed, "If-None-Match", `"x"`), 400},
		"change feed: an etag with a sign":       {with(feed, "If-None-Match", "+1"), 400},
		"change feed: an etag quoted twice":      {with(feed, "If-None-Match", `""1""`), 400},
		"condition: an etag without its quotes": {with(call{"PUT", docs + "/1", `{"id":"1","pk":"a"}`, pk("a")},
			"If-Match", strings.Trim(etag, `"`)), 412},
		"change feed: a negative etag":             {with(feed, "If-None-Match", `"-1"`), 400},
		"change feed: an etag beyond int64":        {with(feed, "If-None-Match", `"99999999999999999999"`), 400},
		"change feed: bounds that are no hashes":   {with(feed, "X-Ms-Start-Epk", "xx"), 400},
		"change feed: an unknown mode":             {call{"GET", docs, "", []string{"A-Im", "All versions"}}, 400},
		"change feed: a range that does not exist": {with(feed, rangeHeader, "9"), 410},
		"path: unknown":                            {call{"GET", "/dbs/d/colls/c/nothing", "", nil}, 400},
		"path: too long":                           {call{"GET", docs + "/1/parts/2/3", "", pk("a")}, 400},
		"verb: unknown":                            {call{"PUT", docs, "{}", pk("a")}, 405},
		"container: no name": {call{"POST", "/dbs/d/colls", `{"partitionKey":{"paths":["/pk"]}}`,
			nil}, 400},
		"container: a name that is a number": {call{"POST", "/dbs/d/colls",
			`{"id":1,"partitionKey":{"paths":["/pk"]}}`, nil}, 400},
		"container: a slash in its name": {call{"POST", "/dbs/d/colls",
			`{"id":"a/b","partitionKey":{"paths":["/pk"]}}`, nil}, 400},
		"container: a backslash in its name": {call{"POST", "/dbs/d/colls",
			`{"id":"a\\b","partitionKey":{"paths":["/pk"]}}`, nil}, 400},
		"container: a hash in its name": {call{"POST", "/dbs/d/colls",
			`{"id":"a#b","partitionKey":{"paths":["/pk"]}}`, nil}, 400},
		"container: a question mark in its name": {call{"POST", "/dbs/d/colls",
			`{"id":"a?b","partitionKey":{"paths":["/pk"]}}`, nil}, 400},
		"container: a space behind its name": {call{"POST", "/dbs/d/colls",
			`{"id":"a ","partitionKey":{"paths":["/pk"]}}`, nil}, 400},
		"container: no key": {call{"POST", "/dbs/d/colls", `{"id":"new"}`, nil}, 400},
		"container: a key without a slash": {call{"POST", "/dbs/d/colls",
			`{"id":"new","partitionKey":{"paths":["pk"]}}`, nil}, 400},
		"container: the empty key": {call{"POST", "/dbs/d/colls",
			`{"id":"new","partitionKey":{"paths":["/"]}}`, nil}, 400},
		"container: ttl 0":                     {containerWith(`"defaultTtl":0`), 400},
		"container: ttl -2":                    {containerWith(`"defaultTtl":-2`), 400},
		"container: ttl null":                  {containerWith(`"defaultTtl":null`), 400},
		"container: ttl text":                  {containerWith(`"defaultTtl":"5"`), 400},
		"container: an unknown indexing mode":  {policy(`{"indexingMode":"eager"}`), 400},
		"container: a policy without a root":   {policy(`{"includedPaths":[{"path":"/a/*"}]}`), 400},
		"container: a policy path without end": {policy(`{"includedPaths":[{"path":"/*"},{"path":"/a"}]}`), 400},
		"container: a composite of one path":   {policy(`{"compositeIndexes":[[{"path":"/a"}]]}`), 400},
		"container: an unknown order": {
			policy(`{"compositeIndexes":[[{"path":"/a","order":"up"},{"path":"/b"}]]}`), 400},
		"container: a unique key without paths": {containerWith(`"uniqueKeyPolicy":{"uniqueKeys":[{"paths":[]}]}`),
			400},
		"database: a name that is null": {call{"POST", "/dbs", `{"id":null}`, nil}, 400},
		"database: a slash in its name": {call{"POST", "/dbs", `{"id":"a/b"}`, nil}, 400},
	} {
		t.Run(name, func(t *testing.T) {
			refusal(t, tt.call.send(t, e), tt.want)
			if everything() != before || rangeLSN(e) != lsn {
				t.Error("the data changed")
			}
		})
	}
}

// TestBadBatchOperations sends batches with one invalid operation. The response names the
// operation.
func TestBadBatchOperations(t *testing.T) {
	for name, tt := range map[string]struct {
		op   string
		want int
	}{
		"no type":                  {`{}`, 400},
		"an unknown type":          {`{"operationType":"Merge","id":"1"}`, 400},
		"a type that is a number":  {`{"operationType":1}`, 400},
		"create without an item":   {`{"operationType":"Create"}`, 400},
		"create of text":           {`{"operationType":"Create","resourceBody":"{}"}`, 400},
		"create under another key": {`{"operationType":"Create","resourceBody":{"id":"2","pk":"b"}}`, 400},
		"create an existing item":  {`{"operationType":"Create","resourceBody":{"id":"1","pk":"a"}}`, 409},
		"replace without an id":    {`{"operationType":"Replace","resourceBody":{"id":"1","pk":"a"}}`, 400},
		"replace by another id": {`{"operationType":"Replace","id":"1","resourceBody":{"id":"2","pk":"a"}}`,
			400},
		"replace a missing item": {`{"operationType":"Replace","id":"2","resourceBody":{"id":"2","pk":"a"}}`,
			404},
		"delete without an id":          {`{"operationType":"Delete"}`, 400},
		"delete an id that is a number": {`{"operationType":"Delete","id":1}`, 400},
		"delete a missing item":         {`{"operationType":"Delete","id":"2"}`, 404},
		"delete by a stale etag":        {`{"operationType":"Delete","id":"1","ifMatch":"\"0\""}`, 412},
		"delete by an etag of a number": {`{"operationType":"Delete","id":"1","ifMatch":0}`, 400},
		"read without an id":            {`{"operationType":"Read"}`, 400},
		"read a missing item":           {`{"operationType":"Read","id":"2"}`, 404},
		"read by an etag of an array":   {`{"operationType":"Read","id":"1","ifNoneMatch":[]}`, 400},
		"patch without an id": {
			`{"operationType":"Patch","resourceBody":{"operations":[{"op":"set","path":"/n","value":1}]}}`, 400},
		"patch without operations": {`{"operationType":"Patch","id":"1"}`, 400},
		"patch a missing item": {
			`{"operationType":"Patch","id":"2","resourceBody":{"operations":[{"op":"set","path":"/n","value":1}]}}`,
			404},
		"patch by a false condition": {
			`{"operationType":"Patch","id":"1","resourceBody":{"condition":"from c where false",` +
				`"operations":[{"op":"set","path":"/n","value":1}]}}`, 412},
	} {
		t.Run(name, func(t *testing.T) {
			e, _ := mustEngine(t, Options{}, plainContainer)
			create(t, e, `{"id":"1","pk":"a"}`).want(t, 201)
			before := send(t, e, "GET", docs, "").body
			const good = `{"operationType":"Create","resourceBody":{"id":"new","pk":"a"}}`
			const later = `{"operationType":"Delete","id":"1"}`
			a := batch(good+","+tt.op+","+later).send(t, e).want(t, 207)
			var statuses []string
			for _, status := range []int{424, tt.want, 424} {
				statuses = append(statuses, fmt.Sprintf(`{"statusCode":%d,`, status))
			}
			rest := a.body
			for _, status := range statuses {
				_, after, found := strings.Cut(rest, status)
				if !found {
					t.Fatalf("the result of the invalid operation is not %s: %s", status, a.body)
				}
				rest = after
			}
			if send(t, e, "GET", docs, "").body != before || rangeLSN(e) != 1 {
				t.Error("the data changed")
			}
		})
	}
}

// TestOddInput sends unusual but valid requests.
func TestOddInput(t *testing.T) {
	for name, tt := range map[string]struct{ item, want string }{
		"the last of two members counts, in the place of the first": {`{"id":"1","n":1,"pk":"a","n":2}`,
			`{"id":"1","n":2,"pk":"a"`},
		"members that differ in case": {`{"id":"1","pk":"a","n":1,"N":2}`,
			`{"id":"1","pk":"a","n":1,"N":2`},
		"JSON white space": {" \r\n\t{ \"id\" :\t\"1\",\"pk\":\"a\" }\n",
			`{"id":"1","pk":"a"`},
		"a member without a name": {`{"id":"1","pk":"a","":1}`,
			`{"id":"1","pk":"a","":1`},
		"system properties sent by the client": {
			`{"id":"1","pk":"a","_ts":1,"_etag":"x","_lsn":5,"_rid":1,"_self":"s","_attachments":"x"}`,
			`{"id":"1","pk":"a","_rid":"`},
		"names that begin like system properties": {`{"id":"1","pk":"a","_tsx":1}`,
			`{"id":"1","pk":"a","_tsx":1`},
		"bytes that are not UTF-8": {
			"{\"id\":\"1\",\"pk\":\"a\",\"s\":\"x\xffy\xc0\xaf\"}", `{"id":"1","pk":"a","s":"x` + "\ufffdy\ufffd" +
				`"`},
		"a lone surrogate": {`{"id":"1","pk":"a","s":"x\ud800y"}`,
			`{"id":"1","pk":"a","s":"x` + "\ufffd" + `y"`},
		"surrogates the wrong way round": {`{"id":"1","pk":"a","s":"\ude00\ud83d"}`,
			`{"id":"1","pk":"a","s":"` + "\ufffd\ufffd" + `"`},
		"a pair of surrogates": {`{"id":"1","pk":"a","s":"\ud83d\ude00"}`,
			`{"id":"1","pk":"a","s":"😀"`},
		"an escaped NUL": {`{"id":"1","pk":"a","s":"a\u0000b"}`,
			`{"id":"1","pk":"a","s":"a\u0000b"`},
		"the largest integers": {
			`{"id":"1","pk":"a","n":[9223372036854775807,-9223372036854775808]}`,
			`{"id":"1","pk":"a","n":[9223372036854775807,-9223372036854775808]`},
		"integers beyond them": {
			`{"id":"1","pk":"a","n":[9223372036854775808,18446744073709551616]}`,
			`{"id":"1","pk":"a","n":[9.223372036854776e+18,1.8446744073709552e+19]`},
		"the largest double and the smallest": {
			`{"id":"1","pk":"a","n":[1.7976931348623157e308,5e-324]}`,
			`{"id":"1","pk":"a","n":[1.7976931348623157e+308,5e-324]`},
		"a number too small for a double": {`{"id":"1","pk":"a","n":[1e-400,-1e-400]}`,
			`{"id":"1","pk":"a","n":[0,0]`},
		"whole numbers written as fractions": {`{"id":"1","pk":"a","n":[3.0,-0.0,1e2,-0]}`,
			`{"id":"1","pk":"a","n":[3,0,100,0]`},
	} {
		t.Run(name, func(t *testing.T) {
			e, _ := mustEngine(t, Options{}, plainContainer)
			create(t, e, tt.item).want(t, 201)
			a := send(t, e, "GET", docs+"/1", "", pk("a")...).want(t, 200)
			rest, ok := strings.CutPrefix(a.body, tt.want)
			if !ok || !strings.HasPrefix(rest, `,"_rid":"`) && !strings.HasSuffix(tt.want, `"_rid":"`) {
				t.Errorf("the item is %s", a.body)
			}
			for _, name := range []string{"_rid", "_self", "_etag", "_attachments", "_ts"} {
				if strings.Count(a.body, `"`+name+`":`) != 1 {
					t.Errorf("%s does not occur exactly once: %s", name, a.body)
				}
			}
		})
	}
	t.Run("an id can be any text", func(t *testing.T) {
		e, _ := mustEngine(t, Options{}, plainContainer)
		ids := []string{`a\u0000b`, `a\u0000`, `a`, `\u0000`, `'`, `''`, `\"`, ` a`, `é`, `e\u0301`, `😀`, `%`, `_`, `*`,
			`../..`, `A`, `\ufeff`, `\u007f`}
		for _, id := range ids {
			create(t, e, `{"pk":"a","id":"`+id+`"}`).want(t, 201)
		}
		for _, id := range ids {
			create(t, e, `{"pk":"a","id":"`+id+`"}`).want(t, 409)
			a := sql("SELECT VALUE c.pk FROM c WHERE c.id = @id", `{"name":"@id","value":"`+id+`"}`).send(t, e).want(t,
				200)
			if !strings.Contains(a.body, `"_count":1`) {
				t.Errorf("the id %s is found: %s", id, a.body)
			}
			batch(`{"operationType":"Delete","id":"`+id+`"}`).send(t, e).want(t, 200)
		}
		if a := send(t, e, "GET", docs, "").want(t, 200); !strings.Contains(a.body, `"_count":0`) {
			t.Errorf("the remaining items are %s", a.body)
		}
	})
	t.Run("a partition key can be any text", func(t *testing.T) {
		e, _ := mustEngine(t, Options{Ranges: 3}, plainContainer)
		keys := []string{`a\u0000b`, `a\u0000`, `a`, `\u0000`, ``, `\"`, `]`, `,`, ` `, `{}`, `null`, `\\u0041`, `é`,
			`e\u0301`, `😀`, `\u00ff\u0000\u00ff`}
		for _, k := range keys {
			send(t, e, "POST", docs, `{"id":"1","pk":"`+k+`"}`, pk(k)...).want(t, 201)
		}
		for _, k := range keys {
			a := send(t, e, "GET", docs+"/1", "", pk(k)...).want(t, 200)
			if !strings.HasPrefix(a.body, `{"id":"1","pk":"`) {
				t.Errorf("%s: %s", k, a.body)
			}
			send(t, e, "DELETE", docs+"/1", "", pk(k)...).want(t, 204)
		}
	})
}
