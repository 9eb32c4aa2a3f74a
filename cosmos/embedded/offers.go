package embedded

import (
	"database/sql/driver"
	"net/http"
	"strconv"

	"inkfeed/cosmos/embedded/internal/apierror"
	"inkfeed/cosmos/embedded/internal/catalog"
	"inkfeed/cosmos/embedded/internal/items"
	"inkfeed/cosmos/embedded/internal/storage"
	"inkfeed/cosmos/embedded/internal/value"
)

// newOffer returns the content of the offer in a request that creates a resource; undefined if it
// has none.
func (q *request) newOffer() (content value.Value, err error) {
	switch manual, auto := q.header("X-Ms-Offer-Throughput"), q.header("X-Ms-Cosmos-Offer-Autopilot-Settings"); {
	case manual != "" && auto != "":
		return content, apierror.BadRequest("A throughput and autoscale settings cannot be set together.")
	case manual != "":
		n, err := strconv.ParseInt(manual, 10, 64)
		if err != nil {
			return content, apierror.BadRequest("The throughput %q is not a number.", manual)
		}
		content = value.OfObject([]value.Member{{Name: "offerThroughput", Value: value.OfInt(n)}})
	case auto != "":
		settings, err := value.Parse(auto)
		if err != nil || settings.Kind() != value.Object {
			return content, apierror.BadRequest("The autoscale settings %q are not valid.", auto)
		}
		content = value.OfObject([]value.Member{{Name: "offerAutopilotSettings", Value: settings}})
	default:
		return content, nil
	}
	return catalog.CompleteOffer(content, value.Value{})
}

// queryOffers queries the offers. A container that shares its database's throughput has none.
func (e *Engine) queryOffers(q *request) (*response, error) {
	var all []value.Value
	err := e.store.Read(q.ctx(), func(conn *storage.Conn) error {
		return conn.Query(q.ctx(), "SELECT "+catalog.OfferColumns+" FROM offers", nil,
			func(r []driver.Value) (bool, error) {
				o, err := catalog.ScanOffer(r)
				if err == nil {
					all = append(all, o.Document(e.throughput))
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
	var found *catalog.Offer
	err := e.store.Read(q.ctx(), func(conn *storage.Conn) (err error) {
		found, err = catalog.FindOffer(conn, q.segs[1])
		return err
	})
	if err != nil {
		return nil, err
	}
	return q.offerAnswer(found), nil
}

// replaceOffer changes the provisioned throughput, or migrates it between manual and autoscale, with immediate effect.
// If more feed ranges are needed, it splits some. Ranges are never merged.
func (e *Engine) replaceOffer(q *request) (*response, error) {
	body, err := q.json()
	if err != nil {
		return nil, err
	}
	next := func(o *catalog.Offer) (value.Value, error) {
		return catalog.ReplaceOffer(body.Member("content"), o.Content, e.throughput,
			isTrue(q.header("X-Ms-Cosmos-Migrate-Offer-To-Autopilot")),
			isTrue(q.header("X-Ms-Cosmos-Migrate-Offer-To-Manual-Throughput")))
	}
	var resource string
	var throughput int64
	err = e.store.Read(q.ctx(), func(conn *storage.Conn) error {
		o, err := catalog.FindOffer(conn, q.segs[1])
		if err != nil {
			return err
		}
		content, err := next(o)
		resource, throughput = o.Resource, catalog.ThroughputOf(content)
		return err
	})
	if err != nil {
		return nil, err
	}
	hashes := make(map[int64][][]byte)
	for _, c := range e.catalog.Load().Provisioned(resource) {
		if len(c.Ranges) >= c.RangesFor(throughput) {
			continue
		}
		if hashes[c.Num], err = catalog.SampleHashes(q.ctx(), e.store, c); err != nil {
			return nil, err
		}
	}
	var replaced *catalog.Offer
	err = e.writer.Change(q.ctx(), func(t *items.Txn, cat *catalog.Catalog) (*catalog.Catalog, error) {
		o, err := catalog.FindOffer(t.Conn, q.segs[1])
		if err != nil {
			return nil, err
		}
		if rid := body.Member("_rid"); rid.Defined() && rid.Str() != o.Rid() {
			return nil, apierror.BadRequest(
				"The _rid of the offer in the request's body differs from the _rid in the request's path.",
			)
		}
		if !items.Matches(q.header("If-Match"), catalog.FormatETag(o.Revision, o.TS)) {
			return nil, apierror.PreconditionFailed()
		}
		content, err := next(o)
		if err != nil {
			return nil, err
		}
		throughput := catalog.ThroughputOf(content)
		if least := catalog.LeastThroughput(content); throughput < least {
			return nil,
				apierror.BadRequest(
					"The offer should have valid throughput values between %d and %d inclusive in increments of %d.",
					least, catalog.MaxThroughput, catalog.ThroughputStep)
		}
		for _, c := range cat.Provisioned(o.Resource) {
			if c.SystemKey && c.Rid() == o.Resource && throughput > catalog.RangeRU {
				return nil, catalog.LegacyThroughput()
			}
		}
		o.Content, o.TS, o.Revision = content, t.Now, o.Revision+1
		replaced = o
		_, err = t.Exec("UPDATE offers SET content = ?, ts = ?, revision = ? WHERE num = ?", content.JSON(), o.TS,
			o.Revision, o.Num)
		if err != nil {
			return nil, err
		}
		for _, c := range cat.Provisioned(o.Resource) {
			if c, err = catalog.SplitTo(t.Conn, c, c.RangesFor(throughput), hashes[c.Num]); err != nil {
				return nil, err
			}
			t.After = append(t.After, c.RetireSplit)
			cat = cat.With(c)
		}
		t.After = append(t.After, func() { cat.Provision(o.Resource, throughput) })
		return cat, nil
	})
	if err != nil {
		return nil, err
	}
	return q.offerAnswer(replaced), nil
}

func (q *request) offerAnswer(o *catalog.Offer) *response {
	r := q.resource(http.StatusOK, o.Document(q.engine.throughput), nil)
	r.set("X-Ms-Offer-Replace-Pending", "false")
	r.set("X-Ms-Cosmos-Min-Throughput", strconv.FormatInt(catalog.LeastThroughput(o.Content), 10))
	return r
}
