package catalog

import (
	"database/sql/driver"

	"inkfeed/cosmos/embedded/internal/apierror"
	"inkfeed/cosmos/embedded/internal/storage"
	"inkfeed/cosmos/embedded/internal/value"
)

// The throughput that can be set, in RU a second.
const (
	MinThroughput  = 400
	ThroughputStep = 100
	minAutoscale   = 1000 // of its maximum
	autoscaleStep  = 1000
	MaxThroughput  = 1_000_000
	autoscaleIdle  = 10     // the part of its maximum to which autoscale goes down
	RangeRU        = 10_000 // what one feed range can serve
)

// rangesFor is how many feed ranges a throughput needs.
func rangesFor(throughput int64) int { return int(ceil(throughput, RangeRU)) }

// offer is the throughput of a database or container for which it was set. That of a
// database is shared by its containers which have none of their own.
type Offer struct {
	Num, TS, Revision int64
	Resource, link    string
	Content           value.Value
}

const OfferColumns = "num, ts, revision, resource, link, content"

func ScanOffer(r []driver.Value) (*Offer, error) {
	content, err := value.Parse(storage.AsText(r[5]))
	return &Offer{Num: storage.AsInt(r[0]), TS: storage.AsInt(r[1]), Revision: storage.AsInt(r[2]), Resource: storage.AsText(r[3]), link: storage.AsText(r[4]), Content: content}, err
}

// rid is three bytes, which make four characters.
func (o *Offer) Rid() string {
	return FormatRID([]byte{byte(o.Num >> 16), byte(o.Num >> 8), byte(o.Num)})
}

// defaultOffer is the content of the offer of a container if neither it nor its database was
// created with a throughput. Options.Throughput then sets the throughput.
func DefaultOffer() value.Value { return value.OfObject(nil) }

// document is the offer as the client sees it. A default offer shows the engine's default
// throughput.
func (o *Offer) Document(standard int) value.Value {
	text := value.OfString
	if ThroughputOf(o.Content) == 0 {
		o.Content = value.OfObject([]value.Member{{Name: "offerThroughput", Value: value.OfInt(int64(standard))}})
		o.Content, _ = CompleteOffer(o.Content, value.Value{}) // Options.Throughput has no lower limit
	}
	return value.OfObject([]value.Member{
		{Name: "resource", Value: text(o.link)}, {Name: "offerType", Value: text("Invalid")},
		{Name: "offerResourceId", Value: text(o.Resource)}, {Name: "offerVersion", Value: text("V2")},
		{Name: "content", Value: o.Content}, {Name: "id", Value: text(o.Rid())}, {Name: "_rid", Value: text(o.Rid())},
		{Name: "_self", Value: text("offers/" + o.Rid() + "/")}, {Name: "_etag", Value: text(FormatETag(o.Revision, o.TS))},
		{Name: "_ts", Value: value.OfInt(o.TS)},
	})
}

// insertOffer keeps the throughput of a new resource, if it has any.
func InsertOffer(db *storage.Conn, now int64, content value.Value, rid, link string) error {
	if !content.Defined() {
		return nil
	}
	_, err := db.Exec("INSERT INTO offers (resource, link, content, ts, revision) VALUES (?, ?, ?, ?, 1)", rid, link, content.JSON(), now)
	return err
}

// throughputOf is the most that an offer allows, in RU a second; 0 of none.
func ThroughputOf(content value.Value) int64 {
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
	return max(ever, ThroughputOf(content))
}

// completeOffer checks the content of an offer and adds what the service adds. Old is the
// content that it replaces, if any.
func CompleteOffer(content, old value.Value) (value.Value, error) {
	least, step := int64(MinThroughput), int64(ThroughputStep)
	auto := content.Member("offerAutopilotSettings").Kind() == value.Object
	if auto {
		least, step = minAutoscale, autoscaleStep
	}
	set := content.Member("offerThroughput")
	if auto {
		set = content.Member("offerAutopilotSettings").Member("maxThroughput")
	}
	if n, ok := set.Int(); !ok || n < least || n > MaxThroughput || n%step != 0 {
		return content, apierror.BadRequest("The offer should have valid throughput values between %d and %d inclusive in increments of %d.", least, MaxThroughput, step)
	}
	n := ThroughputOf(content)
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
func LeastThroughput(content value.Value) int64 {
	if content.Member("offerAutopilotSettings").Kind() == value.Object {
		return max(minAutoscale, roundUp(everProvisioned(content)/10, autoscaleStep))
	}
	return max(MinThroughput, roundUp(everProvisioned(content)/100, ThroughputStep))
}

func roundUp(n, step int64) int64 { return ceil(n, step) * step }

// ceil is how many of a unit it takes for n.
func ceil(n, unit int64) int64 { return (n + unit - 1) / unit }

func DeleteOffer(db *storage.Conn, rid string) error {
	_, err := db.Exec("DELETE FROM offers WHERE resource = ?", rid)
	return err
}

// findOffer finds an offer by its rid.
func FindOffer(c *storage.Conn, rid string) (*Offer, error) {
	b, err := DecodeRID(rid)
	if err != nil || len(b) != 3 {
		return nil, apierror.BadRequest("The resource id of the offer, %q, is not valid.", rid)
	}
	row, err := c.One("SELECT "+OfferColumns+" FROM offers WHERE num = ?", int64(b[0])<<16|int64(b[1])<<8|int64(b[2]))
	if err != nil {
		return nil, err
	}
	if row == nil {
		return nil, apierror.ItemMissing()
	}
	return ScanOffer(row)
}

// provisioned lists the containers that have the throughput of a resource, which is one of
// them or a database.
func (c *Catalog) Provisioned(rid string) (list []*Container) {
	for _, db := range c.Databases {
		for _, coll := range db.Containers {
			if coll.Rid() == rid || db.Rid() == rid && coll.State.Throughput.Load() == 0 {
				list = append(list, coll)
			}
		}
	}
	return list
}

// provision puts the throughput of a resource in force.
func (c *Catalog) Provision(rid string, throughput int64) {
	for _, db := range c.Databases {
		if db.Rid() == rid {
			db.Shared.Throughput.Store(throughput)
		}
		for _, coll := range db.Containers {
			if coll.Rid() == rid {
				coll.State.Throughput.Store(throughput)
			}
		}
	}
}
