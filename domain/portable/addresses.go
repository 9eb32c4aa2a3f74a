package portable

import (
	"path"
	"slices"
	"strings"

	"inkfeed/domain"
)

// AddPath records a former address of the post.
func (p *Post) AddPath(address string) {
	if i := strings.IndexAny(address, "?#"); i >= 0 {
		address = address[:i]
	}
	if old, ok := domain.OldPath(address); ok {
		p.AddOld(old)
	}
}

// maxPaths is the maximum number of former addresses of a post. They must fit into its record.
const maxPaths = 100

// AddOld records a former address that is already in the form of domain.OldPath, or that is a query such as "/?p=1".
func (p *Post) AddOld(path string) {
	switch {
	case slices.Contains(p.Paths, path):
	case len(p.Paths) == maxPaths:
		p.MorePaths = true
	default:
		p.Paths = append(p.Paths, path)
	}
}

// ReportPaths reports the posts that have too many former addresses.
func (b *Blog) ReportPaths() {
	for _, p := range b.Posts {
		if p.MorePaths {
			b.AddProblem(p.Where, "it has too many former addresses: only the first ones are kept")
		}
	}
}

// DraftPaths marks the addresses of a draft as addresses that it would have had.
func (p *Post) DraftPaths() {
	if p.Status == Draft {
		p.Paths, p.Next = nil, p.Paths
	}
}

// AddOther is AddPath for an address in front matter, which may be relative to the folder of the first address.
func (p *Post) AddOther(prefix, address string) {
	_, bare, absolute := strings.Cut(address, "://")
	switch {
	case absolute:
		if i := strings.IndexByte(bare, '/'); i >= 0 {
			p.AddPath(bare[i:])
		}
	case strings.HasPrefix(address, "/"):
		p.AddPath(prefix + address)
	case len(p.Paths) > 0:
		p.AddPath(path.Dir(p.Paths[0]) + "/" + address)
	default:
		p.AddPath(prefix + "/" + address)
	}
}
