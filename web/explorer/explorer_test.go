package explorer_test

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/PuerkitoBio/goquery"

	"inkfeed/cosmos/embedded"
	"inkfeed/web/explorer"
)

const (
	container = explorer.Root + "dbs/blog/colls/posts"
	secondKey = "c2Vjb25kIGtleSBvZiB0aGlzIGVuZ2luZQ=="
)

// browser is a visitor of the explorer.
type browser struct {
	*http.Client
	t      *testing.T
	base   string
	engine embedded.Operator
}

// newBrowser opens an engine with the container posts, of two feed ranges, and its explorer.
func newBrowser(t *testing.T, write bool) *browser {
	t.Helper()
	engine, err := embedded.Open(t.TempDir(), embedded.Options{Ranges: 2, SecondaryKey: secondKey})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { engine.Close() })
	server := httptest.NewServer(explorer.New(explorer.Options{Engine: engine, Write: write,
		Keys: []string{engine.Key(), secondKey}, Logger: slog.New(slog.DiscardHandler)}))
	t.Cleanup(server.Close)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	b := &browser{&http.Client{Jar: jar}, t, server.URL,
		embedded.Operator{Endpoint: engine.Endpoint(), Key: engine.Key(), Client: engine}}
	b.send([]string{"dbs"}, `{"id":"blog"}`, "")
	b.send([]string{"dbs", "blog", "colls"},
		`{"id":"posts","partitionKey":{"paths":["/author"],"kind":"Hash","version":2}}`,
		"")
	return b
}

// send creates a resource.
func (b *browser) send(path []string, body, key string) {
	b.t.Helper()
	header := make(http.Header)
	if key != "" {
		header.Set("X-Ms-Documentdb-Partitionkey", key)
	}
	resp, err := b.engine.Send(b.t.Context(), http.MethodPost, path, header, []byte(body))
	if err != nil || resp.StatusCode != http.StatusCreated {
		b.t.Fatal(resp, err)
	}
	resp.Body.Close()
}

// add creates an item of an author.
func (b *browser) add(id, author string) {
	b.t.Helper()
	text, err := json.Marshal(map[string]string{"id": id, "author": author})
	if err != nil {
		b.t.Fatal(err)
	}
	b.send([]string{"dbs", "blog", "colls", "posts", "docs"}, string(text), keyOf(author))
}

// page is a response and its document.
type page struct {
	*http.Response
	*goquery.Document
}

func (b *browser) do(r *http.Request) page {
	b.t.Helper()
	resp, err := b.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer resp.Body.Close()
	document, err := goquery.NewDocumentFromReader(resp.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return page{resp, document}
}

func (b *browser) request(method, path string, body io.Reader) *http.Request {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), method, b.base+path, body)
	if err != nil {
		b.t.Fatal(err)
	}
	return r
}

func (b *browser) get(path string) page {
	b.t.Helper()
	return b.do(b.request(http.MethodGet, path, nil))
}

