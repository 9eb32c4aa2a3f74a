package charge

import (
	"math"
	"strconv"
)

// The request charge model: the one table of its constants. Each names what it was
// fitted to:
//
//	sizes      Microsoft's tables of reads and of writes by item size
//	hosted     recordings of the hosted service (xo/dbimp, 2026)
//	article    the table of "How to model and partition data on Azure Cosmos DB"
//	inference  nothing published says; the nearest of the above do
//
// charge_internal_test.go holds the engine to the first two, and the requests' tests of
// package cosmos, which write docs/request-costs.md, to the article.
//
// Writes are charged in units of 4/21 RU, of which all published and recorded write
// charges are multiples; reads and queries in RU.
const (
	WriteUnit = 4.0 / 21 // RU; sizes, hosted

	createUnits       = 27   // an item without leaves of at most 1 KB; hosted, article
	createByIDUnits   = 26   // the same where the partition key is /id; article (C1)
	leafUnits         = 2    // each indexed scalar; hosted, article
	ReplaceUnits      = 23   // on top of a create: replace, patch, upsert of an existing item; hosted
	ConflictUnits     = 8.25 // a create whose id is taken; hosted
	UniqueUnits       = 10.2 // a write whose unique key is taken; hosted
	PreconditionUnits = 8    // a write whose condition does not hold; inference
	KeyMismatchUnits  = 6.5  // a write whose partition key is not the item's; hosted
	FailureUnits      = 6.5  // any other refused write; inference
	ThrottledUnits    = 2    // a request beyond the throughput; hosted

	PointReadRU = 1.0 // at most 1 KB; sizes
	MissRU      = 1.0 // inference
	MetadataRU  = 2.0 // hosted: a container

	QueryRU     = 2.25 // each range that a query visits; hosted: a query without FROM
	PredicateRU = 0.57 // its first predicate that an index serves; hosted: 2.82 for a lookup
	furtherRU   = 1.1  // each further predicate, and an ORDER BY; article (Q3, by its 50 ranges)

	// A row that an index finds. The article's likes of 0.2 KB cost 0.10 a row (Q5)
	// and its comments of 1.9 KB 0.19 (Q4), which makes 0.05 for a further KB: as
	// much as the table of reads by size says.
	FoundRowRU = 0.09
	FoundKBRU  = 0.05

	// A row of a query without predicates; hosted: 0.0130 to 0.0149 for tiny ones.
	scannedRowRU = 0.013
	scannedKBRU  = 0.02

	MinimumPageRU    = 0.05 // inference
	ChangeFeedPageRU = 1.0  // hosted
)

// sizeCost is a point of a published table: what an item of that many KB costs.
type sizeCost struct{ kb, cost float64 }

// readCosts are in RU, sizeUnits in write units above those of the smallest item.
var (
	readCosts = [...]sizeCost{
		{1, 1}, {2, 1.04}, {4, 1.14}, {8, 1.33}, {16, 1.67}, {32, 2.19}, {64, 4.76}, {128, 9.95},
		{256, 20.28}, {512, 40.95}, {1024, 145.9}, {2048, 291.8},
	}
	sizeUnits = [...]sizeCost{
		{1, 0}, {2, 7}, {4, 9}, {8, 11}, {16, 24}, {32, 33}, {64, 93}, {128, 227},
		{256, 490}, {512, 943}, {1024, 3255}, {2048, 6536},
	}
)

func interpolate(table []sizeCost, bytes int) float64 {
	kb := float64(bytes) / 1024
	low := table[0]
	if kb <= low.kb {
		return low.cost
	}
	for _, high := range table[1:] {
		if kb <= high.kb {
			return low.cost + (high.cost-low.cost)*(kb-low.kb)/(high.kb-low.kb)
		}
		low = high
	}
	return low.cost * kb / low.kb
}

// readCharge is the charge of a point read.
func Read(bytes int) float64 { return interpolate(readCosts[:], bytes) }

// itemUnits is what creating or deleting an item costs, in units.
func ItemUnits(body int, leaves int, keyIsID bool) int64 {
	base := createUnits
	if keyIsID {
		base = createByIDUnits
	}
	return int64(base + leafUnits*leaves + int(math.Round(interpolate(sizeUnits[:], body))))
}

// queryShape is what a query's charge depends on besides its rows. The order in which
// rows come costs a predicate, whatever the number of its keys.
type QueryShape struct {
	Ranges     int
	Predicates int
	Sorted     bool
}

// base is charged once, with the first page.
func (s QueryShape) Base() float64 {
	cost := QueryRU
	further := s.Predicates
	if s.Predicates > 0 {
		cost += PredicateRU
		further--
	}
	if s.Sorted {
		further++
	}
	return float64(max(s.Ranges, 1)) * (cost + furtherRU*float64(further))
}

// rows is charged for the items loaded, returned or not. Those that OFFSET passes by
// have no bytes: the index has all that is asked of them.
func (s QueryShape) Rows(n, bytes int) float64 {
	kb := float64(bytes) / 1024
	if s.Predicates > 0 || s.Sorted {
		return FoundRowRU*float64(n) + FoundKBRU*kb
	}
	return scannedRowRU*float64(n) + scannedKBRU*kb
}

// formatCharge prints a charge as the service does, with at most two decimals.
func Format(ru float64) string {
	return strconv.FormatFloat(math.Round(ru*100)/100, 'f', -1, 64)
}
