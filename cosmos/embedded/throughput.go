package embedded

import (
	"database/sql/driver"

	"inkfeed/cosmos/embedded/internal/value"
)

// The throughput that can be set, in RU a second.
const (
	minThroughput  = 400
	throughputStep = 100
	minAutoscale   = 1000 // of its maximum
	autoscaleStep  = 1000
	maxThroughput  = 1_000_000
	autoscaleIdle  = 10     // the part of its maximum to which autoscale goes down
	rangeRU        = 10_000 // what one feed range can serve
)

// rangesFor is how many feed ranges a throughput needs.
func rangesFor(throughput int64) int { return int(ceil(throughput, rangeRU)) }

// offer is the throughput of a database or container for which it was set. That of a
// database is shared by its containers which have none of their own.
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

// defaultOffer is the content of the offer of a container if neither it nor its database was
// created with a throughput. Options.Throughput then sets the throughput.
func defaultOffer() value.Value { return value.OfObject(nil) }

// document is the offer as the client sees it. A default offer shows the engine's default
// throughput.
func (o *offer) document(standard int) value.Value {
	text := value.OfString
	if throughputOf(o.content) == 0 {
		o.content = value.OfObject([]value.Member{{Name: "offerThroughput", Value: value.OfInt(int64(standard))}})
		o.content, _ = completeOffer(o.content, value.Value{}) // Options.Throughput has no lower limit
	}
	return value.OfObject([]value.Member{
		{Name: "resource", Value: text(o.link)}, {Name: "offerType", Value: text("Invalid")},
		{Name: "offerResourceId", Value: text(o.resource)}, {Name: "offerVersion", Value: text("V2")},
		{Name: "content", Value: o.content}, {Name: "id", Value: text(o.rid())}, {Name: "_rid", Value: text(o.rid())},
		{Name: "_self", Value: text("offers/" + o.rid() + "/")}, {Name: "_etag", Value: text(formatETag(o.revision, o.ts))},
		{Name: "_ts", Value: value.OfInt(o.ts)},
	})
}

// insertOffer keeps the throughput of a new resource, if it has any.
func insertOffer(db *conn, now int64, content value.Value, rid, link string) error {
	if !content.Defined() {
		return nil
	}
	_, err := db.exec("INSERT INTO offers (resource, link, content, ts, revision) VALUES (?, ?, ?, ?, 1)", rid, link, content.JSON(), now)
	return err
}

// throughputOf is the most that an offer allows, in RU a second; 0 of none.
func throughputOf(content value.Value) int64 {
	if auto := content.Member("offerAutopilotSettings"); auto.Kind() == value.Object {
		most, _ := auto.Member("maxThroughput").Int()
		return most
	}
	n, _ := content.Member("offerThroughput").Int()
	return n
}

// everProvisioned is the most that an offer has ever allowed.
func everProvisioned(content value.Value) int64 {
	ever, _ := content.Member("offerMinimumThroughputParameters").Member("maxThroughputEverProvisioned").Int()
	return max(ever, throughputOf(content))
}

// completeOffer checks the content of an offer and adds what the service adds. Old is the
// content that it replaces, if any.
func completeOffer(content, old value.Value) (value.Value, error) {
	least, step := int64(minThroughput), int64(throughputStep)
	auto := content.Member("offerAutopilotSettings").Kind() == value.Object
	if auto {
		least, step = minAutoscale, autoscaleStep
	}
	set := content.Member("offerThroughput")
	if auto {
		set = content.Member("offerAutopilotSettings").Member("maxThroughput")
	}
	if n, ok := set.Int(); !ok || n < least || n > maxThroughput || n%step != 0 {
		return content, badRequest("The offer should have valid throughput values between %d and %d inclusive in increments of %d.", least, maxThroughput, step)
	}
	n := throughputOf(content)
	if auto {
		content = content.With("offerThroughput", value.OfInt(n/autoscaleIdle))
	}
	content = content.With("offerIsRUPerMinuteThroughputEnabled", value.OfBool(false))
	return content.With("offerMinimumThroughputParameters", value.OfObject([]value.Member{
		{Name: "maxThroughputEverProvisioned", Value: value.OfInt(max(n, everProvisioned(old)))},
		{Name: "maxConsumedStorageEverInKB", Value: value.OfInt(0)},
	})), nil
}

// leastThroughput is down to what an offer can be lowered: a part of the most that it has
// ever allowed, for what that has spread cannot be brought together again.
func leastThroughput(content value.Value) int64 {
	if content.Member("offerAutopilotSettings").Kind() == value.Object {
		return max(minAutoscale, roundUp(everProvisioned(content)/10, autoscaleStep))
	}
	return max(minThroughput, roundUp(everProvisioned(content)/100, throughputStep))
}

func roundUp(n, step int64) int64 { return ceil(n, step) * step }

// ceil is how many of a unit it takes for n.
func ceil(n, unit int64) int64 { return (n + unit - 1) / unit }

func deleteOffer(db *conn, rid string) error {
	_, err := db.exec("DELETE FROM offers WHERE resource = ?", rid)
	return err
}

// findOffer finds an offer by its rid.
func findOffer(c *conn, rid string) (*offer, error) {
	b, err := ridBytes(rid)
	if err != nil || len(b) != 3 {
		return nil, badRequest("The resource id of the offer, %q, is not valid.", rid)
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

// provisioned lists the containers that have the throughput of a resource, which is one of
// them or a database.
func (c *catalog) provisioned(rid string) (list []*container) {
	for _, db := range c.databases {
		for _, coll := range db.containers {
			if coll.rid() == rid || db.rid() == rid && coll.state.throughput.Load() == 0 {
				list = append(list, coll)
			}
		}
	}
	return list
}

// provision puts the throughput of a resource in force.
func (c *catalog) provision(rid string, throughput int64) {
	for _, db := range c.databases {
		if db.rid() == rid {
			db.shared.throughput.Store(throughput)
		}
		for _, coll := range db.containers {
			if coll.rid() == rid {
				coll.state.throughput.Store(throughput)
			}
		}
	}
}
