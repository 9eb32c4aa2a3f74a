package embedded

import (
	"fmt"
	"math"
	"strconv"
	"testing"
	"time"
)

// chargeOf returns the request charge of an answer.
func chargeOf(t testing.TB, a answer) float64 {
	t.Helper()
	charge, err := strconv.ParseFloat(a.header.Get("X-Ms-Request-Charge"), 64)
	if err != nil {
		t.Fatal(err)
	}
	return charge
}

// spendAll reads an item until the window is exhausted, and returns the charged RU.
func spendAll(t testing.TB, e *Engine, path, key string) (spent float64) {
	t.Helper()
	for {
		a := send(t, e, "GET", path+"/none", "", pk(key)...)
		if a.status == 429 {
			return spent
		}
		spent += chargeOf(t, a.want(t, 404))
	}
}

func TestThroughputIsEnforced(t *testing.T) {
	enforced := Options{EnforceThroughput: true}
	t.Run("for each second", func(t *testing.T) {
		e, clock := mustEngine(t, enforced, plainContainer)
		for range 3 {
			if spent := spendAll(t, e, docs, "a"); spent != 400 {
				t.Errorf("%.2f RU in a second", spent)
			}
			clock.at = clock.at.Add(time.Second)
		}
	})
	t.Run("with the time to wait", func(t *testing.T) {
		e, clock := mustEngine(t, enforced, plainContainer)
		spendAll(t, e, docs, "a")
		clock.at = clock.at.Add(713 * time.Millisecond)
		a := send(t, e, "GET", docs+"/1", "", pk("a")...).want(t, 429)
		if a.header.Get("X-Ms-Retry-After-Ms") != "287" || a.header.Get("X-Ms-Substatus") != "3200" ||
			chargeOf(t, a) != 0.38 {
			t.Errorf("%v", a)
		}
		clock.at = clock.at.Add(287 * time.Millisecond)
		send(t, e, "GET", docs+"/1", "", pk("a")...).want(t, 404)
	})
	t.Run("with overspent units carried over", func(t *testing.T) {
		e, clock := mustEngine(t, Options{EnforceThroughput: true, Throughput: 2}, plainContainer)
		charge := chargeOf(t, create(t, e, `{"id":"1","pk":"a"}`).want(t, 201)) // 5.9 RU
		a := create(t, e, `{"id":"2","pk":"a"}`).want(t, 429)
		want := math.Floor(charge/2) * 1000
		if got := a.header.Get("X-Ms-Retry-After-Ms"); got != fmt.Sprint(want) {
			t.Errorf("%s RU at 2 a second: retry after %s ms, want %v", fmt.Sprint(charge), got, want)
		}
		clock.at = clock.at.Add(time.Duration(want-1) * time.Millisecond)
		create(t, e, `{"id":"2","pk":"a"}`).want(t, 429)
		clock.at = clock.at.Add(time.Millisecond)
		create(t, e, `{"id":"2","pk":"a"}`).want(t, 201)
	})
	t.Run("although the clock is set back", func(t *testing.T) {
		e, clock := mustEngine(t, enforced, plainContainer)
		spendAll(t, e, docs, "a")
		clock.at = clock.at.Add(-time.Hour)
		send(t, e, "GET", docs+"/1", "", pk("a")...).want(t, 429)
		clock.at = clock.at.Add(time.Second)
		send(t, e, "GET", docs+"/1", "", pk("a")...).want(t, 404)
	})
	t.Run("for each feed range", func(t *testing.T) {
		e, _ := mustEngine(t, Options{EnforceThroughput: true, Ranges: 2}, plainContainer)
		for key, name := range map[string]string{"a": "upper", "customer42": "lower"} {
			if spent := spendAll(t, e, docs, key); spent != 200 {
				t.Errorf("%.2f RU of the %s range", spent, name)
			}
		}
	})
	t.Run("only with the option", func(t *testing.T) {
		e, _ := mustEngine(t, Options{Throughput: 1}, plainContainer)
		for i := range 5 {
			create(t, e, fmt.Sprintf(`{"id":"%d","pk":"a"}`, i)).want(t, 201)
		}
	})
	t.Run("as set by the offer", func(t *testing.T) {
		e, clock := mustEngine(t, enforced, plainContainer)
		send(t, e, "POST", "/dbs/d/colls", `{"id":"set","partitionKey":{"paths":["/pk"]}}`, "X-Ms-Offer-Throughput",
			"500").want(t, 201)
		const path = "/dbs/d/colls/set/docs"
		if spent := spendAll(t, e, path, "a"); spent != 500 {
			t.Errorf("%.2f RU in a second", spent)
		}
		setThroughput(t, e, "/dbs/d/colls/set", `{"offerThroughput":600}`).want(t, 200)
		clock.at = clock.at.Add(time.Second)
		if spent := spendAll(t, e, path, "a"); spent != 600 {
			t.Errorf("%.2f RU in a second", spent)
		}
	})
	t.Run("up to the maximum of autoscale", func(t *testing.T) {
		e, _ := mustEngine(t, enforced, plainContainer)
		send(t, e, "POST", "/dbs/d/colls", `{"id":"auto","partitionKey":{"paths":["/pk"]}}`,
			"X-Ms-Cosmos-Offer-Autopilot-Settings", `{"maxThroughput":1000}`).want(t, 201)
		if spent := spendAll(t, e, "/dbs/d/colls/auto/docs", "a"); spent != 1000 {
			t.Errorf("%.2f RU in a second", spent)
		}
	})
	t.Run("shared by the containers of a database", func(t *testing.T) {
		dir, clock := t.TempDir(), &clock{at: time.Unix(1_800_000_000, 0)}
		e, err := open(dir, enforced, clock.now)
		if err != nil {
			t.Fatal(err)
		}
		send(t, e, "POST", "/dbs", `{"id":"s"}`, "X-Ms-Offer-Throughput", "700").want(t, 201)
		for _, id := range []string{"a", "b"} {
			send(t, e, "POST", "/dbs/s/colls", fmt.Sprintf(`{"id":%q,"partitionKey":{"paths":["/pk"]}}`, id)).want(t,
				201)
		}
		send(t, e, "POST", "/dbs/s/colls", `{"id":"own","partitionKey":{"paths":["/pk"]}}`, "X-Ms-Offer-Throughput",
			"400").want(t, 201)
		for round := range 2 {
			if spent := spendAll(t, e, "/dbs/s/colls/a/docs", "a"); spent != 700 {
				t.Errorf("%.2f RU in a second", spent)
			}
			if spent := spendAll(t, e, "/dbs/s/colls/b/docs", "a"); spent != 0 {
				t.Errorf("%.2f RU more", spent)
			}
			if spent := spendAll(t, e, "/dbs/s/colls/own/docs", "a"); spent != 400 {
				t.Errorf("%.2f RU of its own", spent)
			}
			if round == 0 { // repeat after reopening
				if err := e.Close(); err != nil {
					t.Fatal(err)
				}
				if e, err = open(dir, enforced, clock.now); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

// TestEveryChargeIsSpent checks that every charge is deducted from the budgets of the ranges that
// served the request.
func TestEveryChargeIsSpent(t *testing.T) {
	const batch, bulk = "True", "False"
	operations := func(atomic string) []string {
		return append(pk("a"), "X-Ms-Cosmos-Is-Batch-Request", "True", "X-Ms-Cosmos-Batch-Atomic", atomic)
	}
	query := func(headers ...string) []string { return append(headers, "Content-Type", "application/query+json") }
	feed := []string{"A-IM", "Incremental feed", rangeHeader, "1"}
	for name, tt := range map[string]struct {
		method, path, body string
		headers            []string
		status             int
	}{
		"read":                       {"GET", "/1", "", pk("a"), 200},
		"read of a missing item":     {"GET", "/none", "", pk("a"), 404},
		"read of an unchanged item":  {"GET", "/1", "", append(pk("a"), "If-None-Match", "*"), 304},
		"create":                     {"POST", "", `{"id":"2","pk":"a"}`, pk("a"), 201},
		"create of an existing item": {"POST", "", `{"id":"1","pk":"a"}`, pk("a"), 409},
		"create under a wrong key":   {"POST", "", `{"id":"2","pk":"b"}`, pk("a"), 400},
		"upsert": {"POST", "", `{"id":"1","pk":"a"}`, append(pk("a"), "X-Ms-Documentdb-Is-Upsert",
			"True"), 200},
		"replace":                   {"PUT", "/1", `{"id":"1","pk":"a"}`, pk("a"), 200},
		"replace with a stale etag": {"PUT", "/1", `{"id":"1","pk":"a"}`, append(pk("a"), "If-Match", "x"), 412},
		"patch":                     {"PATCH", "/1", `[{"op":"set","path":"/x","value":1}]`, pk("a"), 200},
		"delete":                    {"DELETE", "/1", "", pk("a"), 204},
		"batch": {"POST", "",
			`[{"operationType":"Create","resourceBody":{"id":"2","pk":"a"}},{"operationType":"Read","id":"1"}]`,
			operations(batch), 200},
		"batch that fails": {"POST", "",
			`[{"operationType":"Create","resourceBody":{"id":"2","pk":"a"}},{"operationType":"Read","id":"9"}]`,
			operations(batch), 207},
		"bulk": {"POST", "",
			`[{"operationType":"Create","resourceBody":{"id":"2","pk":"a"}},{"operationType":"Delete","id":"1"}]`,
			operations(bulk), 200},
		"bulk that fails": {"POST", "",
			`[{"operationType":"Create","resourceBody":{"id":"1","pk":"a"}},{"operationType":"Read","id":"9"}]`,
			operations(bulk), 207},
		"query of a key":   {"POST", "", `{"query":"SELECT * FROM c"}`, query(pk("a")...), 200},
		"query of a range": {"POST", "", `{"query":"SELECT * FROM c"}`, query(rangeHeader, "1"), 200},
		"query of all ranges": {"POST", "", `{"query":"SELECT * FROM c"}`,
			query("X-Ms-Documentdb-Query-Enablecrosspartition", "True"), 200},
		"read of all":                 {"GET", "", "", nil, 200},
		"change feed":                 {"GET", "", "", feed, 200},
		"change feed without changes": {"GET", "", "", append(feed, "If-None-Match", "*"), 304},
	} {
		t.Run(name, func(t *testing.T) {
			e, clock := mustEngine(t, Options{Ranges: 2, EnforceThroughput: true, Throughput: 1000}, plainContainer)
			create(t, e, `{"id":"1","pk":"a"}`).want(t, 201)
			clock.at = clock.at.Add(time.Second)
			e.catalog.Load().Databases["d"].Containers["c"].Ranges[1].Budget.Wait(clock.at, 1000) // begin the window
			a := send(t, e, tt.method, docs+tt.path, tt.body, tt.headers...).want(t, tt.status)
			spent := 0.0
			for _, rng := range e.catalog.Load().Databases["d"].Containers["c"].Ranges {
				spent += rng.Budget.Spent
			}
			if charge := chargeOf(t, a); math.Abs(spent-charge) > 0.01 || charge == 0 {
				t.Errorf("charged %.2f, spent %.2f", charge, spent)
			}
			for _, rng := range e.catalog.Load().Databases["d"].Containers["c"].Ranges {
				rng.Budget.Spent = 1000
			}
			want := 429
			if name == "bulk" || name == "bulk that fails" {
				want = 207 // each operation has its own
			}
			send(t, e, tt.method, docs+tt.path, tt.body, tt.headers...).want(t, want)
		})
	}
}

// setThroughput replaces the offer of a resource.
func setThroughput(t testing.TB, e *Engine, path, content string, headers ...string) answer {
	t.Helper()
	found := offerOf(t, e, path)
	return send(t, e, "PUT", "/offers/"+found.ID+"/", fmt.Sprintf(`{"content":%s,"id":%q}`, content, found.ID),
		headers...)
}
