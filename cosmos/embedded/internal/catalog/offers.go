package catalog

import (
	"database/sql/driver"

	"inkfeed/cosmos/embedded/internal/apierror"
	"inkfeed/cosmos/embedded/internal/storage"
	"inkfeed/cosmos/embedded/internal/value"
)

// Limits of the throughput that can be provisioned, in RU/s.
const (
	MinThroughput  = 400
	ThroughputStep = 100
	minAutoscale   = 1000 // lower limit of the autoscale maximum
	autoscaleStep  = 1000
	MaxThroughput  = 1_000_000
	autoscaleIdle  = 10     // autoscale scales down to this fraction of its maximum
	RangeRU        = 10_000 // throughput that one feed range can serve
)

// rangesFor returns the number of feed ranges that a throughput needs.
func rangesFor(throughput int64) int { return int(ceil(throughput, RangeRU)) }

// Offer is the provisioned throughput of a database or container. Containers without an offer share
// the throughput of their database.
type Offer struct {
	Num, TS, Revision int64
	Resource, link    string
	Content           value.Value
}

// OfferColumns lists the columns that ScanOffer expects.
const OfferColumns = "num, ts, revision, resource, link, content"

// ScanOffer reads an offer from a row with the columns OfferColumns.
func ScanOffer(r []driver.Value) (*Offer, error) {
	content, err := value.Parse(storage.AsText(r[5]))
	return &Offer{Num: storage.AsInt(r[0]), TS: storage.AsInt(r[1]), Revision: storage.AsInt(r[2]),
		Resource: storage.AsText(r[3]), link: storage.AsText(r[4]), Content: content}, err
}

// Rid returns the resource id of the offer: three bytes as four characters.
func (o *Offer) Rid() string {
	return FormatRID([]byte{byte(o.Num >> 16), byte(o.Num >> 8), byte(o.Num)})
}

// DefaultOffer returns the content of the offer of a container if neither the container nor its
// database was created with a throughput. Options.Throughput then sets the throughput.
func DefaultOffer() value.Value { return value.OfObject(nil) }

// Document returns the offer as clients see it. A default offer shows the engine's default
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
		{Name: "_self", Value: text("offers/" + o.Rid() + "/")},
		{Name: "_etag", Value: text(FormatETag(o.Revision, o.TS))},
		{Name: "_ts", Value: value.OfInt(o.TS)},
	})
}

// InsertOffer stores the offer of a new resource, if it has one.
func InsertOffer(db *storage.Conn, now int64, content value.Value, rid, link string) error {
	if !content.Defined() {
		return nil
	}
	_, err := db.Exec("INSERT INTO offers (resource, link, content, ts, revision) VALUES (?, ?, ?, ?, 1)", rid, link,
		content.JSON(), now)
	return err
}

// ThroughputOf returns the maximum throughput of an offer in RU/s; 0 if there is no offer.
func ThroughputOf(content value.Value) int64 {
	if autoscales(content) {
		most, _ := content.Member("offerAutopilotSettings").Member("maxThroughput").Int()
		return most
	}
	n, _ := content.Member("offerThroughput").Int()
	return n
}

// highestProvisioned returns the highest throughput that the offer has ever had, in RU/s.
func highestProvisioned(content value.Value) int64 {
	ever, _ := content.Member("offerMinimumThroughputParameters").Member("maxThroughputEverProvisioned").Int()
	return max(ever, ThroughputOf(content))
}

// CompleteOffer validates the content of an offer and adds the members that the service adds. old
// is the content that it replaces, or undefined.
func CompleteOffer(content, old value.Value) (value.Value, error) {
	least, step := int64(MinThroughput), int64(ThroughputStep)
	auto := autoscales(content)
	if auto {
		least, step = minAutoscale, autoscaleStep
	}
	set := content.Member("offerThroughput")
	if auto {
		set = content.Member("offerAutopilotSettings").Member("maxThroughput")
	}
	if n, ok := set.Int(); !ok || n < least || n > MaxThroughput || n%step != 0 {
		return content,
			apierror.BadRequest(
				"The offer should have valid throughput values between %d and %d inclusive in increments of %d.", least,
				MaxThroughput, step)
	}
	n := ThroughputOf(content)
	if auto {
		content = content.With("offerThroughput", value.OfInt(n/autoscaleIdle))
	}
	content = content.With("offerIsRUPerMinuteThroughputEnabled", value.OfBool(false))
	return content.With("offerMinimumThroughputParameters", value.OfObject([]value.Member{
		{Name: "maxThroughputEverProvisioned", Value: value.OfInt(max(n, highestProvisioned(old)))},
		{Name: "maxConsumedStorageEverInKB", Value: value.OfInt(0)},
	})), nil
}

// ReplaceOffer returns the content of an offer after a request that replaces it. Only a migration, which a header of
// the request asks for, changes manual throughput to autoscale or back. It ignores the throughput in the request and
// sets that of the stored offer. standard is the throughput of a default offer. See "Replace an Offer" in the REST
// reference.
func ReplaceOffer(content, old value.Value, standard int, toAutoscale, toManual bool) (value.Value, error) {
	was, is, missing := autoscales(old), autoscales(content), ThroughputOf(content) == 0
	current := ThroughputOf(old)
	if current == 0 {
		current = int64(standard)
	}
	switch {
	case toAutoscale && (was || is || missing), !toAutoscale && !was && is:
		return content, apierror.BadRequest("x-ms-cosmos-migrate-offer-to-autopilot must be supplied and " +
			"offercontent must not contain autopilotSettings for migration from manual throughput to autoscale.")
	case toManual && (!was || !is || missing), !toManual && was && !is:
		return content, apierror.BadRequest("x-ms-cosmos-migrate-offer-to-manual-throughput must be supplied and " +
			"offercontent must contain autopilotSettings for migration of autoscale collection to manual throughput")
	case toAutoscale:
		most := roundUp(max(current, highestProvisioned(old)/10, minAutoscale), autoscaleStep)
		content = value.OfObject([]value.Member{{Name: "offerAutopilotSettings",
			Value: value.OfObject([]value.Member{{Name: "maxThroughput", Value: value.OfInt(most)}})}})
	case toManual:
		content = value.OfObject([]value.Member{{Name: "offerThroughput", Value: value.OfInt(current)}})
	}
	return CompleteOffer(content, old)
}

// autoscales reports whether the content of an offer has autoscale settings.
func autoscales(content value.Value) bool {
	return content.Member("offerAutopilotSettings").Kind() == value.Object
}

// LeastThroughput returns the lowest throughput that an offer can be changed to. It is a fraction
// of the highest throughput ever provisioned, because feed ranges are never merged.
func LeastThroughput(content value.Value) int64 {
	if autoscales(content) {
		return max(minAutoscale, roundUp(highestProvisioned(content)/10, autoscaleStep))
	}
	return max(MinThroughput, roundUp(highestProvisioned(content)/100, ThroughputStep))
}

func roundUp(n, step int64) int64 { return ceil(n, step) * step }

// ceil returns n divided by unit, rounded up.
func ceil(n, unit int64) int64 { return (n + unit - 1) / unit }

// DeleteOffer deletes the offer of the database or container with a resource id.
func DeleteOffer(db *storage.Conn, rid string) error {
	_, err := db.Exec("DELETE FROM offers WHERE resource = ?", rid)
	return err
}

// FindOffer reads the offer with a resource id.
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

// Provisioned returns the containers whose throughput comes from a resource: a container, or a
// database that shares its throughput.
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

// Provision makes a resource's new throughput effective.
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
