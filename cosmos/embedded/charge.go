package embedded

import (
	"math"
	"strconv"

	"inkfeed/cosmos/embedded/internal/value"
)

// The request charge model. Writes are charged in units of 4/21 RU, of which all
// published and recorded write charges are multiples; reads and queries in RU. The
// constants are fitted to Microsoft's tables by item size, to recordings of the hosted
// service and to the figures of its modelling article, whose plain writes they meet
// exactly.
const (
	writeUnit = 4.0 / 21 // RU

	createUnits       = 27   // an item without leaves of at most 1 KB
	createByIDUnits   = 26   // the same where the partition key is /id
	leafUnits         = 2    // each indexed scalar
	replaceUnits      = 23   // on top of a create: replace, patch, upsert of an existing item
	conflictUnits     = 8.25 // a create whose id is taken
	preconditionUnits = 8    // a write whose condition does not hold
	keyMismatchUnits  = 6.5  // a write whose partition key is not the item's
	failureUnits      = 6.5  // any other refused write
	throttledUnits    = 2    // a request beyond the throughput

	pointReadRU = 1.0
	missRU      = 1.0
	metadataRU  = 1.0

	queryRU          = 2.25 // each range that a query visits
	predicateRU      = 0.57 // its first predicate that an index serves
	furtherRU        = 1.1  // each further predicate, and an ORDER BY
	foundRowRU       = 0.095
	foundKBRU        = 0.018
	scannedRowRU     = 0.0117
	scannedKBRU      = 0.02
	minimumPageRU    = 0.05
	changeFeedPageRU = 1.0
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
func readCharge(bytes int) float64 { return interpolate(readCosts[:], bytes) }

// itemUnits is what creating or deleting an item costs, in units.
func itemUnits(body int, leaves int, keyIsID bool) int64 {
	base := createUnits
	if keyIsID {
		base = createByIDUnits
	}
	return int64(base + leafUnits*leaves + int(math.Round(interpolate(sizeUnits[:], body))))
}

// queryShape is what a query's charge depends on besides its rows.
type queryShape struct {
	ranges     int
	predicates int
	sorted     bool
}

// base is charged once, with the first page.
func (s queryShape) base() float64 {
	cost := queryRU
	further := s.predicates
	if s.predicates > 0 {
		cost += predicateRU
		further--
	}
	if s.sorted {
		further++
	}
	return float64(max(s.ranges, 1)) * (cost + furtherRU*float64(further))
}

// rows is charged for the items loaded, returned or not.
func (s queryShape) rows(n, bytes int) float64 {
	kb := float64(bytes) / 1024
	if s.predicates > 0 || s.sorted {
		return foundRowRU*float64(n) + foundKBRU*kb
	}
	return scannedRowRU*float64(n) + scannedKBRU*kb
}

// formatCharge prints a charge as the service does, with at most two decimals.
func formatCharge(ru float64) string {
	return strconv.FormatFloat(math.Round(ru*100)/100, 'f', -1, 64)
}

// countLeaves counts the scalars of an item that are indexed, and one for each level
// of nesting.
func (p *indexPolicy) countLeaves(item value.Value) int {
	if p.none {
		return 0
	}
	leaves, depth := 0, 1
	p.root.count(item, p.root.subtree, 1, &leaves, &depth)
	return leaves + depth - 1
}
