package execution

import (
	"encoding/base64"
	"net/url"
	"slices"
	"strings"

	"inkfeed/cosmos/embedded/internal/catalog"
	"inkfeed/cosmos/embedded/internal/query"
	"inkfeed/cosmos/embedded/internal/value"
)

// indexUse lists the indexes that serve a query and the indexes that would serve it if the policy
// defined them.
type indexUse struct {
	c                        *catalog.Container
	used, lacking            []value.Value // single-path indexes
	usedTogether, couldServe []value.Value // composite indexes
	paths                    []string      // paths already listed
}

// indexUse determines the use of indexes by the query.
func (r *Page) indexUse() *indexUse {
	u := &indexUse{c: r.C}
	predicates := r.stmt.FilterPredicates()
	for _, p := range predicates {
		u.single(p.Path, query.Text(p.Expr))
	}
	for _, o := range r.stmt.OrderBy {
		u.single(o.Path, "")
	}
	u.composite(predicates, r.stmt.OrderBy)
	return u
}

// IndexUtilization returns the header with the index metrics in the service's form: JSON in base64.
func (r *Page) IndexUtilization() string {
	u := r.indexUse()
	document := value.OfObject([]value.Member{
		{Name: "UtilizedSingleIndexes", Value: value.OfArray(u.used)},
		{Name: "PotentialSingleIndexes", Value: value.OfArray(u.lacking)},
		{Name: "UtilizedCompositeIndexes", Value: value.OfArray(u.usedTogether)},
		{Name: "PotentialCompositeIndexes", Value: value.OfArray(u.couldServe)},
	})
	return base64.StdEncoding.EncodeToString(document.AppendJSON(nil))
}

// IndexUtilizationV2 returns the header in its newer form: URL-escaped JSON.
func (r *Page) IndexUtilizationV2() string {
	u := r.indexUse()
	specs := func(list []value.Value, name string) value.Value {
		elems := make([]value.Value, len(list))
		for i, v := range list {
			elems[i] = value.OfObject([]value.Member{{Name: name, Value: v.Member(name)}})
		}
		return value.OfArray(elems)
	}
	both := func(single, composite []value.Value) value.Value {
		return value.OfObject([]value.Member{
			{Name: "SingleIndexes", Value: specs(single, "IndexSpec")},
			{Name: "CompositeIndexes", Value: specs(composite, "IndexSpecs")},
		})
	}
	return url.PathEscape(value.OfObject([]value.Member{
		{Name: "UtilizedIndexes", Value: both(u.used, u.usedTogether)},
		{Name: "PotentialIndexes", Value: both(u.lacking, u.couldServe)},
	}).JSON())
}

// single adds the index over one path.
func (u *indexUse) single(p *query.Path, filter string) {
	path := p.String()
	if slices.Contains(u.paths, path) {
		return
	}
	u.paths = append(u.paths, path)
	steps := make([]string, len(p.Steps))
	for i, s := range p.Steps {
		if steps[i] = s.Name; s.IsIndex {
			steps[i] = "[]"
		}
	}
	entry := value.OfObject([]value.Member{
		{Name: "FilterExpression", Value: value.OfString(filter)},
		{Name: "IndexSpec", Value: value.OfString(indexSpec(steps) + "/?")},
		{Name: "FilterPreciseSet", Value: value.OfBool(true)},
		{Name: "IndexPreciseSet", Value: value.OfBool(true)},
		{Name: "IndexImpactScore", Value: value.OfString("High")},
	})
	if u.c.Policy.Covers(steps) {
		u.used = append(u.used, entry)
	} else {
		u.lacking = append(u.lacking, entry)
	}
}

// indexSpec formats a path as in an indexing policy.
func indexSpec(steps []string) string {
	var b strings.Builder
	for _, s := range steps {
		b.WriteByte('/')
		if strings.ContainsAny(s, `/"*?[] `) && s != "[]" {
			s = `"` + s + `"`
		}
		b.WriteString(s)
	}
	return b.String()
}

// composite adds the composite index over the paths compared by equality, followed by the paths of
// ORDER BY or one range. It omits elements of arrays, which no composite index contains. The index
// is either defined by the policy or potential.
func (u *indexUse) composite(predicates []query.Predicate, orders []query.Order) {
	var equal, rest []catalog.IndexPath
	add := func(list []catalog.IndexPath, p catalog.IndexPath) []catalog.IndexPath {
		if slices.ContainsFunc(append(slices.Clone(equal), list...),
			func(x catalog.IndexPath) bool { return x.Path == p.Path }) {
			return list
		}
		return append(list, p)
	}
	for _, p := range predicates {
		if p.And && p.Equal && !p.Path.HasIndex() {
			equal = add(equal, catalog.IndexPath{Path: p.Path.String()})
		}
	}
	for _, o := range orders {
		rest = add(rest, catalog.IndexPath{Path: o.Path.String(), Desc: o.Desc})
	}
	if len(orders) == 0 {
		for _, p := range predicates {
			if p.And && !p.Equal && len(rest) == 0 && !p.Path.HasIndex() {
				rest = add(rest, catalog.IndexPath{Path: p.Path.String()})
			}
		}
	}
	if len(equal)+len(rest) < 2 {
		return
	}
	for _, index := range u.c.Policy.Composites {
		if servesTogether(index, equal, rest) || len(orders) > 1 && (servesOrder(index, orders, false) ||
			servesOrder(index, orders, true)) {
			u.usedTogether = append(u.usedTogether, compositeEntry(index))
			return
		}
	}
	if wanted := append(equal, rest...); len(wanted) <= catalog.MaxCompositePaths {
		u.couldServe = append(u.couldServe, compositeEntry(wanted))
	}
}

// servesTogether reports whether a composite index begins with the paths in equal, in any sequence,
// and continues with rest, either all in the same or all in the opposite directions.
func servesTogether(index, equal, rest []catalog.IndexPath) bool {
	if len(index) < len(equal)+len(rest) {
		return false
	}
	for _, p := range index[:len(equal)] {
		if !slices.ContainsFunc(equal, func(e catalog.IndexPath) bool { return e.Path == p.Path }) {
			return false
		}
	}
	tail := index[len(equal) : len(equal)+len(rest)]
	same := func(turned bool) bool {
		return slices.EqualFunc(tail, rest,
			func(a, b catalog.IndexPath) bool { return a.Path == b.Path && a.Desc == (b.Desc != turned) })
	}
	return same(false) || same(true)
}

func compositeEntry(index []catalog.IndexPath) value.Value {
	specs := make([]value.Value, len(index))
	for i, p := range index {
		direction := " ASC"
		if p.Desc {
			direction = " DESC"
		}
		specs[i] = value.OfString(indexSpec(value.SplitPointer(p.Path)) + direction)
	}
	return value.OfObject([]value.Member{
		{Name: "IndexSpecs", Value: value.OfArray(specs)},
		{Name: "IndexPreciseSet", Value: value.OfBool(true)},
		{Name: "IndexImpactScore", Value: value.OfString("High")},
	})
}
