package cosmos

import (
	"slices"
	"testing"
)

// BenchmarkRequests measures the article's table: RU, requests and time of each request in each version of the model.
func BenchmarkRequests(b *testing.B) {
	m := loadModels(b, newBlog(*blogUsers, *wholeBlog), articleRanges)
	// Queries run first, because later writes make the fan-out of Q6 slightly more expensive.
	for _, r := range slices.Concat(queries(), commands()) {
		for _, v := range m.named() {
			measure(b, r, v, m.blog)
			b.Run(r.name+"/"+v.name, func(b *testing.B) {
				var sum cost
				for b.Loop() {
					c := measure(b, r, v, m.blog)
					sum.requests, sum.charge = sum.requests+c.requests, sum.charge+c.charge
				}
				b.ReportMetric(sum.charge/float64(b.N), "RU/op")
				b.ReportMetric(float64(sum.requests)/float64(b.N), "requests/op")
			})
		}
	}
}
