package embedded

import (
	"encoding/json"
	"fmt"
	"testing"
)

type offerAnswer struct {
	ID      string `json:"id"`
	ETag    string `json:"_etag"`
	Content struct {
		OfferThroughput int
	} `json:"content"`
}

// offerOf returns the offer of a resource.
func offerOf(t testing.TB, e *Engine, path string) offerAnswer {
	t.Helper()
	var resource struct {
		RID string `json:"_rid"`
	}
	var found struct{ Offers []offerAnswer }
	if err := json.Unmarshal([]byte(send(t, e, "GET", path, "").want(t, 200).body), &resource); err != nil {
		t.Fatal(err)
	}
	a := send(t, e, "POST", "/offers", fmt.Sprintf(`{"query":"SELECT * FROM c WHERE c.offerResourceId = '%s'"}`,
		resource.RID),
		"Content-Type", "application/query+json").want(t, 200)
	if err := json.Unmarshal([]byte(a.body), &found); err != nil || len(found.Offers) != 1 {
		t.Fatalf("%v: %s", err, a.body)
	}
	return found.Offers[0]
}

const setContainer = `{"id":"set","partitionKey":{"paths":["/pk"]}}`

func TestOfferLimits(t *testing.T) {
	e, _ := mustEngine(t, Options{}, plainContainer)
	const manual, auto = "X-Ms-Offer-Throughput", "X-Ms-Cosmos-Offer-Autopilot-Settings"
	for name, headers := range map[string][]string{
		"less than 400":                 {manual, "300"},
		"not a step of 100":             {manual, "450"},
		"more than a million":           {manual, "1000100"},
		"negative":                      {manual, "-400"},
		"not a number":                  {manual, "many"},
		"not a whole number":            {manual, "400.5"},
		"autoscale below 1,000":         {auto, `{"maxThroughput":900}`},
		"autoscale not a step of 1,000": {auto, `{"maxThroughput":1500}`},
		"autoscale without a maximum":   {auto, `{}`},
		"autoscale of a string":         {auto, `{"maxThroughput":"1000"}`},
		"autoscale that is no object":   {auto, `1000`},
		"autoscale that is not JSON":    {auto, `{`},
		"both":                          {manual, "400", auto, `{"maxThroughput":1000}`},
	} {
		t.Run(name, func(t *testing.T) {
			send(t, e, "POST", "/dbs/d/colls", setContainer, headers...).want(t, 400)
			send(t, e, "POST", "/dbs", `{"id":"x"}`, headers...).want(t, 400)
		})
	}
	send(t, e, "POST", "/dbs/d/colls", setContainer, manual, "400").want(t, 201)
	for name, content := range map[string]string{
		"replaced by less than 400":         `{"offerThroughput":100}`,
		"replaced by a value between steps": `{"offerThroughput":401}`,
		"replaced by an empty object":       `{}`,
		"replaced by null":                  `null`,
		"replaced by a string":              `{"offerThroughput":"500"}`,
		"replaced by too little to scale":   `{"offerAutopilotSettings":{"maxThroughput":500}}`,
	} {
		t.Run(name, func(t *testing.T) { setThroughput(t, e, "/dbs/d/colls/set", content).want(t, 400) })
	}
	t.Run("a stale etag is rejected", func(t *testing.T) {
		setThroughput(t, e, "/dbs/d/colls/set", `{"offerThroughput":500}`, "If-Match", "x").want(t, 412)
		setThroughput(t, e, "/dbs/d/colls/set", `{"offerThroughput":500}`, "If-Match",
			offerOf(t, e, "/dbs/d/colls/set").ETag).want(t, 200)
	})
	t.Run("a missing offer is not found", func(t *testing.T) {
		send(t, e, "PUT", "/offers/AAAA", `{"content":{"offerThroughput":500}}`).want(t, 404)
	})
	t.Run("autoscale has a tenth of its maximum as minimum", func(t *testing.T) {
		setThroughput(t, e, "/dbs/d/colls/set", `{"offerThroughput":-1}`, toAutoscale...).want(t, 200)
		setThroughput(t, e, "/dbs/d/colls/set", `{"offerAutopilotSettings":{"maxThroughput":4000}}`).want(t, 200)
		if o := offerOf(t, e, "/dbs/d/colls/set"); o.Content.OfferThroughput != 400 {
			t.Errorf("%+v", o)
		}
	})
	t.Run("the minimum is a hundredth of the highest throughput so far", func(t *testing.T) {
		setThroughput(t, e, "/dbs/d/colls/set", autoscaleOf(-1), toManual...).want(t, 200)
		a := setThroughput(t, e, "/dbs/d/colls/set", `{"offerThroughput":100000}`).want(t, 200)
		if got := a.header.Get("X-Ms-Cosmos-Min-Throughput"); got != "1000" {
			t.Errorf("at least %s", got)
		}
		setThroughput(t, e, "/dbs/d/colls/set", `{"offerThroughput":900}`).want(t, 400)
		setThroughput(t, e, "/dbs/d/colls/set", `{"offerThroughput":1000}`).want(t, 200)
		a = send(t, e, "GET", "/offers/"+offerOf(t, e, "/dbs/d/colls/set").ID, "").want(t, 200)
		if got := a.header.Get("X-Ms-Cosmos-Min-Throughput"); got != "1000" {
			t.Errorf("at least %s", got)
		}
	})
}

