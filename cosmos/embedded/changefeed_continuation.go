package embedded

import (
	"slices"
	"strconv"
	"strings"

	"inkfeed/cosmos/embedded/internal/apierror"
	"inkfeed/cosmos/embedded/internal/catalog"
)

// feedContinuation is the continuation of a change feed: the LSN up to which each range has been read.
// For one range it is a single LSN in quotes, which stays valid for the ranges that this one is
// split into. For all ranges it lists their ids and LSNs, such as "0:12,1:3", in the order in which to
// read them. If the feed began at a time, the time follows, as in "0:12,1:0@1700000000", for ranges
// that have not been read yet.
type feedContinuation struct {
	all    int64 // LSN for ranges that are not listed
	since  int64 // Unix time at which the feed began; 0: from the beginning
	listed []feedPlace
}

type feedPlace struct {
	id  int
	lsn int64
}

// readFeedContinuation parses the etag of a change feed. The quotes are optional, because some clients send
// the lsn header of a response instead.
func readFeedContinuation(etag string) (p feedContinuation, err error) {
	unquoted := etag
	if len(etag) > 2 && etag[0] == '"' && etag[len(etag)-1] == '"' {
		unquoted = etag[1 : len(etag)-1]
	}
	text, since, begins := strings.Cut(unquoted, "@")
	if begins {
		if p.since, err = readLSN(since); err != nil {
			return p, errFeedContinuation(etag)
		}
	}
	if !strings.Contains(text, ":") {
		p.all, err = readLSN(text)
	} else {
		for part := range strings.SplitSeq(text, ",") {
			id, lsn, _ := strings.Cut(part, ":")
			var place feedPlace
			if place.id, err = strconv.Atoi(id); err != nil {
				break
			}
			if place.lsn, err = readLSN(lsn); err != nil {
				break
			}
			p.listed = append(p.listed, place)
		}
	}
	if err != nil {
		return p, errFeedContinuation(etag)
	}
	return p, nil
}

func errFeedContinuation(etag string) error {
	return apierror.BadRequest("The change feed continuation %q is not valid.", etag)
}

func readLSN(text string) (int64, error) {
	n, err := strconv.ParseUint(text, 10, 63)
	return int64(n), err
}

// of returns the LSN at which to continue in a range.
func (p *feedContinuation) of(rng *catalog.FeedRange) int64 {
	place := p.all
	for _, at := range p.listed {
		switch {
		case at.id == rng.ID:
			return at.lsn
		case descends(rng, at.id):
			place = max(place, at.lsn)
		}
	}
	return place
}

// first returns the index of the range to read first: the range that is listed first, or the first
// one into which it was split.
func (p *feedContinuation) first(ranges []*catalog.FeedRange) int {
	if len(p.listed) == 0 {
		return 0
	}
	id := p.listed[0].id
	return max(0, slices.IndexFunc(ranges, func(rng *catalog.FeedRange) bool {
		return rng.ID == id || descends(rng, id)
	}))
}

// descends reports whether a range is a part of a former one.
func descends(rng *catalog.FeedRange, former int) bool {
	return slices.ContainsFunc(rng.Parents, func(r *catalog.FeedRange) bool { return r.ID == former })
}