// post sends a form, whose fields are pairs of a name and a value.
func (b *browser) post(path string, fields ...string) page {
	b.t.Helper()
	values := make(url.Values)
	for i := 0; i+1 < len(fields); i += 2 {
		values.Set(fields[i], fields[i+1])
	}
	r := b.request(http.MethodPost, path, strings.NewReader(values.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return b.do(r)
}

// submit sends a form as the page contains it, with other values for the given fields.
func (b *browser) submit(form *goquery.Selection, fields ...string) page {
	b.t.Helper()
	form.Find("[name]:not([type=checkbox])").Each(func(_ int, field *goquery.Selection) {
		fields = append([]string{field.AttrOr("name", ""), field.AttrOr("value", field.Text())}, fields...)
	})
	return b.post(form.AttrOr("action", ""), fields...)
}

func (b *browser) logIn() {
	b.t.Helper()
	if p := b.post(explorer.Root+"login", "key", b.engine.Key); p.StatusCode != http.StatusOK {
		b.t.Fatalf("logging in: status %d", p.StatusCode)
	}
}

// want checks the status and the text of an element.
func (p page) want(t *testing.T, status int, selector, text string) {
	t.Helper()
	if got := strings.TrimSpace(p.Find(selector).Text()); p.StatusCode != status || !strings.Contains(got, text) {
		t.Errorf("%s: status %d, %q at %s; want %d, %q", p.Request.URL, p.StatusCode, got, selector, status, text)
	}
}

// keyOf returns an author's partition key as JSON in ASCII.
func keyOf(author string) string {
	var b strings.Builder
	for _, unit := range utf16.Encode([]rune(author)) {
		fmt.Fprintf(&b, `\u%04x`, unit)
	}
	return `["` + b.String() + `"]`
}

func itemPath(id, author string) string {
	return "?" + url.Values{"id": {id}, "key": {keyOf(author)}}.Encode()
}

func TestOnlyTheKeyOpensTheExplorer(t *testing.T) {
	b := newBrowser(t, true)
	b.add("p1", "ada")
	t.Run("pages lead to the form, and the form back to the page", func(t *testing.T) {
		p := b.get(container + "/docs")
		p.want(t, http.StatusOK, "label[for=key]", "Key of the engine")
		p = b.submit(p.Find("form"), "key", secondKey)
		p.want(t, http.StatusOK, "#items tbody th", "p1")
		b.submit(p.Find("header form")).want(t, http.StatusOK, "h1", "Log in")
		b.get(container+"/docs").want(t, http.StatusOK, "h1", "Log in")
	})
	t.Run("another key is refused and not repeated", func(t *testing.T) {
		p := b.post(explorer.Root+"login", "key", "guess")
		p.want(t, http.StatusUnprocessableEntity, "#key-error", "This is not the engine's key.")
		if p.Find("#key").AttrOr("value", "") != "" {
			t.Error("the page contains what was typed")
		}
	})
	t.Run("a form that is larger than any key is not read to its end", func(t *testing.T) {
		b.post(explorer.Root+"login", "a", strings.Repeat("x", 1<<20), "key", b.engine.Key).
			want(t, http.StatusUnprocessableEntity, "#key-error", "This is not the engine's key.")
	})
	t.Run("the form never leads to another site", func(t *testing.T) {
		for _, next := range []string{"https://example.org/", "//example.org", "/other"} {
			p := b.get(explorer.Root + "login?next=" + url.QueryEscape(next))
			if got := p.Find("[name=next]").AttrOr("value", ""); got != explorer.Root {
				t.Errorf("%s: leads to %s", next, got)
			}
			b.submit(b.post(explorer.Root + "logout").Find("form"))
		}
	})
	t.Run("forms without a session change nothing", func(t *testing.T) {
		p := b.post(container+"/delete", "id", "p1", "key", `["ada"]`, "confirm", "yes", "etag", "*")
		p.want(t, http.StatusUnauthorized, "main", "Your session has ended")
		b.logIn()
		b.get(container+"/item"+itemPath("p1", "ada")).want(t, http.StatusOK, "#item", `"p1"`)
	})
}

func TestOtherSitesCannotUseTheExplorer(t *testing.T) {
	b := newBrowser(t, true)
	b.logIn()
	t.Run("a name that was changed to resolve to this machine", func(t *testing.T) {
		for host, want := range map[string]int{"rebound.example.org": 421, "rebound.example.org:80": 421,
			"127.0.0.1.example.org": 421, "localhost.example.org": 421, "192.0.2.1": 421, " ": 421,
			"localhost:9000": 200, "127.0.0.1": 200, "[::1]:80": 200} {
			r := b.request(http.MethodGet, explorer.Root, nil)
			r.Host = host
			if p := b.do(r); p.StatusCode != want {
				t.Errorf("host %q: status %d, want %d", host, p.StatusCode, want)
			}
		}
	})
	t.Run("a form of another site", func(t *testing.T) {
		for name, value := range map[string]string{"Sec-Fetch-Site": "cross-site", "Origin": "http://example.org"} {
			r := b.request(http.MethodPost, explorer.Root+"logout", nil)
			r.Header.Set(name, value)
			if p := b.do(r); p.StatusCode != http.StatusForbidden {
				t.Errorf("%s %s: status %d", name, value, p.StatusCode)
			}
		}
	})
	t.Run("the cookie", func(t *testing.T) {
		r := b.request(http.MethodPost, explorer.Root+"login",
			strings.NewReader(url.Values{"key": {b.engine.Key}}.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		resp, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		cookie := resp.Cookies()[0]
		if cookie.Path != explorer.Root || !cookie.HttpOnly || cookie.SameSite != http.SameSiteStrictMode {
			t.Errorf("cookie %v", cookie)
		}
	})
	t.Run("pages contain no inline script or style", func(t *testing.T) {
		for _, path := range []string{"", "dbs/blog/colls/posts", "dbs/blog/colls/posts/changes", "login"} {
			p := b.get(explorer.Root + path)
			if !strings.HasPrefix(p.Header.Get("Content-Security-Policy"), "default-src 'none'; style-src 'self';") ||
				p.Header.Get("Cache-Control") != "no-store" ||
				p.Find("script:not([src]), style, [style]").Length() > 0 {
				t.Errorf("%s: %v", path, p.Header)
			}
		}
	})
}

func TestContainersAreDescribed(t *testing.T) {
	b := newBrowser(t, false)
	b.logIn()
	for i := range 3 {
		b.add(fmt.Sprint("p", i), fmt.Sprint("author", i))
	}
	p := b.get("/")
	p.want(t, http.StatusOK, "h2", "blog")
	p.want(t, http.StatusOK, "tbody th", "posts")
	p.want(t, http.StatusOK, "tbody td:nth-child(3)", "3")
	p.want(t, http.StatusOK, "footer", "This page took 3 requests and ")
	p = b.get(container)
	p.want(t, http.StatusOK, "#item-count", "3")
	p.want(t, http.StatusOK, "#definition", `"indexingPolicy"`)
	p.want(t, http.StatusOK, "nav [aria-current=page]", "Overview")
	rows, items := p.Find("#feed-ranges tbody tr"), 0
	rows.Each(func(_ int, row *goquery.Selection) {
		n, err := strconv.Atoi(row.Find("td:nth-child(5)").Text())
		if err != nil {
			t.Error(err)
		}
		items += n
	})
	if rows.Length() != 2 || items != 3 {
		t.Errorf("%d feed ranges with %d items, want 2 with 3", rows.Length(), items)
	}
	b.get(explorer.Root+"dbs/blog/colls/none").want(t, http.StatusNotFound, "h1", "Not Found")
	b.get(explorer.Root+"none").want(t, http.StatusNotFound, "h1", "Not Found")
}

func TestItemsAreListedPageByPage(t *testing.T) {
	b := newBrowser(t, false)
	b.logIn()
	const last = 119
	want := make(map[string]bool)
	for i := range last + 1 {
		id := fmt.Sprint("p", i)
		want[id] = true
		b.add(id, "Zoë 😀 "+strconv.Itoa(i%7))
	}
	pages, item := 0, ""
	for path := container + "/docs"; path != ""; pages++ {
		p := b.get(path)
		links := p.Find("#items tbody th a")
		links.Each(func(_ int, link *goquery.Selection) { delete(want, link.Text()) })
		item = links.Last().AttrOr("href", "")
		path = p.Find("a[rel=next]").AttrOr("href", "")
	}
	if pages < 3 || len(want) > 0 {
		t.Errorf("%d pages, without %v", pages, want)
	}
	p := b.get(item)
	p.want(t, http.StatusOK, "#item", `"author": "Zoë 😀 `)
	if p.Find("a[href*='/edit'], a[href*='/delete'], a[href*='/new']").Length() > 0 {
		t.Error("a read-only explorer offers changes")
	}
	b.add("a/b", "ada")
	b.get(container+"/item"+itemPath("a/b", "ada")).want(t, http.StatusNotFound, "main", "cannot address this id")
	b.get(container+"/item"+itemPath("none", "ada")).want(t, http.StatusNotFound, "h1", "Not Found")
}

// TestNamesThatDifferInCase checks items with properties whose names equal those of system properties but for case.
func TestNamesThatDifferInCase(t *testing.T) {
	b := newBrowser(t, false)
	b.logIn()
	for _, text := range []string{`{"id": "a", "Id": "b", "author": "ada"}`, `{"id": "c", "ID": 7, "author": "ada"}`,
		`{"id": "d", "_TS": "never", "_Etag": 1, "author": "ada"}`} {
		b.send([]string{"dbs", "blog", "colls", "posts", "docs"}, text, keyOf("ada"))
	}
	links := b.get(container + "/docs").Find("#items tbody th a")
	ids := links.Map(func(_ int, a *goquery.Selection) string { return a.Text() })
	if !slices.Equal(ids, []string{"a", "c", "d"}) {
		t.Errorf("the ids are %q", ids)
	}
	links.Each(func(_ int, a *goquery.Selection) {
		p := b.get(a.AttrOr("href", ""))
		p.want(t, http.StatusOK, "#item", `"id": "`+a.Text()+`"`)
		if written := p.Find("time").Text(); !strings.HasPrefix(written, "2") { // not 1970
			t.Errorf("item %s was written at %q", a.Text(), written)
		}
	})
}

func TestQueriesShowResultsAndCosts(t *testing.T) {
	b := newBrowser(t, false)
	b.logIn()
	for i := range 5 {
		b.add(fmt.Sprint("p", i), "ada")
	}
	b.add("other", "bob")
	run := func(fields ...string) page {
		return b.submit(b.get(container+"/query").Find("form.stack"), fields...)
	}
	t.Run("page by page", func(t *testing.T) {
		p := run("query", "SELECT c.id FROM c WHERE c.author = @author", "parameters", `{"@author": "ada"}`, "size",
			"3")
		p.want(t, http.StatusOK, "#count", "3")
		p.want(t, http.StatusOK, "#charge", " RU")
		p.want(t, http.StatusOK, "#metrics", "retrievedDocumentCount")
		p.want(t, http.StatusOK, "#indexes", `"/author/?"`)
		p.want(t, http.StatusOK, "#plan", `"queryRanges"`)
		p = b.submit(p.Find("#next-page"))
		p.want(t, http.StatusOK, "#count", "2")
		p.want(t, http.StatusOK, "#parameters", `{"@author": "ada"}`)
		p.want(t, http.StatusOK, "#result", "This is the last page.")
		p.want(t, http.StatusOK, "footer", "This page took 1 request and ")
		if p.Find("#plan").Length() != 0 {
			t.Error("a later page has the plan again")
		}
	})
	t.Run("also if the engine has no plan for the query", func(t *testing.T) {
		p := run("query", "SELECT COUNT(1) + 1 AS n FROM c", "key", `"ada"`)
		p.want(t, http.StatusOK, ".result", `"n": 6`)
		p.want(t, http.StatusOK, "#plan-error", "Compositions of aggregates")
		if p.Find("#query-error, #plan").Length() != 0 {
			t.Error("the page says that the query is wrong, or has a plan")
		}
	})
	t.Run("of one partition", func(t *testing.T) {
		for _, key := range []string{`"bob"`, `["bob"]`} {
			run("query", "SELECT VALUE c.id FROM c ORDER BY c.id", "key", key).want(t, http.StatusOK, ".result",
				`"other"`)
		}
	})
	t.Run("errors of the engine are beside the query", func(t *testing.T) {
		const query = "SELECT * FROM c ORDER BY c.id DESC"
		p := run("query", query, "key", "")
		p.want(t, http.StatusBadRequest, "#query-error", "Enter a partition key")
		p.want(t, http.StatusBadRequest, "#query", query)
		run("query", "SELEC 1").want(t, http.StatusBadRequest, "#query[aria-invalid=true]", "SELEC 1")
	})
	t.Run("errors of the form are beside their fields", func(t *testing.T) {
		for field, value := range map[string]string{"parameters": `["x"]`, "key": `"a" "b"`, "size": "0",
			"query": " "} {
			p := run(field, value)
			p.want(t, http.StatusUnprocessableEntity, "#"+field+"-error", "")
			if got := p.Find("#" + field); p.Find("#"+field+"-error").Length() != 1 ||
				got.AttrOr("value", got.Text()) != value {
				t.Errorf("%s: the page has no error beside it, or not what was typed", field)
			}
		}
	})
}

func TestTheChangeFeedIsFollowed(t *testing.T) {
	b := newBrowser(t, false)
	b.logIn()
	for i := range 3 {
		b.add(fmt.Sprint("p", i), fmt.Sprint("author", i))
	}
	ids := func(p page) string {
		return strings.Join(p.Find("#changes > li > p > a").Map(func(_ int, a *goquery.Selection) string {
			return a.Text()
		}), " ")
	}
	for from, want := range map[string]int{"now": 0, "beginning": 3, "hour": 3, "": 3} {
		t.Run("from "+from, func(t *testing.T) {
			p := b.get(container + "/changes?from=" + from)
			p.want(t, http.StatusOK, "#follow-status", "These are the newest changes.")
			if got := p.Find("#changes > li").Length(); got != want {
				t.Errorf("%d changes, want %d", got, want)
			}
			id := "new" + from
			b.add(id, "ada")
			newer := b.get(p.Find("#newer").AttrOr("href", ""))
			if got := ids(newer); got != id {
				t.Errorf("newer changes: %q, want %q", got, id)
			}
			if got := ids(b.get(newer.Find("#newer").AttrOr("href", ""))); got != "" {
				t.Errorf("changes after the last one: %q", got)
			}
			b.removed(id)
		})
	}
	b.get(container+"/changes?after=x").want(t, http.StatusBadRequest, "main", "not valid")
}

// removed deletes an item of ada.
func (b *browser) removed(id string) {
	b.t.Helper()
	resp, err := b.engine.Send(b.t.Context(), http.MethodDelete, []string{"dbs", "blog", "colls", "posts", "docs", id},
		http.Header{"X-Ms-Documentdb-Partitionkey": {`["ada"]`}}, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	resp.Body.Close()
}

func TestItemsAreChangedOnlyOnRequest(t *testing.T) {
	t.Run("a read-only explorer has no forms", func(t *testing.T) {
		b := newBrowser(t, false)
		b.logIn()
		b.add("p1", "ada")
		for _, part := range []string{"/new", "/edit", "/delete"} {
			for _, p := range []page{b.get(container + part + itemPath("p1", "ada")),
				b.post(container+part, "id", "p1", "key", `["ada"]`, "text", "{}", "confirm", "yes")} {
				p.want(t, http.StatusNotFound, "h1", "Not Found")
			}
		}
	})
	b := newBrowser(t, true)
	b.logIn()
	const text = `{"id": "é1", "author": "Zoë"}`
	t.Run("create", func(t *testing.T) {
		form := b.get(container + "/new").Find("form.stack")
		p := b.submit(form, "text", text)
		p.want(t, http.StatusUnprocessableEntity, "#confirm-error", "Confirm")
		p.want(t, http.StatusUnprocessableEntity, "#text", text)
		b.submit(form, "text", "{", "confirm", "yes").want(t, http.StatusUnprocessableEntity, "#text-error", "not JSON")
		b.submit(form, "text", "[]", "confirm", "yes").want(t, http.StatusUnprocessableEntity, "#text-error", "object")
		p = b.submit(form, "text", text, "confirm", "yes")
		p.want(t, http.StatusOK, "[role=status]", "The item is stored.")
		p.want(t, http.StatusOK, "#item", `"author": "Zoë"`)
		p = b.submit(form, "text", text, "confirm", "yes")
		p.want(t, http.StatusConflict, ".error-summary", "already exists")
		p.want(t, http.StatusConflict, "#text", text)
	})
	item := itemPath("é1", "Zoë")
	t.Run("replace, unless the item has changed", func(t *testing.T) {
		outdated := b.get(container + "/edit" + item).Find("form.stack")
		p := b.submit(b.get(container+"/edit"+item).Find("form.stack"), "confirm", "yes",
			"text", `{"id": "é1", "author": "Zoë", "n": 1}`)
		p.want(t, http.StatusOK, "#item", `"n": 1`)
		const lost = `{"id": "é1", "author": "Zoë", "n": 2}`
		p = b.submit(outdated, "confirm", "yes", "text", lost)
		p.want(t, http.StatusPreconditionFailed, ".error-summary", "The item has changed")
		p.want(t, http.StatusPreconditionFailed, "#text", lost)
		b.get(container+"/item"+item).want(t, http.StatusOK, "#item", `"n": 1`)
	})
	t.Run("delete, unless the item has changed", func(t *testing.T) {
		form := b.get(container + "/delete" + item).Find("form.stack")
		b.submit(form).want(t, http.StatusUnprocessableEntity, "#confirm-error", "Confirm")
		b.submit(form, "confirm", "yes", "etag", `"other"`).want(t, http.StatusPreconditionFailed, ".error-summary",
			"The item has changed")
		b.submit(form, "confirm", "yes").want(t, http.StatusOK, "h1", "Items of posts")
		b.get(container+"/item"+item).want(t, http.StatusNotFound, "h1", "Not Found")
	})
}
