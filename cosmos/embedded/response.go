package embedded

import (
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"

	"inkfeed/cosmos/embedded/internal/apierror"
	"inkfeed/cosmos/embedded/internal/catalog"
	"inkfeed/cosmos/embedded/internal/charge"
	"inkfeed/cosmos/embedded/internal/items"
	"inkfeed/cosmos/embedded/internal/value"
)

// response is an HTTP response. Header names are canonical.
type response struct {
	status int
	header http.Header
	body   []byte
	values []string // storage for the single values of the header
}

func (r *response) set(canonical, v string) {
	r.values = append(r.values, v)
	n := len(r.values)
	r.header[canonical] = r.values[n-1 : n : n]
}

// respond starts a response with the common headers.
func (q *request) respond(status int, body []byte, cost float64) *response {
	r := &response{status: status, header: make(http.Header, 20), body: body, values: make([]string, 0, 20)}
	id := q.header("X-Ms-Activity-Id")
	if id == "" {
		id = newGUID()
	}
	r.set("X-Ms-Activity-Id", id)
	r.set("X-Ms-Request-Charge", charge.Format(cost))
	r.set("X-Ms-Serviceversion", "version=2.14.0.0")
	r.set("X-Ms-Gatewayversion", "version=2.14.0")
	r.set("X-Ms-Schemaversion", "1.21")
	if q.ours {
		r.set(extensionHeader, "1")
	}
	if bodyAllowed(status) {
		r.set("Content-Type", "application/json")
	}
	if c := q.coll; c != nil {
		r.set("X-Ms-Alt-Content-Path", c.Names.AltPath)
		r.set("X-Ms-Content-Path", c.Rid())
		q.session(r)
	}
	return r
}

// session sets the session token: the LSN of the feed range that served the request. If the range
// was split meanwhile, or the request concerned several ranges, it contains the LSNs of all current
// ranges, because the request may have written to a new one.
func (q *request) session(r *response) {
	if q.rng != nil && !q.rng.Gone.Load() {
		q.sessionAt(r, q.rng.LSN.Load())
		return
	}
	c := q.engine.catalog.Load().ByNum[q.coll.Num]
	if c == nil { // the container was deleted meanwhile
		c = q.coll
	}
	if len(c.Ranges) == 0 {
		return
	}
	var b strings.Builder
	for i, rng := range c.Ranges {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(sessionToken(rng, rng.LSN.Load()))
	}
	r.set("X-Ms-Session-Token", b.String())
}

func (q *request) sessionAt(r *response, lsn int64) {
	text := strconv.FormatInt(lsn, 10)
	r.set("X-Ms-Session-Token", sessionToken(q.rng, lsn))
	r.set("Lsn", text)
	r.set("X-Ms-Cosmos-Llsn", text)
	r.set("X-Ms-Global-Committed-Lsn", text)
	r.set("X-Ms-Documentdb-Partitionkeyrangeid", strconv.Itoa(q.rng.ID))
}

func sessionToken(rng *catalog.FeedRange, lsn int64) string {
	b := strconv.AppendInt(make([]byte, 0, 24), int64(rng.ID), 10)
	return string(strconv.AppendInt(append(b, ":-1#"...), lsn, 10))
}

// fail returns the response for an error.
func (q *request) fail(err error) *response {
	e, meant := apierror.From(err)
	switch {
	case meant:
	case q.coll != nil && q.engine.catalog.Load().ByNum[q.coll.Num] == nil:
		e = apierror.OwnerMissing() // the table was dropped meanwhile
	case q.coll != nil && strings.Contains(err.Error(), "no such table: "+q.coll.Table.Name):
		e = apierror.OwnerMissing() // the table was dropped; the catalog is about to change
	default:
		q.engine.log.Error("request failed", "method", q.Method, "path", loggedPath(q.URL.Path), "error", err)
	}
	cost := charge.MissRU
	if e.Units > 0 {
		cost = e.Units * charge.WriteUnit
	}
	if q.rng != nil && q.coll != nil && e.Status != http.StatusTooManyRequests && !e.NoCharge {
		q.spend(q.rng, cost)
	}
	r := q.respond(e.Status, e.Body(), cost)
	if e.NoCharge {
		delete(r.header, "X-Ms-Request-Charge")
	}
	if e.Substatus != 0 {
		r.set("X-Ms-Substatus", strconv.Itoa(e.Substatus))
	}
	if e.RetryMS > 0 {
		r.set("X-Ms-Retry-After-Ms", strconv.Itoa(e.RetryMS))
	}
	return r
}

// resource returns the response with a database, a container or an offer.
func (q *request) resource(status int, document value.Value, c *catalog.Container) *response {
	q.coll = c
	r := q.respond(status, document.AppendJSON(nil), charge.MetadataRU)
	r.set("Etag", document.Member("_etag").Str())
	delete(r.header, "X-Ms-Session-Token") // a test of the JavaScript SDK 3 expects none with a container
	return r
}

// feed returns the response with a list of JSON documents.
func (q *request) feed(name, parent string, documents [][]byte, cost float64) *response {
	size := len(parent) + len(name) + 40
	for _, d := range documents {
		size += len(d) + 1
	}
	b := append(make([]byte, 0, size), `{"_rid":`...)
	b = value.AppendString(b, parent)
	b = append(b, `,"`+name+`":[`...)
	for i, d := range documents {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, d...)
	}
	b = strconv.AppendInt(append(b, `],"_count":`...), int64(len(documents)), 10)
	r := q.respond(http.StatusOK, append(b, '}'), cost)
	r.set("X-Ms-Item-Count", strconv.Itoa(len(documents)))
	return r
}

// newGUID returns a random activity id.
func newGUID() string {
	const digits = "0123456789abcdef"
	b := []byte("00000000-0000-4000-8000-000000000000")
	for i, c := range b {
		if c == '0' {
			b[i] = digits[rand.N(16)]
		}
	}
	return string(b)
}

// unchanged reports whether the client already has this version of the resource.
func (q *request) unchanged(etag string) bool {
	none := q.header("If-None-Match")
	return none != "" && items.Matches(none, etag)
}

// notModified returns a response with status 304.
func (q *request) notModified(etag string) *response {
	r := q.respond(http.StatusNotModified, nil, charge.MetadataRU)
	r.set("Etag", etag)
	return r
}

// loggedPath returns a resource path without the id of an item, which can be a name or a secret.
func loggedPath(path string) string {
	const items = "/docs/"
	if collection, _, found := strings.Cut(path, items); found {
		return collection + items + "…"
	}
	return path
}
