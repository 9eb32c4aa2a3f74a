package embedded

import (
	"database/sql/driver"
	"math"
	"net/http"
	"strconv"

	"inkfeed/cosmos/embedded/internal/value"
)

// The least throughput of a container, and the part of its maximum to which autoscale
// goes down.
const (
	minThroughput = 400
	autoscaleIdle = 10
)

// offer is the throughput of a database or container for which it was set. It is kept
// and reported; what is enforced is the engine's Options.Throughput.
type offer struct {
	num, ts, revision int64
	resource, link    string
	content           value.Value
}

const offerColumns = "num, ts, revision, resource, link, content"

func scanOffer(r []driver.Value) (*offer, error) {
	content, err := value.Parse(asText(r[5]))
	return &offer{num: asInt(r[0]), ts: asInt(r[1]), revision: asInt(r[2]), resource: asText(r[3]), link: asText(r[4]), content: content}, err
}

// rid is three bytes, which make four characters.
func (o *offer) rid() string {
	return ridText([]byte{byte(o.num >> 16), byte(o.num >> 8), byte(o.num)})
}

// document is the offer as the client sees it.
func (o *offer) document() value.Value {
	text := value.OfString
	return value.OfObject([]value.Member{
		{Name: "resource", Value: text(o.link)}, {Name: "offerType", Value: text("Invalid")},
		{Name: "offerResourceId", Value: text(o.resource)}, {Name: "offerVersion", Value: text("V2")},
		{Name: "content", Value: o.content}, {Name: "id", Value: text(o.rid())}, {Name: "_rid", Value: text(o.rid())},
		{Name: "_self", Value: text("offers/" + o.rid() + "/")}, {Name: "_etag", Value: text(formatETag(o.revision, o.ts))},
		{Name: "_ts", Value: value.OfInt(o.ts)},
	})
}

// createOffer keeps the throughput that the request to create a resource sets, if any.
func (t *txn) createOffer(q *request, rid, link string) error {
	var content value.Value
	switch manual, auto := q.header("X-Ms-Offer-Throughput"), q.header("X-Ms-Cosmos-Offer-Autopilot-Settings"); {
	case manual != "":
		n, err := strconv.ParseInt(manual, 10, 64)
		if err != nil {
			return badRequest("The throughput %q is not a number.", manual)
		}
		content = value.OfObject([]value.Member{{Name: "offerThroughput", Value: value.OfInt(n)}})
	case auto != "":
		settings, err := value.Parse(auto)
		if err != nil {
			return badRequest("The autoscale settings are not valid: %v.", err)
		}
		content = value.OfObject([]value.Member{{Name: "offerAutopilotSettings", Value: settings}})
	default:
		return nil
	}
	content, err := completeOffer(content)
	if err != nil {
		return err
	}
	_, err = t.exec("INSERT INTO offers (resource, link, content, ts, revision) VALUES (?, ?, ?, ?, 1)", rid, link, content.JSON(), t.now)
	return err
}

// completeOffer checks the content of an offer and adds what the service adds.
func completeOffer(content value.Value) (value.Value, error) {
	throughput := content.Member("offerThroughput")
	if auto := content.Member("offerAutopilotSettings"); auto.Kind() == value.Object {
		most, ok := auto.Member("maxThroughput").Int()
		if !ok || most < minThroughput {
			return content, badRequest("The maximum throughput of autoscale is not valid.")
		}
		throughput = value.OfInt(most / autoscaleIdle)
	}
	if n, ok := throughput.Int(); !ok || n < minThroughput/autoscaleIdle || n > math.MaxInt32 {
		return content, badRequest("The throughput %s is not valid.", throughput.JSON())
	}
	content = content.With("offerThroughput", throughput)
	return content.With("offerIsRUPerMinuteThroughputEnabled", value.OfBool(false)), nil
}

func (t *txn) deleteOffer(rid string) error {
	_, err := t.exec("DELETE FROM offers WHERE resource = ?", rid)
	return err
}

// queryOffers finds none where no throughput was set.
func (e *Engine) queryOffers(q *request) (*response, error) {
	var all []value.Value
	err := e.store.read(q.ctx(), func(conn *conn) error {
		return conn.query(q.ctx(), "SELECT "+offerColumns+" FROM offers", nil, func(r []driver.Value) (bool, error) {
			o, err := scanOffer(r)
			if err == nil {
				all = append(all, o.document())
			}
			return true, err
		})
	})
	if err != nil {
		return nil, err
	}
	return e.queryResources(q, "Offers", "", all)
}

// offer finds an offer by its rid.
func (c *conn) offer(rid string) (*offer, error) {
	b, err := ridBytes(rid)
	if err != nil || len(b) != 3 {
		return nil, errItemMissing()
	}
	row, err := c.one("SELECT "+offerColumns+" FROM offers WHERE num = ?", int64(b[0])<<16|int64(b[1])<<8|int64(b[2]))
	if err != nil {
		return nil, err
	}
	if row == nil {
		return nil, errItemMissing()
	}
	return scanOffer(row)
}

func (e *Engine) readOffer(q *request) (*response, error) {
	var found *offer
	err := e.store.read(q.ctx(), func(conn *conn) (err error) {
		found, err = conn.offer(q.segs[1])
		return err
	})
	if err != nil {
		return nil, err
	}
	return q.offerAnswer(found), nil
}

func (e *Engine) replaceOffer(q *request) (*response, error) {
	body, err := q.json()
	if err != nil {
		return nil, err
	}
	content, err := completeOffer(body.Member("content"))
	if err != nil {
		return nil, err
	}
	var replaced *offer
	err = e.submit(&write{ctx: q.ctx(), rows: 1, apply: func(t *txn) error {
		o, err := t.offer(q.segs[1])
		if err != nil {
			return err
		}
		if !matches(q.header("If-Match"), formatETag(o.revision, o.ts)) {
			return errPrecondition()
		}
		o.content, o.ts, o.revision = content, t.now, o.revision+1
		replaced = o
		_, err = t.exec("UPDATE offers SET content = ?, ts = ?, revision = ? WHERE num = ?", content.JSON(), o.ts, o.revision, o.num)
		return err
	}})
	if err != nil {
		return nil, err
	}
	return q.offerAnswer(replaced), nil
}

func (q *request) offerAnswer(o *offer) *response {
	r := q.resource(http.StatusOK, o.document(), nil)
	r.set("X-Ms-Offer-Replace-Pending", "false")
	r.set("X-Ms-Cosmos-Min-Throughput", strconv.Itoa(minThroughput))
	return r
}
