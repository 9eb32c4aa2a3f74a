// Package charge estimates the request charges of the service.
package charge

import (
	"math"
	"strconv"
)

// The model of request charges. Each constant names its source:
//
//	sizes      Microsoft's tables of reads and writes by item size
//	hosted     recordings of the hosted service (xo/dbimp, 2026)
//	article    the table of "How to model and partition data on Azure Cosmos DB"
//	inference  no published figure; derived from the closest of the others
//
// charge_internal_test.go checks the engine against the first two. The tests of request costs in
// package cosmos, which write docs/request-costs.md, check it against the article.
//
// Writes are charged in units of 4/21 RU, because all published and recorded write charges are
// multiples of it. Reads and queries are charged in RU.
const (
	WriteUnit = 4.0 / 21 // RU; sizes, hosted

	createUnits       = 27   // an item of at most 1 KB without indexed scalars; hosted, article
	createByIDUnits   = 26   // the same with the partition key /id; article (C1)
	leafUnits         = 2    // for each indexed scalar; hosted, article
	ReplaceUnits      = 23   // added to a create for replace, patch and upsert of an existing item; hosted
	ConflictUnits     = 8.25 // a create whose id is taken; hosted
	UniqueUnits       = 10.2 // a write that violates a unique key; hosted
	PreconditionUnits = 8    // a write whose precondition fails; inference
	KeyMismatchUnits  = 6.5  // a write whose partition key differs from the item's; hosted
	FailureUnits      = 6.5  // any other rejected write; inference
	ThrottledUnits    = 2    // a request that is throttled; hosted

	PointReadRU = 1.0 // an item of at most 1 KB; sizes
	MissRU      = 1.0 // inference
	MetadataRU  = 2.0 // for databases and containers; hosted: a container

	QueryRU     = 2.25 // for each feed range that a query reads; hosted: a query without FROM
	PredicateRU = 0.57 // the first predicate that an index serves; hosted: 2.82 for a lookup
	furtherRU   = 1.1  // each further predicate, and ORDER BY; article (Q3, by its 50 ranges)

	// A row found by an index. In the article, likes of 0.2 KB cost 0.10 a row (Q5) and comments of
	// 1.9 KB cost 0.19 (Q4). This gives 0.05 for each further KB, the same as in the table of reads
	// by size.
	FoundRowRU = 0.09
	FoundKBRU  = 0.05

	// A row of a query without predicates; hosted: 0.0130 to 0.0149 for tiny rows.
	scannedRowRU = 0.013
	scannedKBRU  = 0.02

	MinimumPageRU    = 0.05 // inference
	ChangeFeedPageRU = 1.0  // hosted
)

// sizeCost is a point of a published table: the cost of an item of a size in KB.
type sizeCost struct{ kb, cost float64 }

// readCosts are in RU. sizeUnits are in write units, relative to the smallest item.
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

// Read returns the charge of a point read in RU.
func Read(bytes int) float64 { return interpolate(readCosts[:], bytes) }

// ItemUnits returns the charge of creating or deleting an item, in write units.
func ItemUnits(body int, leaves int, keyIsID bool) int64 {
	base := createUnits
	if keyIsID {
		base = createByIDUnits
	}
	return int64(base + leafUnits*leaves + int(math.Round(interpolate(sizeUnits[:], body))))
}

// QueryShape describes a query for its charge. An ORDER BY costs as much as one predicate, whatever
// the number of its paths.
type QueryShape struct {
	Ranges     int
	Predicates int
	Sorted     bool
}

// Base returns the charge in RU that is added to the first page.
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

// Rows returns the charge in RU for the items that were loaded, whether or not they were returned.
// Items skipped by OFFSET count without bytes, because the index alone serves them.
func (s QueryShape) Rows(n, bytes int) float64 {
	kb := float64(bytes) / 1024
	if s.Predicates > 0 || s.Sorted {
		return FoundRowRU*float64(n) + FoundKBRU*kb
	}
	return scannedRowRU*float64(n) + scannedKBRU*kb
}

// Format formats a charge as the service does, with at most two decimals.
func Format(ru float64) string {
	return strconv.FormatFloat(math.Round(ru*100)/100, 'f', -1, 64)
}
