package static_test

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"inkfeed/static"
)

func TestAccepts(t *testing.T) {
	for _, c := range []struct {
		header string
		want   static.Coding
	}{
		{"", static.Identity},
		{"gzip", static.Gzip},
		{"gzip, deflate, br, zstd", static.Brotli},
		{"zstd,gzip", static.Zstd},
		{" GZip ;\tQ=0.5 ", static.Gzip},
		{"br;q=0.9, gzip", static.Gzip},
		{"br;q=0.001, gzip;q=0.01", static.Gzip},
		{"br;q=1.000, gzip;q=1.0", static.Brotli},
		{"gzip;q=0, br;q=0.000", static.Identity},
		{"*", static.Brotli},
		{"*;q=0.5, gzip", static.Gzip},
		{"br;q=0, *", static.Zstd},
		{"gzip, *;q=0", static.Gzip},
		{"identity, gzip", static.Gzip},
		{"identity, gzip;q=0.5", static.Identity},
		{"gzip;q=0.5, *", static.Brotli},
		{"identity;q=0, gzip;q=0.1", static.Gzip},
		{"identity;q=0", static.Identity},
		{"*;q=0", static.Identity},
		{"deflate, compress;q=0.5", static.Identity},
		{"gzip;q=2", static.Identity},
		{"gzip;q=1.001", static.Identity},
		{"gzip;q=0.1234", static.Identity},
		{"gzip;q=-1", static.Identity},
		{"gzip;q=.5", static.Identity},
		{"gzip;q=", static.Identity},
		{"gzip;level=9", static.Identity},
		{"gzip;q=0.5;q=1", static.Identity},
		{"gzip;", static.Identity},
		{";;,,;q=1,*x", static.Identity},
	} {
		if got := best(c.header); got != c.want {
			t.Errorf("%q: %s, want %s", c.header, got, c.want)
		}
	}
}

func TestAcceptsReadsSeveralHeaderLines(t *testing.T) {
	if got := static.Accepts("br;q=0.5", "gzip").Best(static.Brotli, static.Gzip); got != static.Gzip {
		t.Errorf("got %s", got)
	}
}

func TestBestChoosesFromTheOfferedCodings(t *testing.T) {
	if got := static.Accepts("br, gzip;q=0.5, identity;q=0.1").Best(static.Gzip); got != static.Gzip {
		t.Errorf("got %s", got)
	}
	if got := static.Accepts("br, gzip").Best(); got != static.Identity {
		t.Errorf("got %s", got)
	}
}

func TestAcceptsDoesNotAllocate(t *testing.T) {
	headers := []string{"gzip, deflate, br, zstd", "br;q=1.0, gzip;q=0.8, *;q=0.1"}
	if got := testing.AllocsPerRun(100, func() {
		static.Accepts(headers...).Best(static.Brotli, static.Zstd,
			static.Gzip)
	}); got != 0 {
		t.Errorf("%v allocations, want 0", got)
	}
}

// FuzzAccepts compares Accepts with a simpler implementation.
func FuzzAccepts(f *testing.F) {
	f.Add("br;q=1.0, gzip;q=0.8, *;q=0.1")
	f.Add("identity;q=0,\tGZIP ; q=0.5, zstd")
	f.Fuzz(func(t *testing.T, header string) {
		if got, want := best(header), simpleBest(header); got != want {
			t.Errorf("%q: %s, want %s", header, got, want)
		}
	})
}

func best(header string) static.Coding {
	return static.Accepts(header).Best(static.Brotli, static.Zstd, static.Gzip)
}

var element = regexp.MustCompile(`(?s)^[ \t]*([^;]*?)[ \t]*` +
	`(?:;[ \t]*(?:[qQ]=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?))?(.*?)[ \t]*)?$`)

func simpleBest(header string) static.Coding {
	weights := map[string]float64{}
	for _, part := range strings.Split(header, ",") {
		m := element.FindStringSubmatch(part)
		if m == nil {
			continue
		}
		weight, err := strconv.ParseFloat(m[2], 64)
		switch {
		case !strings.Contains(part, ";"):
			weight = 1
		case err != nil || m[3] != "":
			weight = 0
		}
		weights[strings.ToLower(strings.ToUpper(m[1]))] = weight
	}
	weight := func(c static.Coding) float64 {
		if w, ok := weights[c.String()]; ok {
			return w
		}
		return weights["*"]
	}
	for _, c := range []static.Coding{static.Brotli, static.Zstd, static.Gzip} {
		most := weight(c) > 0
		for _, other := range []static.Coding{static.Brotli, static.Zstd, static.Gzip, static.Identity} {
			most = most && weight(c) >= weight(other)
		}
		if most {
			return c
		}
	}
	return static.Identity
}
