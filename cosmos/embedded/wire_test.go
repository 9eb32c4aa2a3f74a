package embedded_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"inkfeed/cosmos/embedded"
)

// wire is a client that signs requests itself and uses TLS, like one written from the REST
// reference.
type wire struct {
	base string
	key  string
	http *http.Client
}

func newWire(t *testing.T, o embedded.Options) *wire {
	t.Helper()
	e := MustOpen(t, t.TempDir(), o)
	server := httptest.NewUnstartedServer(e)
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	return &wire{base: server.URL, key: e.Key(), http: server.Client()}
}

// signature returns the signature according to the REST reference, "Access control in the Azure
// Cosmos DB SQL API": an HMAC of verb, type, link and date.
func signature(t *testing.T, key, verb, kind, link, date string) string {
	t.Helper()
	secret, err := base64.StdEncoding.DecodeString(key)
	if err != nil {
		t.Fatal(err)
	}
	mac := hmac.New(sha256.New, secret)
	io.WriteString(mac, strings.ToLower(verb)+"\n"+strings.ToLower(kind)+"\n"+link+"\n"+strings.ToLower(date)+"\n\n")
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// call is a request and the parts that are signed.
type call struct {
	method, path, body string
	kind, link         string
	header             http.Header
	at                 time.Time // zero means now
	escape             func(string) string
}

// reply is a response with its body.
type reply struct {
	*http.Response
	text string
}

func (w *wire) send(t *testing.T, c call) reply {
	t.Helper()
	if c.at.IsZero() {
		c.at = time.Now()
	}
	if c.escape == nil {
		c.escape = url.QueryEscape
	}
	date := c.at.UTC().Format(http.TimeFormat)
	r, err := http.NewRequestWithContext(t.Context(), c.method, w.base+c.path, strings.NewReader(c.body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Ms-Date", date)
	r.Header.Set("X-Ms-Version", "2018-12-31")
	r.Header.Set("Authorization", c.escape("type=master&ver=1.0&sig="+signature(t, w.key, c.method, c.kind, c.link,
		date)))
	for name, values := range c.header {
		if r.Header[name] = values; values == nil {
			r.Header.Del(name)
		}
	}
	resp, err := w.http.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{resp, string(text)}
}

// want checks the status, and that an error has a JSON body, which some SDKs require.
func (r reply) want(t *testing.T, status int) reply {
	t.Helper()
	if r.StatusCode != status {
		t.Fatalf("got status %d, want %d: %s", r.StatusCode, status, r.text)
	}
	if status >= 400 && r.Request.Method != http.MethodHead {
		var said struct{ Code, Message string }
		if err := json.Unmarshal([]byte(r.text), &said); err != nil || said.Code == "" || said.Message == "" {
			t.Errorf("the body of status %d has no code and message: %q", status, r.text)
		}
	}
	if r.Header.Get("X-Ms-Activity-Id") == "" || r.Header.Get("X-Ms-Request-Charge") == "" {
		t.Errorf("status %d has no activity id or no charge: %v", status, r.Header)
	}
	return r
}

var database = call{method: "GET", path: "/dbs/d", kind: "dbs", link: "dbs/d"}

// wireWithItems creates dbs/d/colls/c with the item i under the key "p".
func wireWithItems(t *testing.T, o embedded.Options) *wire {
	w := newWire(t, o)
	w.send(t, call{method: "POST", path: "/dbs", body: `{"id":"d"}`, kind: "dbs"}).want(t, 201)
	w.send(t, call{method: "POST", path: "/dbs/d/colls", body: `{"id":"c","partitionKey":{"paths":["/pk"]}}`,
		kind: "colls", link: "dbs/d",
		header: http.Header{"X-Ms-Offer-Throughput": {"400"}}}).want(t, 201)
	w.send(t, call{method: "POST", path: "/dbs/d/colls/c/docs", body: `{"id":"i","pk":"p"}`, kind: "docs",
		link: "dbs/d/colls/c", header: underP()}).want(t, 201)
	return w
}

func underP() http.Header { return http.Header{"X-Ms-Documentdb-Partitionkey": {`["p"]`}} }

func itemCall(method, body string) call {
	return call{method: method, path: "/dbs/d/colls/c/docs/i", body: body, kind: "docs", link: "dbs/d/colls/c/docs/i",
		header: underP()}
}

func TestSignaturesOverTheWire(t *testing.T) {
	const documentedKey = "dsZQi3KtZmCv1ljt3VNWNm7sQUF1y5rJfC6kv5JiwvW0EndXdDku/dkKBp8/ufDToSxLzR4y+O/0H/t4bQtVNw=="
	t.Run("equal those of the documented example", func(t *testing.T) {
		got := signature(t, documentedKey, "GET", "dbs", "dbs/ToDoList", "Thu, 27 Apr 2017 00:51:12 GMT")
		if want := "c09PEVJrgp2uQRkr934kFbTqhByc7TVr3OHyqlu+c+c="; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
	w := wireWithItems(t, embedded.Options{Key: documentedKey})
	with := func(c call, change func(*call)) call {
		change(&c)
		return c
	}
	authorization := func(value ...string) func(*call) {
		return func(c *call) { c.header = http.Header{"Authorization": value} }
	}
	for name, tt := range map[string]struct {
		call call
		want int
	}{
		"of the account key are accepted": {database, 200},
		"that are missing are refused":    {with(database, authorization()), 401},
		"of another key are refused": {with(database,
			authorization(url.QueryEscape("type=master&ver=1.0&sig="+signature(t, embedded.WellKnownKey, "GET", "dbs",
				"dbs/d", time.Now().UTC().Format(http.TimeFormat))))), 401},
		"of another verb are refused":           {call{method: "GET", path: "/dbs", kind: "dbs", link: "dbs"}, 401},
		"of another case of a name are refused": {with(database, func(c *call) { c.link = "dbs/D" }), 401},
		"that are not base64 are refused": {with(database,
			authorization("type%3Dmaster%26ver%3D1.0%26sig%3D!")), 401},
		"of another scheme are refused": {with(database, authorization("Bearer secret")), 401},
		"of resource tokens are refused": {with(database,
			authorization("type%3Dresource%26ver%3D1.0%26sig%3DAAAA")), 401},
		"of another version are refused": {with(database,
			authorization("type%3Dmaster%26ver%3D2.0%26sig%3DAAAA")), 401},
		"with broken escapes are refused": {with(database,
			authorization("type%3Dmaster%26ver%3D1.0%26sig%3D%zz")), 401},
		"of fourteen minutes ago are accepted": {with(database,
			func(c *call) { c.at = time.Now().Add(-14 * time.Minute) }), 200},
		"of sixteen minutes ago are refused": {with(database,
			func(c *call) { c.at = time.Now().Add(-16 * time.Minute) }), 403},
		"sixteen minutes ahead are refused": {with(database,
			func(c *call) { c.at = time.Now().Add(16 * time.Minute) }), 403},
		"that are not escaped are refused": {with(database,
			func(c *call) { c.escape = func(s string) string { return s } }), 401},
		"may be escaped in lower case":              {with(database, func(c *call) { c.escape = lowerEscape }), 200},
		"of a path with doubled slashes leave them": {with(database, func(c *call) { c.path = "//dbs//d" }), 200},
		"of the feed of ranges name the container": {call{method: "GET", path: "//dbs/d/colls/c/pkranges",
			kind: "pkranges", link: "dbs/d/colls/c"}, 200},
		"of the account have neither type nor link":   {call{method: "GET", path: "/"}, 200},
		"of the account without a slash have neither": {call{method: "GET"}, 200},
	} {
		t.Run(name, func(t *testing.T) { w.send(t, tt.call).want(t, tt.want) })
	}
	t.Run("over a date of another form are refused", func(t *testing.T) {
		now := time.Now().UTC()
		for _, date := range []string{now.Format(time.RFC1123), now.Format(time.RFC1123Z), now.Format(time.RFC850),
			now.Format(time.ANSIC),
			now.Format(time.RFC3339), now.In(time.FixedZone("PDT", -7*3600)).Format(time.RFC1123)} {
			c := with(
				database,
				authorization(
					url.QueryEscape(
						"type=master&ver=1.0&sig="+signature(t, documentedKey, "GET", "dbs", "dbs/d", date),
					),
				),
			)
			c.header.Set("X-Ms-Date", date)
			if r := w.send(t, c).want(t, 401); !strings.Contains(r.text, "RFC 1123") {
				t.Errorf("%s: %s", date, r.text)
			}
		}
	})
	t.Run("over a date in lower case are accepted", func(t *testing.T) {
		date := strings.ToLower(time.Now().UTC().Format(http.TimeFormat))
		c := with(
			database,
			authorization(
				url.QueryEscape("type=master&ver=1.0&sig="+signature(t, documentedKey, "GET", "dbs", "dbs/d", date)),
			),
		)
		c.header.Set("X-Ms-Date", date)
		w.send(t, c).want(t, 200)
	})
	t.Run("without a date are refused", func(t *testing.T) {
		w.send(t, with(database, func(c *call) { c.header = http.Header{"X-Ms-Date": nil} })).want(t, 401)
	})
	t.Run("of an offer name its id in lower case", func(t *testing.T) {
		var found struct{ Offers []struct{ ID string } }
		list := w.send(t, call{method: "GET", path: "/offers", kind: "offers"}).want(t, 200)
		if err := json.Unmarshal([]byte(list.text), &found); err != nil || len(found.Offers) != 1 {
			t.Fatalf("%v: %s", err, list.text)
		}
		id := found.Offers[0].ID
		for _, link := range []string{strings.ToLower(id), "offers/" + strings.ToLower(id)} {
			w.send(t, call{method: "GET", path: "/offers/" + id + "/", kind: "offers", link: link}).want(t, 200)
		}
		w.send(t, call{method: "GET", path: "/offers/" + id + "/", kind: "offers", link: "dbs/d"}).want(t, 401)
	})
}

// lowerEscape escapes with lower-case hexadecimal digits, as .NET does.
func lowerEscape(s string) string {
	var b strings.Builder
	for rest := url.QueryEscape(s); rest != ""; {
		before, after, found := strings.Cut(rest, "%")
		if b.WriteString(before); !found {
			break
		}
		b.WriteString("%" + strings.ToLower(after[:2]))
		rest = after[2:]
	}
	return b.String()
}

// TestCollapsingPathDeletesNothing: a client that joins the item id ".." into the path
// addresses the container, but signs the item.
func TestCollapsingPathDeletesNothing(t *testing.T) {
	w := wireWithItems(t, embedded.Options{})
	w.send(t, call{method: "DELETE", path: "/dbs/d/colls/c", kind: "docs", link: "dbs/d/colls/c/docs/.."}).want(t, 401)
	w.send(t, call{method: "DELETE", path: "/dbs/d/colls/c/docs/..", kind: "docs", link: "dbs/d/colls/c/docs/..",
		header: underP()}).want(t, 404)
	w.send(t, itemCall("GET", "")).want(t, 200)
}

func TestAnswersOverTheWire(t *testing.T) {
	w := wireWithItems(t, embedded.Options{})
	t.Run("echo the activity id", func(t *testing.T) {
		c := itemCall("GET", "")
		c.header.Set("X-Ms-Activity-Id", "1c0ffee0-0000-4000-8000-000000000001")
		if got := w.send(t, c).want(t,
			200).Header.Get("X-Ms-Activity-Id"); got != "1c0ffee0-0000-4000-8000-000000000001" {
			t.Errorf("got %q", got)
		}
	})
	t.Run("of an unchanged item have an etag and no body", func(t *testing.T) {
		c := itemCall("GET", "")
		etag := w.send(t, c).want(t, 200).Header.Get("Etag")
		c.header.Set("If-None-Match", etag)
		r := w.send(t, c).want(t, 304)
		if r.text != "" || r.Header.Get("Etag") != etag || r.Header.Get("X-Ms-Session-Token") == "" {
			t.Errorf("%q %v", r.text, r.Header)
		}
	})
	t.Run("of a minimal write have length zero", func(t *testing.T) {
		c := itemCall("PUT", `{"id":"i","pk":"p","n":1}`)
		c.header.Set("Prefer", "return=minimal")
		r := w.send(t, c).want(t, 200)
		if r.text != "" || r.ContentLength != 0 || r.Header.Get("Etag") == "" {
			t.Errorf("%q, length %d, %v", r.text, r.ContentLength, r.Header)
		}
	})
	t.Run("of a deletion have no body", func(t *testing.T) {
		r := w.send(t, itemCall("DELETE", "")).want(t, 204)
		if r.text != "" || r.Header.Get("X-Ms-Session-Token") == "" {
			t.Errorf("%q %v", r.text, r.Header)
		}
	})
	t.Run("to unknown verbs are errors", func(t *testing.T) {
		for _, method := range []string{"HEAD", "OPTIONS", "TRACE", "BREW"} {
			c := itemCall(method, "")
			w.send(t, c).want(t, 405)
			c.header.Set("Authorization", "")
			w.send(t, c).want(t, 401)
		}
	})
	t.Run("are the same by HTTP/1.1 and HTTP/2", func(t *testing.T) {
		if got := w.send(t, database).want(t, 200).Proto; got != "HTTP/2.0" {
			t.Errorf("the client speaks %s", got)
		}
		settings := w.http.Transport.(*http.Transport).TLSClientConfig
		old := &wire{base: w.base, key: w.key, http: &http.Client{Transport: &http.Transport{
			TLSClientConfig: &tls.Config{RootCAs: settings.RootCAs},
			TLSNextProto:    map[string]func(string, *tls.Conn) http.RoundTripper{}}}}
		defer old.http.CloseIdleConnections()
		if got := old.send(t, database).want(t, 200).Proto; got != "HTTP/1.1" {
			t.Errorf("the other client speaks %s", got)
		}
	})
}

func TestAccountDocument(t *testing.T) {
	type location struct{ Name, DatabaseAccountEndpoint string }
	read := func(t *testing.T, o embedded.Options) (host string, account struct {
		ID                string
		WritableLocations []location
		ReadableLocations []location
		Policy            struct{ DefaultConsistencyLevel string } `json:"userConsistencyPolicy"`
		Engine            string                                   `json:"queryEngineConfiguration"`
	}) {
		t.Helper()
		w := newWire(t, o)
		r := w.send(t, call{method: "GET", path: "/"}).want(t, 200)
		if err := json.Unmarshal([]byte(r.text), &account); err != nil {
			t.Fatal(err)
		}
		if len(account.WritableLocations) != 1 || len(account.ReadableLocations) != 1 ||
			!json.Valid([]byte(account.Engine)) {
			t.Fatalf("%s", r.text)
		}
		return strings.TrimPrefix(w.base, "https://"), account
	}
	t.Run("with the address of the request", func(t *testing.T) {
		host, account := read(t, embedded.Options{})
		if got := account.WritableLocations[0].DatabaseAccountEndpoint; got != "https://"+host+"/" {
			t.Errorf("the endpoint is %s, want %s", got, host)
		}
		if got := account.Policy.DefaultConsistencyLevel; got != "Session" {
			t.Errorf("the consistency level is %s", got)
		}
	})
	t.Run("like Microsoft's emulator, with the option", func(t *testing.T) {
		_, account := read(t, embedded.Options{Identity: embedded.EmulatorIdentity("https://127.0.0.1:8081/")})
		want := location{"South Central US", "https://127.0.0.1:8081/"}
		if account.ReadableLocations[0] != want || account.WritableLocations[0] != want ||
			account.Policy.DefaultConsistencyLevel != "Strong" {
			t.Errorf("%+v", account)
		}
	})
	t.Run("but rejects an invalid identity", func(t *testing.T) {
		for _, identity := range []embedded.Identity{{Consistency: "Exact"}, {Endpoint: "localhost:8081"},
			{Endpoint: "https://localhost:8081"}} {
			if e, err := embedded.Open(t.TempDir(), embedded.Options{Identity: identity}); err == nil {
				t.Errorf("%+v is accepted", identity)
				e.Close()
			}
		}
	})
}

func TestConsistencyUpToTheAccountsLevelIsServed(t *testing.T) {
	for account, want := range map[string]map[string]int{
		"Session": {"": 200, "Eventual": 200, "session": 400, "BoundedStaleness": 400, "Strong": 400, "Exact": 400},
		"Strong":  {"Strong": 200, "BoundedStaleness": 200, "Eventual": 200, "Exact": 400},
	} {
		t.Run(account, func(t *testing.T) {
			w := wireWithItems(t, embedded.Options{Identity: embedded.Identity{Consistency: account}})
			for level, status := range want {
				c := itemCall("GET", "")
				c.header.Set("X-Ms-Consistency-Level", level)
				w.send(t, c).want(t, status)
			}
		})
	}
}
