package embedded

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"net/http"
	"net/url"
	"strings"

	"inkfeed/cosmos/embedded/internal/apierror"
	"inkfeed/cosmos/embedded/internal/catalog"
	"inkfeed/cosmos/embedded/internal/storage"
)

type handler func(*Engine, *request) (*response, error)

// routes maps the shape of a path, in which * is the name of a resource, and a method to the
// handler. Paths are divided by position, because a database may be named colls.
var routes = map[string]map[string]handler{
	"":            {http.MethodGet: (*Engine).readAccount},
	"dbs":         {http.MethodPost: (*Engine).postDatabase, http.MethodGet: (*Engine).queryDatabases},
	"dbs/*":       {http.MethodGet: (*Engine).readDatabase, http.MethodDelete: (*Engine).deleteDatabase},
	"dbs/*/colls": {http.MethodPost: (*Engine).postContainer, http.MethodGet: (*Engine).queryContainers},
	"dbs/*/colls/*": {
		http.MethodGet:    (*Engine).readContainer,
		http.MethodPut:    (*Engine).replaceContainer,
		http.MethodDelete: (*Engine).deleteContainer,
	},
	"offers":                    {http.MethodPost: (*Engine).queryOffers, http.MethodGet: (*Engine).queryOffers},
	"offers/*":                  {http.MethodGet: (*Engine).readOffer, http.MethodPut: (*Engine).replaceOffer},
	"dbs/*/colls/*/pkranges":    {http.MethodGet: (*Engine).readRanges, http.MethodPost: (*Engine).postRanges},
	"dbs/*/colls/*/conflicts":   {http.MethodGet: (*Engine).queryConflicts, http.MethodPost: (*Engine).queryConflicts},
	"dbs/*/colls/*/conflicts/*": {http.MethodGet: (*Engine).readConflict, http.MethodDelete: (*Engine).readConflict},
	"dbs/*/colls/*/docs":        {http.MethodPost: (*Engine).postDocument, http.MethodGet: (*Engine).feedDocuments},
	"dbs/*/colls/*/docs/*": {
		http.MethodGet: (*Engine).readItem, http.MethodPut: (*Engine).replaceItem,
		http.MethodDelete: (*Engine).deleteItem, http.MethodPatch: (*Engine).patchItem,
	},
}

// route calls the handler of an authenticated request.
func (e *Engine) route(q *request) (*response, error) {
	segs := q.segs
	methods, ok := routes[shape(segs)]
	if !ok {
		return nil, badRequestURL(segs)
	}
	h, ok := methods[q.Method]
	if !ok {
		return nil, apierror.New(http.StatusMethodNotAllowed, apierror.SubNone, "The requested verb is not supported.")
	}
	if len(segs) == 6 && segs[4] == "docs" {
		if err := checkAddressedID(segs[5]); err != nil {
			return nil, err
		}
	}
	if q.byRID {
		if err := q.resolve(); err != nil {
			return nil, err
		}
	}
	return h(e, q)
}

// splitPath divides the path before decoding the segments, so that a slash in an id does not divide
// it. Doubled slashes, which some SDKs send, count as one.
func splitPath(u *url.URL) (segs []string) {
	for part := range strings.SplitSeq(u.EscapedPath(), "/") {
		if part == "" {
			continue
		}
		s, _ := url.PathUnescape(part) // EscapedPath has no invalid escapes
		segs = append(segs, s)
	}
	return segs
}

// shape returns the path with * in place of resource names.
func shape(segs []string) string {
	if len(segs) > 6 {
		return "invalid"
	}
	var b strings.Builder
	for i, s := range segs {
		switch {
		case i == 0:
			b.WriteString(s)
		case i%2 == 0:
			b.WriteString("/" + s)
		default:
			b.WriteString("/*")
		}
	}
	return b.String()
}