var (
	toAutoscale = []string{"X-Ms-Cosmos-Migrate-Offer-To-Autopilot", "true"}
	toManual    = []string{"X-Ms-Cosmos-Migrate-Offer-To-Manual-Throughput", "True"}
)

func autoscaleOf(maximum int) string {
	return fmt.Sprintf(`{"offerAutopilotSettings":{"maxThroughput":%d}}`, maximum)
}

func TestMigratingAnOffer(t *testing.T) {
	const set, manual = "/dbs/d/colls/set", `{"offerThroughput":-1}`
	open := func(t *testing.T, throughput string) *Engine {
		e, _ := mustEngine(t, Options{}, plainContainer)
		send(t, e, "POST", "/dbs/d/colls", setContainer, "X-Ms-Offer-Throughput", throughput).want(t, 201)
		return e
	}
	// throughputs returns the throughput and the autoscale maximum of an answer.
	throughputs := func(t *testing.T, a answer) [2]int {
		t.Helper()
		var o struct {
			Content struct {
				OfferThroughput        int
				OfferAutopilotSettings struct{ MaxThroughput int }
			}
		}
		if err := json.Unmarshal([]byte(a.want(t, 200).body), &o); err != nil {
			t.Fatal(err)
		}
		return [2]int{o.Content.OfferThroughput, o.Content.OfferAutopilotSettings.MaxThroughput}
	}
	t.Run("a replace without the header is refused", func(t *testing.T) {
		e := open(t, "400")
		refusal(t, setThroughput(t, e, set, autoscaleOf(4000)), 400)
		setThroughput(t, e, set, manual, toAutoscale...).want(t, 200)
		refusal(t, setThroughput(t, e, set, `{"offerThroughput":400}`), 400)
	})
	t.Run("the header is refused with the settings of the other kind, or with none", func(t *testing.T) {
		e := open(t, "400")
		refusal(t, setThroughput(t, e, set, autoscaleOf(4000), toAutoscale...), 400)
		refusal(t, setThroughput(t, e, set, `{}`, toAutoscale...), 400)
		refusal(t, setThroughput(t, e, set, manual, toManual...), 400)
		setThroughput(t, e, set, manual, toAutoscale...).want(t, 200)
		refusal(t, setThroughput(t, e, set, manual, toAutoscale...), 400)
		refusal(t, setThroughput(t, e, set, manual, toManual...), 400)
		refusal(t, setThroughput(t, e, set, `{"offerAutopilotSettings":{}}`, toManual...), 400)
	})
	t.Run("the current throughput decides the new one", func(t *testing.T) {
		for throughput, maximum := range map[string]int{"400": 1000, "1100": 2000, "8000": 8000} {
			e := open(t, throughput)
			a := setThroughput(t, e, set, manual, toAutoscale...)
			if got, want := throughputs(t, a), [2]int{maximum / 10, maximum}; got != want {
				t.Errorf("%s RU/s became %v, want %v", throughput, got, want)
			}
			a = setThroughput(t, e, set, autoscaleOf(-1), toManual...)
			if got, want := throughputs(t, a), [2]int{maximum, 0}; got != want {
				t.Errorf("autoscale up to %d RU/s became %v, want %v", maximum, got, want)
			}
		}
	})
	t.Run("a higher throughput in the past raises the maximum", func(t *testing.T) {
		e := open(t, "50000")
		setThroughput(t, e, set, `{"offerThroughput":500}`).want(t, 200)
		a := setThroughput(t, e, set, manual, toAutoscale...)
		if got := throughputs(t, a); got != [2]int{500, 5000} {
			t.Errorf("got %v", got)
		}
	})
}

