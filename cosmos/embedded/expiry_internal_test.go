package embedded

import (
	"testing"
	"time"
)

const uniqueContainer = `{"id":"c","partitionKey":{"paths":["/pk"]},"defaultTtl":-1,` +
	`"uniqueKeyPolicy":{"uniqueKeys":[{"paths":["/u"]}]}}`

func TestExpiredItemHoldsNothing(t *testing.T) {
	for name, tt := range map[string]struct {
		method, path, body string
		headers            []string
	}{
		"create":           {"POST", "", `{"id":"x","pk":"a","u":1}`, nil},
		"create by the id": {"POST", "", `{"id":"old","pk":"a"}`, nil},
		"upsert": {"POST", "", `{"id":"2","pk":"a","u":1}`, []string{"X-Ms-Documentdb-Is-Upsert",
			"True"}},
		"upsert of a new item": {"POST", "", `{"id":"x","pk":"a","u":1}`, []string{"X-Ms-Documentdb-Is-Upsert",
			"True"}},
		"replace": {"PUT", "/2", `{"id":"2","pk":"a","u":1}`, nil},
		"patch":   {"PATCH", "/2", `[{"op":"set","path":"/u","value":1}]`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			e, clock := mustEngine(t, Options{}, uniqueContainer)
			create(t, e, `{"id":"old","pk":"a","u":1,"ttl":10}`).want(t, 201)
			create(t, e, `{"id":"2","pk":"a","u":2}`).want(t, 201)
			attempt := func() answer {
				return send(t, e, tt.method, docs+tt.path, tt.body, append(pk("a"), tt.headers...)...)
			}
			clock.at = clock.at.Add(9 * time.Second)
			attempt().want(t, 409)
			clock.at = clock.at.Add(time.Second) // the item expires in this second
			send(t, e, "GET", docs+"/old", "", pk("a")...).want(t, 404)
			if a := attempt(); a.status >= 300 {
				t.Errorf("got %d: %s", a.status, a.body)
			}
		})
	}
}

func TestExpiredItemStaysGoneWhenExpiryChanges(t *testing.T) {
	for name, definition := range map[string]string{
		"raised":     `{"id":"c","partitionKey":{"paths":["/pk"]},"defaultTtl":1000}`,
		"turned off": plainContainer,
	} {
		t.Run(name, func(t *testing.T) {
			e, clock := mustEngine(t, Options{}, `{"id":"c","partitionKey":{"paths":["/pk"]},"defaultTtl":10}`)
			create(t, e, `{"id":"old","pk":"a"}`).want(t, 201)
			clock.at = clock.at.Add(5 * time.Second)
			create(t, e, `{"id":"young","pk":"a"}`).want(t, 201)
			clock.at = clock.at.Add(5 * time.Second)
			send(t, e, "PUT", "/dbs/d/colls/c", definition).want(t, 200)
			send(t, e, "GET", docs+"/old", "", pk("a")...).want(t, 404)
			clock.at = clock.at.Add(100 * time.Second)
			send(t, e, "GET", docs+"/young", "", pk("a")...).want(t, 200)
		})
	}
}
