package costs

import (
	"inkfeed/cosmos/costs"
	"inkfeed/domain/locale"
)

// projection says what a bill is projected from.
func projection(b *costs.Bill) locale.Message {
	return locale.M("If all {hours} hours of a month were like the measured {time}, {number} million request units "+
		"would be charged. On Azure, with one write region:", "hours", costs.MonthHours, "time",
		age(b.Measured), "number", number(b.MonthRU/1e6))
}

// billLine is a line of a bill.
type billLine struct {
	name  locale.Message
	price float64
	how   locale.Message // how the price is calculated
}

// billLines returns the alternatives for the throughput, and the storage if its size is known. Each alternative needs
// the storage in addition.
func (p CostsPage) billLines() []billLine {
	b := p.Bill
	lines := []billLine{
		{locale.M("Serverless"), b.Serverless, locale.M("{price} for a million request units", "price",
			unitPrice(b.Prices.Serverless))},
		{locale.M("Autoscale"), b.Autoscale, locale.M("up to {throughput} RU/s; each hour costs as much as its "+
			"busiest minute, at 1.5 times the price of provisioned throughput", "throughput", b.AutoscaleMax)},
		{locale.M("Provisioned"), b.Provisioned, locale.M("{throughput} RU/s, enough for the busiest minute, shared "+
			"by all containers; {price} for 100 RU/s and hour", "throughput", b.Throughput, "price",
			unitPrice(b.Prices.Provisioned))},
	}
	if p.SizesUnknown {
		return lines
	}
	return append(lines, billLine{locale.M("Storage, in addition"), b.Storage,
		locale.M("{size} of items and indexes; {price} for a gigabyte", "size", size(b.StorageBytes), "price",
			unitPrice(b.Prices.Storage))})
}

// unitPrice formats a price with as many decimals as it has, up to six.
func unitPrice(price float64) locale.Message {
	places, scaled := 0, price
	for ; places < 6 && scaled != float64(int64(scaled)); places++ {
		scaled = price * powers[places]
	}
	return locale.Decimal(price, places)
}

// powers are the powers of ten from 10 on.
var powers = [...]float64{10, 100, 1000, 10_000, 100_000, 1_000_000}
