package deliveries

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"time"

	"inkfeed/cosmos/client"
	"inkfeed/workers/delivery"
)

// BenchmarkDeliveries sends mails that wait, to a mail server that takes all of them at once. It reports their rate,
// their charge, from when they are stored until they are deleted, and how much the heap grows while they are sent.
// INKFEED_TEST_MAILS is their number.
func BenchmarkDeliveries(b *testing.B) {
	mails := numberOf("INKFEED_TEST_MAILS", 2000)
	for b.Loop() {
		b.StopTimer()
		server := startServer(b)
		store, closeStore, err := open(b.TempDir())
		if err != nil {
			b.Fatal(err)
		}
		m, err := newMailer(server.address)
		if err != nil {
			b.Fatal(err)
		}
		ctx, charge := client.Measure(context.Background())
		if _, err := put(ctx, store, m, mails); err != nil {
			b.Fatal(err)
		}
		before, most := heap(), uint64(0)
		ctx, cancel := context.WithCancel(ctx)
		var running sync.WaitGroup
		running.Go(func() { delivery.New(store.Deliveries, m, delivery.Options{}).Run(ctx) })
		b.StartTimer()
		begin := time.Now()
		for i := range mails {
			<-server.taken
			if i%1000 == 999 {
				most = max(most, heap())
			}
		}
		b.ReportMetric(float64(mails)/time.Since(begin).Seconds(), "mails/s")
		b.StopTimer()
		cancel()
		running.Wait()
		b.ReportMetric(charge()/float64(mails), "RU/mail")
		b.ReportMetric((float64(most)-float64(before))/(1<<20), "MB/heap")
		closeStore()
		b.StartTimer()
	}
}

// heap returns the bytes that are in use, after a collection.
func heap() uint64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}
