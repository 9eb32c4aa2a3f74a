package embedded

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// BenchmarkLike stores likes as the application does: a batch creates the like and patches the count
// in its post, whose text has 20 KB.
func BenchmarkLike(b *testing.B) {
	e, _ := mustEngine(b, Options{}, `{"id":"c","partitionKey":{"paths":["/postId"]},"defaultTtl":-1,
		"indexingPolicy":{"includedPaths":[{"path":"/type/?"},{"path":"/userId/?"},{"path":"/creationDate/?"}],
		"excludedPaths":[{"path":"/*"}],
		"compositeIndexes":[[{"path":"/type"},{"path":"/creationDate"},{"path":"/id"}]]}}`)
	text := strings.Repeat("Lorem ipsum dolor sit amet, consectetur \"adipiscing\" elit, sed do eiusmod.\n", 270)
	create(b, e, fmt.Sprintf(`{"id":"p","postId":"p","type":"post","userId":"author","likeCount":0,"content":%q,
		"creationDate":"2026-11-21T10:00:00.000Z"}`, text), keyHeader, `["p"]`).want(b, 201)
	r := mustRequest(b, "POST", docs, "")
	for h, headers := 0, atomicBatch("p"); h < len(headers); h += 2 {
		r.Header.Set(headers[h], headers[h+1])
	}
	signAs(e, r, "docs", "dbs/d/colls/c", time.Now())
	n := 0
	for b.Loop() {
		n++
		like := fmt.Sprintf(`[{"operationType":"Create","resourceBody":{"id":"like%d","type":"like","postId":"p",`+
			`"userId":"u%d","creationDate":"2026-11-21T10:00:00.000Z"}},`+
			`{"operationType":"Patch","id":"p","resourceBody":`+
			`{"condition":"FROM c WHERE c.type = 'post' AND NOT IS_DEFINED(c.deletionDate)",`+
			`"operations":[{"op":"incr","path":"/likeCount","value":1}]}}]`, n, n)
		r := r.Clone(context.Background())
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader([]byte(like))), int64(len(like))
		if a, err := e.Do(r); err != nil || a.StatusCode != http.StatusOK {
			b.Fatal(err, a)
		}
	}
}