// lacking names what the engine does not have by the segment of a path that SDKs send for it.
var lacking = map[string]string{
	"sprocs":                     "stored procedures",
	"triggers":                   "triggers",
	"udfs":                       "user-defined functions",
	"users":                      "users",
	"permissions":                "permissions",
	"attachments":                "attachments",
	"media":                      "attachments",
	"clientencryptionkeys":       "client encryption keys",
	"udts":                       "user-defined types",
	"schemas":                    "schemas",
	"snapshots":                  "snapshots",
	"systemdocuments":            "system documents",
	"partitionedsystemdocuments": "system documents",
	"roledefinitions":            "role definitions",
	"roleassignments":            "role assignments",
	"addresses":                  "replicas to connect to directly; use the gateway mode",
	"partitionkeydelete":         "deletion of all items of a partition key",
	"collectiontruncate":         "truncation of containers",
	"operations":                 "such operation",
}

// badRequestURL distinguishes resources and operations that the engine does not have from invalid paths.
func badRequestURL(segs []string) error {
	for i := 0; i < len(segs); i += 2 {
		what := lacking[segs[i]]
		if segs[i] == "operations" && i+1 < len(segs) {
			what = cmp.Or(lacking[segs[i+1]], what)
		}
		if what != "" {
			return apierror.New(http.StatusNotImplemented, apierror.SubNone, "This engine has no %s.", what)
		}
	}
	return apierror.BadRequest("Request url is invalid.")
}

// checkAddressedID fails for ids that the service can store but its gateway cannot address, because
// the gateway decodes the path twice.
func checkAddressedID(id string) error {
	if strings.ContainsAny(id, "\r\n\t") {
		return apierror.BadRequest("The resource id contains a control character.")
	}
	decoded, err := url.PathUnescape(id)
	if strings.ContainsAny(id, `/\#`) || strings.HasSuffix(id, " ") || err == nil && decoded != id {
		return errUnauthorized()
	}
	return nil
}

// A resource has two addresses: one of ids, which its creators chose, and one of rids (_rid,
// _self), which the engine assigned. A client signs an address of ids as it is. For an address of
// rids it signs only the last rid, in lower case. The signature therefore distinguishes them, even
// if the name of a database looks like a rid. See
// https://learn.microsoft.com/rest/api/cosmos-db/access-control-on-cosmosdb-resources.

// signedRID returns the part of a path of rids that clients sign: the rid of the resource or, for a
// feed, of its parent. It is empty for a path without a rid.
func signedRID(segs []string) string {
	n := len(segs)
	switch {
	case n < 2:
		return ""
	case n%2 == 1:
		return segs[n-2]
	}
	return segs[n-1]
}

// resolve replaces the rids in the request's path by ids, which the handlers expect. It does not
// change offers, which are addressed only by rid.
func (q *request) resolve() error {
	if len(q.segs) < 2 || q.segs[0] != "dbs" {
		return nil
	}
	missing := func(depth int) error {
		if len(q.segs) == depth {
			return apierror.ItemMissing()
		}
		return apierror.OwnerMissing()
	}
	db := q.engine.catalog.Load().DatabaseByRID(q.segs[1])
	if db == nil {
		return missing(2)
	}
	q.segs[1] = db.ID
	if len(q.segs) < 4 {
		return nil
	}
	c := db.ContainerByRID(q.segs[3])
	if c == nil {
		return missing(4)
	}
	q.segs[3] = c.ID
	if len(q.segs) < 6 || q.segs[4] != "docs" {
		return nil
	}
	return q.resolveItem(c)
}

// resolveItem replaces the rid of an item by its id. An item in another partition may have the same
// id, so the operation also compares the rid.
func (q *request) resolveItem(c *catalog.Container) error {
	b, err := catalog.DecodeRID(q.segs[5])
	prefix := c.Names.RIDPrefix
	if err != nil || len(b) != len(prefix)+8 || !bytes.HasPrefix(b, prefix) {
		return apierror.ItemMissing()
	}
	q.itemRID = int64(binary.LittleEndian.Uint64(b[len(prefix):]))
	return q.engine.store.Read(q.ctx(), func(conn *storage.Conn) error {
		row, err := conn.One("SELECT id FROM "+c.Table.Name+" WHERE rid = ?", q.itemRID)
		switch {
		case err != nil:
			return err
		case row == nil:
			return apierror.ItemMissing()
		}
		q.segs[5] = storage.AsText(row[0])
		return nil
	})
}
