// Package inspector has the views of the cost inspector, which shows administrators the storage operations behind each
// page.
package inspector

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/inspection"
)

// Modes of the cost inspector, as forms send them.
const (
	ModeOff    = "off"
	ModeCached = "cached" // pages are made with the cache of query results, as without the inspector
	ModeFresh  = "fresh"  // each page reads everything that it shows from the storage
)

// meanings are the requests of the data model in words.
var meanings = map[string]string{
	"C1": "create a user", "Q1": "retrieve a user", "C2": "create or edit a post", "Q2": "retrieve a post",
	"Q3": "list a user's posts", "C3": "create a comment", "Q4": "list a post's comments", "C4": "like a post",
	"Q5": "list a post's likes", "Q6": "list the newest posts",
}

// units formats a charge in request units.
func units(charge float64) string { return strconv.FormatFloat(charge, 'f', 2, 64) }

// milliseconds formats a duration in milliseconds.
func milliseconds(d time.Duration) string {
	return strconv.FormatFloat(float64(d)/float64(time.Millisecond), 'f', 1, 64)
}

// dearest names the operation with the highest charge if it takes more than its share.
func (r Report) dearest() string {
	charges, name := map[string]float64{}, ""
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
		return ""
	}
	what := name
	if meaning := meanings[name]; meaning != "" {
		what += " (" + meaning + ")"
	}
	return fmt.Sprintf("%s takes %.0f %% of the total.", what, 100*charges[name]/r.Totals.Charge)
}

// partition names the logical partition of an operation. It names only the partitions of content and accounts: the keys
// of others are digests of secrets and addresses of visitors.
func partition(o inspection.Operation) string {
	key := o.Partition.Key
	switch o.Partition.Container {
	case "":
		return "none"
	case "posts", "feed", "tags":
	case "users":
		if key != "" && !domain.IsUserID(key) {
			return "one (hidden)" // a reservation of a name or an address
		}
	default:
		if key != "" {
			return "one (hidden)"
		}
	}
	if key == "" {
		return "several"
	}
	return key
}

// ranges formats the number of feed ranges of an operation.
func ranges(o inspection.Operation) string {
	if o.Ranges == 0 {
		return "–"
	}
	return strconv.Itoa(o.Ranges)
}

// answer describes the answer to an operation.
func answer(o inspection.Operation) string {
	switch {
	case o.Cached:
		return "from memory"
	case o.Status == 0:
		return "no answer"
	case o.Status == http.StatusTooManyRequests:
		return "429: throttled, sent again"
	case o.Status == http.StatusNotFound:
		return "404: not found"
	case o.Status == http.StatusNotModified:
		return "304: nothing new"
	}
	return fmt.Sprintf("%d", o.Status)
}
