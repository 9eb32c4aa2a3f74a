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
	hashes, err := e.sampleForOffer(q, body)
	if err != nil {
		return nil, err
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
		if o.Content, err = q.nextOffer(o, body); err != nil {
			return nil, err
		}
		if err := checkThroughput(cat, o); err != nil {
			return nil, err
		}
		o.TS, o.Revision = t.Now, o.Revision+1
		replaced = o
		_, err = t.Exec("UPDATE offers SET content = ?, ts = ?, revision = ? WHERE num = ?", o.Content.JSON(), o.TS,
			o.Revision, o.Num)
		if err != nil {
			return nil, err
		}
		return splitForOffer(t, cat, o, hashes)
	})
	if err != nil {
		return nil, err
	}
	return q.offerAnswer(replaced), nil
}

// nextOffer returns the content of an offer after its replacement by the body of a request.
func (q *request) nextOffer(o *catalog.Offer, body value.Value) (value.Value, error) {
	return catalog.ReplaceOffer(body.Member("content"), o.Content, q.engine.throughput,
		isTrue(q.header("X-Ms-Cosmos-Migrate-Offer-To-Autopilot")),
		isTrue(q.header("X-Ms-Cosmos-Migrate-Offer-To-Manual-Throughput")))
}

// sampleForOffer samples the hashes of the containers that the replacement of an offer splits, by their numbers.
func (e *Engine) sampleForOffer(q *request, body value.Value) (hashes map[int64][][]byte, err error) {
	var resource string
	var throughput int64
	err = e.store.Read(q.ctx(), func(conn *storage.Conn) error {
		o, err := catalog.FindOffer(conn, q.segs[1])
		if err != nil {
			return err
		}
		content, err := q.nextOffer(o, body)
		resource, throughput = o.Resource, catalog.ThroughputOf(content)
		return err
	})
	if err != nil {
		return nil, err
	}
	hashes = make(map[int64][][]byte)
	for _, c := range e.catalog.Load().Provisioned(resource) {
		if len(c.Ranges) >= c.RangesFor(throughput) {
			continue
		}
		if hashes[c.Num], err = catalog.SampleHashes(q.ctx(), e.store, c); err != nil {
			return nil, err
		}
	}
	return hashes, nil
}

// checkThroughput checks the throughput of an offer that is about to be stored.
func checkThroughput(cat *catalog.Catalog, o *catalog.Offer) error {
	throughput := catalog.ThroughputOf(o.Content)
	if least := catalog.LeastThroughput(o.Content); throughput < least {
		return apierror.BadRequest(
			"The offer should have valid throughput values between %d and %d inclusive in increments of %d.",
			least, catalog.MaxThroughput, catalog.ThroughputStep)
	}
	for _, c := range cat.Provisioned(o.Resource) {
		if c.SystemKey && c.Rid() == o.Resource && throughput > catalog.RangeRU {
			return catalog.LegacyThroughput()
		}
	}
	return nil
}

// splitForOffer splits the feed ranges of the containers of an offer as its throughput requires.
func splitForOffer(t *items.Txn, cat *catalog.Catalog, o *catalog.Offer, hashes map[int64][][]byte) (
	*catalog.Catalog, error) {
	throughput := catalog.ThroughputOf(o.Content)
	for _, c := range cat.Provisioned(o.Resource) {
		c, err := catalog.SplitTo(t.Conn, c, c.RangesFor(throughput), hashes[c.Num])
		if err != nil {
			return nil, err
		}
		t.After = append(t.After, c.RetireSplit)
		cat = cat.With(c)
	}
	t.After = append(t.After, func() { cat.Provision(o.Resource, throughput) })
	return cat, nil
}

func (q *request) offerAnswer(o *catalog.Offer) *response {
	r := q.resource(http.StatusOK, o.Document(q.engine.throughput), nil)
	r.set("X-Ms-Offer-Replace-Pending", "false")
	r.set("X-Ms-Cosmos-Min-Throughput", strconv.FormatInt(catalog.LeastThroughput(o.Content), 10))
	return r
}
