// Package inspector has the views of the cost inspector, which shows administrators the storage operations behind each
// page.
package inspector

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"inkfeed/cosmos/dependency"
	"inkfeed/cosmos/operations"
	"inkfeed/domain"
	"inkfeed/domain/locale"
)

// Modes of the cost inspector, as forms send them.
const (
	ModeOff    = "off"
	ModeCached = "cached" // pages are made with the cache of query results, as without the inspector
	ModeFresh  = "fresh"  // each page reads everything that it shows from the storage
)

// meanings are the requests of the data model in words.
var meanings = map[string]locale.Message{
	"C1": locale.M("create a user"),
	"Q1": locale.M("retrieve a user"),
	"C2": locale.M("create or edit a post"),
	"Q2": locale.M("retrieve a post"),
	"Q3": locale.M("list a user's posts"),
	"C3": locale.M("create a comment"),
	"Q4": locale.M("list a post's comments"),
	"C4": locale.M("like a post"),
	"Q5": locale.M("list a post's likes"),
	"Q6": locale.M("list the newest posts"),
}

// units formats a charge in request units.
func units(charge float64) locale.Message { return locale.Decimal(charge, 2) }

// milliseconds formats a duration in milliseconds.
func milliseconds(d time.Duration) locale.Message {
	return locale.Decimal(float64(d)/float64(time.Millisecond), 1)
}

// dearest returns the name of the operation with the highest charge, and how many percent of the total it takes. The
// name is empty if there are not several operations with a charge.
func (r Report) dearest() (name string, percent locale.Message) {
	charges := map[string]float64{}
	for _, o := range r.Operations {
		if o.Cached || o.Charge == 0 {
			continue
		}
		charges[o.Name] += o.Charge
		if name == "" || charges[o.Name] > charges[name] {
			name = o.Name
		}
	}
	if len(charges) < 2 {
		return "", locale.Message{}
	}
	return name, locale.Decimal(100*charges[name]/r.Totals.Charge, 0)
}

// secret reports whether the key of a logical partition is a digest of a secret or an address of a visitor.
func secret(p dependency.PartitionRef) bool {
	switch p.Container {
	case "posts", "feed", "tags":
		return false
	case "users":
		return !domain.IsUserID(p.Key) // a reservation of a name or an address
	}
	return true
}

// requestText says what a request does that is no query.
func requestText(o operations.Operation) locale.Message {
	_, details, _ := strings.Cut(o.Text, ": ")
	switch o.Kind {
	case "read":
		return locale.M("point read of one item by its id")
	case "create":
		return locale.M("create one item")
	case "upsert":
		return locale.M("create or replace one item")
	case "replace":
		return locale.M("replace one item")
	case "delete":
		return locale.M("delete one item")
	case "patch":
		return locale.M("patch one item: <code>{changes}</code>", "changes", details)
	case "batch":
		batch, _, _ := strings.Cut(o.Text, ":")
		return locale.M("transactional batch of {number}: <code>{operations}</code>", "number",
			batch[strings.LastIndex(batch, " ")+1:], "operations", details)
	case "change feed":
		return locale.M("changes since the continuation")
	}
	return locale.M("<code>{request}</code>", "request", o.Text)
}

// ranges formats the number of feed ranges of an operation.
func ranges(o operations.Operation) string {
	if o.Ranges == 0 {
		return "–"
	}
	return strconv.Itoa(o.Ranges)
}

// answer describes the answer to an operation.
func answer(o operations.Operation) locale.Message {
	switch {
	case o.Cached:
		return locale.M("from memory")
	case o.Status == 0:
		return locale.M("no answer")
	case o.Status == http.StatusTooManyRequests:
		return locale.M("{status}: throttled, sent again", "status", strconv.Itoa(o.Status))
	case o.Status == http.StatusNotFound:
		return locale.M("{status}: not found", "status", strconv.Itoa(o.Status))
	case o.Status == http.StatusNotModified:
		return locale.M("{status}: nothing new", "status", strconv.Itoa(o.Status))
	}
	return locale.Verbatim(strconv.Itoa(o.Status))
}
