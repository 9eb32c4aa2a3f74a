package costs

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Prices are the prices of an Azure Cosmos DB account with one write region.
type Prices struct {
	Currency    string  // such as "USD"
	Provisioned float64 // of 100 RU/s for an hour
	Serverless  float64 // of a million RU
	Storage     float64 // of a gigabyte for a month
}

// ListPrices are Azure's list prices for US regions, pay as you go. Sources: "Understand your Azure Cosmos DB bill"
// (learn.microsoft.com/azure/cosmos-db/understand-your-bill, 31 March 2022) and "How to choose between provisioned
// throughput and serverless" (learn.microsoft.com/azure/cosmos-db/throughput-serverless, 9 May 2022).
var ListPrices = Prices{Currency: "USD", Provisioned: 0.008, Serverless: 0.25, Storage: 0.25}

const (
	// autoscaleFactor is the price of autoscale throughput relative to provisioned throughput: "Frequently asked
	// questions about autoscale" (learn.microsoft.com/azure/cosmos-db/autoscale-faq).
	autoscaleFactor = 1.5
	// leastThroughput is the lowest throughput that the containers of a database can share, in RU/s.
	leastThroughput = 400
	// autoscaleUnit is the unit of an autoscale maximum in RU/s, and its lowest value. The throughput does not fall
	// below a tenth of the maximum.
	autoscaleUnit = 1000
	// MonthHours are the hours of a month in Azure's examples.
	MonthHours = 730
	gigabyte   = 1 << 30
)

// IdleRate is the number of request units a second of a server without visitors, if each container has one feed range.
// TestAnIdleServerSpendsFewRequestUnits measures it.
const IdleRate = 1.2

// IdleMonth returns what a month of a server without visitors costs with serverless throughput.
func (p Prices) IdleMonth() float64 { return IdleRate * MonthHours * 3600 / 1e6 * p.Serverless }

// String formats the prices for ParsePrices.
func (p Prices) String() string {
	return fmt.Sprintf("provisioned=%v,serverless=%v,storage=%v,currency=%s", p.Provisioned, p.Serverless, p.Storage,
		p.Currency)
}

// ParsePrices parses prices such as "provisioned=0.0088,serverless=0.279,storage=0.25,currency=EUR". Prices that the
// text does not name are the list prices.
func ParsePrices(text string) (Prices, error) {
	p, named := ListPrices, make(map[string]bool)
	values := map[string]*float64{"provisioned": &p.Provisioned, "serverless": &p.Serverless, "storage": &p.Storage}
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		name, value, _ := strings.Cut(part, "=")
		if name == "currency" {
			if len(value) != 3 || strings.Trim(value, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
				return Prices{}, fmt.Errorf("%q is not a currency such as EUR", value)
			}
			p.Currency = value
			continue
		}
		to := values[name]
		if to == nil {
			return Prices{}, fmt.Errorf("%q is not provisioned, serverless, storage or currency", name)
		}
		price, err := strconv.ParseFloat(value, 64)
		if err != nil || !(price > 0) || math.IsInf(price, 0) {
			return Prices{}, fmt.Errorf("%s: %q is not a price", name, value)
		}
		*to = price
		named[name] = true
	}
	if p.Currency != ListPrices.Currency && len(named) < len(values) {
		return Prices{}, errors.New("prices in another currency need provisioned, serverless and storage")
	}
	return p, nil
}

// Bill is what a month costs if it is like the measured time. Each alternative is without the storage, which costs the
// same in all of them.
type Bill struct {
	Prices
	Measured   time.Duration // how long the figures were measured
	MonthRU    float64       // charged in a month
	Serverless float64
	// Provisioned is for Throughput, which is enough for the busiest minute.
	Provisioned float64
	Throughput  int // in RU/s, shared by all containers
	// Autoscale is for throughput that scales up to AutoscaleMax. Each hour costs as much as its busiest minute.
	Autoscale    float64
	AutoscaleMax int
	StorageBytes int64
	Storage      float64 // of data and indexes
}

// NewBill projects a report to a month. bytes is the size of data and indexes. It reports false if nothing was
// measured.
func NewBill(r Report, bytes int64, p Prices) (Bill, bool) {
	if r.Measured == 0 {
		return Bill{}, false
	}
	b := Bill{Prices: p, Measured: r.Measured, StorageBytes: bytes, Storage: float64(bytes) / gigabyte * p.Storage,
		MonthRU: r.Rate() * MonthHours * 3600}
	b.Serverless = b.MonthRU / 1e6 * p.Serverless
	b.Throughput = max(roundUp(r.BusiestMinute, 100), leastThroughput)
	b.Provisioned = float64(b.Throughput) / 100 * p.Provisioned * MonthHours
	b.AutoscaleMax = max(roundUp(r.BusiestMinute, autoscaleUnit), autoscaleUnit)
	b.Autoscale = r.autoscaledThroughput(b.AutoscaleMax) / 100 * p.Provisioned * autoscaleFactor * MonthHours
	return b, true
}

// autoscaledThroughput returns the average of the billed throughput in RU/s. Each hour is billed by its busiest minute.
// Steps longer than an hour count as if each of their hours had been as busy.
func (r *Report) autoscaledThroughput(most int) float64 {
	hours := make(map[int64]float64)
	for _, s := range r.Steps {
		if s.Requests > 0 {
			hour := s.Start.Unix() / int64(max(time.Hour, r.Span.Step())/time.Second)
			hours[hour] = max(hours[hour], s.BusiestMinute, float64(most)/10)
		}
	}
	if len(hours) == 0 {
		return float64(most) / 10
	}
	sum := 0.0
	for _, throughput := range hours {
		sum += float64(roundUp(min(throughput, float64(most)), 100))
	}
	return sum / float64(len(hours))
}

// roundUp returns a throughput as a multiple of a unit.
func roundUp(throughput float64, unit int) int {
	return int(math.Ceil(throughput/float64(unit))) * unit
}

// Cheapest returns the cheapest alternative and its price, without storage.
func (b Bill) Cheapest() (name string, price float64) {
	name, price = "serverless", b.Serverless
	if b.Autoscale < price {
		name, price = "autoscale", b.Autoscale
	}
	if b.Provisioned < price {
		name, price = "provisioned", b.Provisioned
	}
	return name, price
}
