package costs

import (
	"fmt"

	"inkfeed/domain/costs"
	"inkfeed/domain/plaintext"
)

// projection says what a bill is projected from.
func projection(b *costs.Bill) string {
	return fmt.Sprintf("If all %d hours of a month were like the measured %s, %s million request units would be "+
		"charged. On Azure, with one write region:", costs.MonthHours, age(b.Measured), number(b.MonthRU/1e6))
}

// billLine is a line of a bill.
type billLine struct {
	name  string
	price float64
	how   string // how the price is calculated
}

// billLines returns the alternatives for the throughput, and the storage if its size is known. Each alternative needs
// the storage in addition.
func (p CostsPage) billLines() []billLine {
	b := p.Bill
	lines := []billLine{
		{"Serverless", b.Serverless, fmt.Sprintf("%v for a million request units", b.Prices.Serverless)},
		{"Autoscale", b.Autoscale, fmt.Sprintf("up to %s RU/s; each hour costs as much as its busiest minute, "+
			"at 1.5 times the price of provisioned throughput", plaintext.Grouped(b.AutoscaleMax))},
		{"Provisioned", b.Provisioned, fmt.Sprintf("%s RU/s, enough for the busiest minute, shared by all containers; "+
			"%v for 100 RU/s and hour", plaintext.Grouped(b.Throughput), b.Prices.Provisioned)},
	}
	if p.SizesUnknown {
		return lines
	}
	return append(lines, billLine{"Storage, in addition", b.Storage, fmt.Sprintf(
		"%s of items and indexes; %v for a gigabyte", size(b.StorageBytes), b.Prices.Storage)})
}