func TestThroughputDecidesTheRanges(t *testing.T) {
	count := func(t *testing.T, e *Engine, path string) int {
		t.Helper()
		list := listOf(t, send(t, e, "GET", path+"/pkranges", "").want(t, 200))
		bound := ""
		for _, r := range list {
			if r.Min != bound {
				t.Errorf("the ranges do not tile: %+v", list)
			}
			bound = r.Max
		}
		return len(list)
	}
	for throughput, want := range map[string]int{"400": 2, "20000": 2, "20100": 3, "100000": 10} {
		t.Run("a container is created with "+throughput, func(t *testing.T) {
			e, _ := mustEngine(t, Options{Ranges: 2}, plainContainer)
			send(t, e, "POST", "/dbs/d/colls", setContainer, "X-Ms-Offer-Throughput", throughput).want(t, 201)
			if n := count(t, e, "/dbs/d/colls/set"); n != want {
				t.Errorf("%d ranges, want %d", n, want)
			}
		})
	}
	t.Run("raising it splits feed ranges, lowering it does not merge them", func(t *testing.T) {
		e, _ := mustEngine(t, Options{}, plainContainer)
		send(t, e, "POST", "/dbs/d/colls", setContainer, "X-Ms-Offer-Throughput", "400").want(t, 201)
		for i := range 64 {
			body := fmt.Sprintf(`{"id":"1","pk":"k%d"}`, i)
			send(t, e, "POST", "/dbs/d/colls/set/docs", body, pk(fmt.Sprint("k", i))...).want(t, 201)
		}
		for _, tt := range []struct{ throughput, want int }{{10_000, 1}, {10_100, 2}, {35_000, 4}, {400, 4},
			{40_000, 4}} {
			setThroughput(t, e, "/dbs/d/colls/set", fmt.Sprintf(`{"offerThroughput":%d}`, tt.throughput)).want(t, 200)
			if n := count(t, e, "/dbs/d/colls/set"); n != tt.want {
				t.Errorf("at %d: %d ranges, want %d", tt.throughput, n, tt.want)
			}
		}
		for _, r := range e.catalog.Load().Databases["d"].Containers["set"].Ranges {
			a := send(t, e, "POST", "/dbs/d/colls/set/docs", `{"query":"SELECT VALUE COUNT(1) FROM c"}`,
				rangeHeader, fmt.Sprint(r.ID), "Content-Type", "application/query+json").want(t, 200)
			var body struct{ Documents []int }
			if err := json.Unmarshal([]byte(a.body), &body); err != nil || body.Documents[0] != 16 {
				t.Errorf("feed range %d does not have a fourth of the items: %s", r.ID, a.body)
			}
		}
	})
	t.Run("autoscale counts with its maximum", func(t *testing.T) {
		e, _ := mustEngine(t, Options{}, plainContainer)
		send(t, e, "POST", "/dbs/d/colls", setContainer, "X-Ms-Cosmos-Offer-Autopilot-Settings",
			`{"maxThroughput":11000}`).want(t, 201)
		if n := count(t, e, "/dbs/d/colls/set"); n != 2 {
			t.Errorf("%d ranges", n)
		}
	})
	t.Run("a database's throughput decides for its containers", func(t *testing.T) {
		e, _ := mustEngine(t, Options{}, plainContainer)
		send(t, e, "POST", "/dbs", `{"id":"s"}`, "X-Ms-Offer-Throughput", "12000").want(t, 201)
		send(t, e, "POST", "/dbs/s/colls", setContainer).want(t, 201)
		send(t, e, "POST", "/dbs/s/colls", `{"id":"own","partitionKey":{"paths":["/pk"]}}`, "X-Ms-Offer-Throughput",
			"400").want(t, 201)
		if n := count(t, e, "/dbs/s/colls/set"); n != 2 {
			t.Errorf("%d ranges", n)
		}
		setThroughput(t, e, "/dbs/s", `{"offerThroughput":25000}`).want(t, 200)
		if n := count(t, e, "/dbs/s/colls/set"); n != 3 {
			t.Errorf("raised: %d ranges", n)
		}
		if n := count(t, e, "/dbs/s/colls/own"); n != 1 {
			t.Errorf("of its own: %d ranges", n)
		}
	})
}
