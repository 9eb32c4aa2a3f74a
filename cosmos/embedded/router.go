package embedded

import (
	"net/http"
	"net/url"
	"strings"

	"inkfeed/cosmos/embedded/internal/apierror"
)

type handler func(*Engine, *request) (*response, error)

// routes are the operations by the shape of their path, in which * is the name of a
// resource, and by method. Paths are split by position: a database may be named colls.
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

// route finds the operation, checks the signature and runs it.
func (e *Engine) route(q *request) (*response, error) {
	segs, err := splitPath(q.URL)
	if err != nil {
		return nil, err
	}
	q.segs = segs
	if err := e.authorize(q); err != nil {
		return nil, err
	}
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

// splitPath divides the path before it decodes the segments, so that a slash in an id
// stays in it. Doubled slashes, which some SDKs send, count as one.
func splitPath(u *url.URL) ([]string, error) {
	var segs []string
	for part := range strings.SplitSeq(u.EscapedPath(), "/") {
		if part == "" {
			continue
		}
		s, err := url.PathUnescape(part)
		if err != nil {
			return nil, apierror.BadRequest("Request url is invalid.")
		}
		segs = append(segs, s)
	}
	return segs, nil
}

// shape is the path with the names of resources, every second segment, left out.
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

// badRequestURL tells features that the engine does not have from nonsense.
func badRequestURL(segs []string) error {
	for i := 2; i < len(segs) && segs[0] == "dbs"; i += 2 {
		switch segs[i] {
		case "sprocs", "udfs", "triggers", "users", "permissions":
			return apierror.New(http.StatusNotImplemented, apierror.SubNone, "This engine has no %s.", segs[i])
		}
	}
	return apierror.BadRequest("Request url is invalid.")
}

// checkAddressedID refuses the ids that the service can store but its gateway cannot
// address, as it decodes the path twice.
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
