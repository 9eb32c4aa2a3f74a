package cli

import (
	"net/http"
	"strings"

	"inkfeed/domain"
)

// storageCall tells calls to items and feed ranges from those about databases and
// containers, which only a start makes.
func storageCall(r *http.Request) bool {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	return len(parts) >= 5 && (parts[4] == "docs" || parts[4] == "pkranges")
}

// changes reports whether a call writes.
func changes(r *http.Request) bool {
	return r.Method != http.MethodGet && !strings.EqualFold(r.Header.Get("x-ms-documentdb-query"), "true")
}

// all reads all pages of a list.
func all[T any](page func(number int) (domain.Page[T], error)) ([]T, error) {
	var items []T
	for n := 1; ; n++ {
		p, err := page(n)
		items = append(items, p.Items...)
		if err != nil || !p.More {
			return items, err
		}
	}
}
