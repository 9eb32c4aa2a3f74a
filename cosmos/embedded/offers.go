package embedded

import (
	"database/sql/driver"
	"net/http"
	"strconv"

	"inkfeed/cosmos/embedded/internal/value"
)

// newOffer reads the throughput that the request to create a resource sets; undefined if it
// sets none.
func (q *request) newOffer() (content value.Value, err error) {
	switch manual, auto := q.header("X-Ms-Offer-Throughput"), q.header("X-Ms-Cosmos-Offer-Autopilot-Settings"); {
	case manual != "" && auto != "":
		return content, badRequest("A throughput and autoscale settings cannot be set together.")
	case manual != "":
		n, err := strconv.ParseInt(manual, 10, 64)
		if err != nil {
			return content, badRequest("The throughput %q is not a number.", manual)
		}
		content = value.OfObject([]value.Member{{Name: "offerThroughput", Value: value.OfInt(n)}})
	case auto != "":
		settings, err := value.Parse(auto)
		if err != nil || settings.Kind() != value.Object {
			return content, badRequest("The autoscale settings %q are not valid.", auto)
		}
		content = value.OfObject([]value.Member{{Name: "offerAutopilotSettings", Value: settings}})
	default:
		return content, nil
	}
	return completeOffer(content, value.Value{})
}

// queryOffers finds no offer of a container that shares its database's throughput.
func (e *Engine) queryOffers(q *request) (*response, error) {
	var all []value.Value
	err := e.store.read(q.ctx(), func(conn *conn) error {
		return conn.query(q.ctx(), "SELECT "+offerColumns+" FROM offers", nil, func(r []driver.Value) (bool, error) {
			o, err := scanOffer(r)
			if err == nil {
				all = append(all, o.document(e.throughput))
			}
			return true, err
		})
	})
	if err != nil {
		return nil, err
	}
	return e.queryResources(q, "Offers", "", all)
}

func (e *Engine) readOffer(q *request) (*response, error) {
	var found *offer
	err := e.store.read(q.ctx(), func(conn *conn) (err error) {
		found, err = findOffer(conn, q.segs[1])
		return err
	})
	if err != nil {
		return nil, err
	}
	return q.offerAnswer(found), nil
}

// replaceOffer sets another throughput, in force at once. Where it needs more feed ranges,
// some are split; none are ever merged.
func (e *Engine) replaceOffer(q *request) (*response, error) {
	body, err := q.json()
	if err != nil {
		return nil, err
	}
	if _, err := completeOffer(body.Member("content"), value.Value{}); err != nil {
		return nil, err
	}
	var resource string
	err = e.store.read(q.ctx(), func(conn *conn) error {
		o, err := findOffer(conn, q.segs[1])
		if err == nil {
			resource = o.resource
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	hashes := make(map[int64][][]byte)
	throughput := throughputOf(body.Member("content"))
	for _, c := range e.catalog.Load().provisioned(resource) {
		if len(c.ranges) >= c.rangesFor(throughput) {
			continue
		}
		if hashes[c.num], err = sampleHashes(q.ctx(), e.store, c); err != nil {
			return nil, err
		}
	}
	var replaced *offer
	err = e.writer.change(q.ctx(), func(t *txn, cat *catalog) (*catalog, error) {
		o, err := findOffer(t.conn, q.segs[1])
		if err != nil {
			return nil, err
		}
		if rid := body.Member("_rid"); rid.Defined() && rid.Str() != o.rid() {
			return nil, badRequest(
				"The _rid of the offer in the request's body differs from the _rid in the request's path.",
			)
		}
		if !matches(q.header("If-Match"), formatETag(o.revision, o.ts)) {
			return nil, errPrecondition()
		}
		content, err := completeOffer(body.Member("content"), o.content)
		if err != nil {
			return nil, err
		}
		if least := leastThroughput(content); throughput < least {
			return nil, badRequest("The offer should have valid throughput values between %d and %d inclusive in increments of %d.",
				least, maxThroughput, throughputStep)
		}
		for _, c := range cat.provisioned(o.resource) {
			if c.systemKey && c.rid() == o.resource && throughput > rangeRU {
				return nil, errLegacyThroughput()
			}
		}
		o.content, o.ts, o.revision = content, t.now, o.revision+1
		replaced = o
		_, err = t.exec("UPDATE offers SET content = ?, ts = ?, revision = ? WHERE num = ?", content.JSON(), o.ts, o.revision, o.num)
		if err != nil {
			return nil, err
		}
		for _, c := range cat.provisioned(o.resource) {
			if c, err = splitTo(t.conn, c, c.rangesFor(throughput), hashes[c.num]); err != nil {
				return nil, err
			}
			t.after = append(t.after, c.retireSplit)
			cat = cat.with(c)
		}
		t.after = append(t.after, func() { cat.provision(o.resource, throughput) })
		return cat, nil
	})
	if err != nil {
		return nil, err
	}
	return q.offerAnswer(replaced), nil
}

func (q *request) offerAnswer(o *offer) *response {
	r := q.resource(http.StatusOK, o.document(q.engine.throughput), nil)
	r.set("X-Ms-Offer-Replace-Pending", "false")
	r.set("X-Ms-Cosmos-Min-Throughput", strconv.FormatInt(leastThroughput(o.content), 10))
	return r
}
