package embedded

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"inkfeed/cosmos/embedded/internal/apierror"
	"inkfeed/cosmos/embedded/internal/epk"
	"inkfeed/cosmos/embedded/internal/value"
)

// expect fails unless an answer has one of the statuses and a matching body.
func expect(t testing.TB, a answer, statuses ...int) {
	t.Helper()
	switch {
	case !slices.Contains(statuses, a.status):
		t.Fatalf("got status %d, want one of %v: %s", a.status, statuses, a.body)
	case a.status >= 400:
		refusal(t, a, a.status)
	case a.body != "" && !json.Valid([]byte(a.body)):
		t.Fatalf("the body is no JSON: %s", a.body)
	}
	if a.status < 300 && a.header.Get("X-Ms-Request-Charge") == "" {
		t.Error("no charge")
	}
}

// FuzzKeyHeader parses any text as a partition key header. An accepted key must have the same
// meaning in the form of other SDKs.
func FuzzKeyHeader(f *testing.F) {
	for _, seed := range []string{`["a"]`, `["\x00\a\U0001f600"]`, `[1.5,null,true]`, `[{}]`, `[]`,
		`["é\ud83d\ude00", -0]`, `["`, `[,]`, `[{`,
		`[1e+21]`, `["\xff"]`, `["\/\v"]`, `[ { } , false ]`, `["\ud800"]`, `[9007199254740993]`, `["a"]]`, `[nul]`,
		`["\ud842\udfb7"]`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		key, err := epk.ParseHeader(text)
		if err != nil {
			e, meant := apierror.From(err)
			if !meant || e.Status != http.StatusBadRequest {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		if !json.Valid([]byte(text)) {
			t.Errorf("%q is accepted and is not JSON", text)
		}
		enc := string(epk.Encode(key))
		if again := string(epk.Encode(epk.Decode([]byte(enc)))); again != enc {
			t.Errorf("%q: %x becomes %x", text, enc, again)
		}
		written := make([]string, len(key))
		for i, c := range key {
			if written[i] = "{}"; c.Defined() {
				written[i] = ascii(c.JSON())
			}
		}
		header := "[" + strings.Join(written, ",") + "]"
		again, err := epk.ParseHeader(header)
		if err != nil || string(epk.Encode(again)) != enc {
			t.Errorf("%q is not the same as %s (%v)", text, header, err)
		}
	})
}

// FuzzKeyText writes any text as JSON into the header.
func FuzzKeyText(f *testing.F) {
	for _, seed := range []string{"", "a", "\x00", "\a\v\x7f", "\xff\xfe", "😀", "𠮷野家", `"\`, "\u2028", "]", "{}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > epk.MaxBytes/3 {
			return
		}
		quoted, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		key, err := epk.ParseHeader(ascii("[" + string(quoted) + "]"))
		if err != nil || len(key) != 1 || key[0].Kind() != value.String || toValid(key[0].Str()) != toValid(text) {
			t.Errorf("%q, written %s, is %v (%v)", text, quoted, key, err)
		}
	})
}

// toValid replaces invalid UTF-8. A run of it may become one or several replacement characters.
func toValid(s string) string {
	s = strings.ToValidUTF8(s, "\ufffd")
	for strings.Contains(s, "\ufffd\ufffd") {
		s = strings.ReplaceAll(s, "\ufffd\ufffd", "\ufffd")
	}
	return s
}

// FuzzSession reads with any session token.
func FuzzSession(f *testing.F) {
	for _, seed := range []string{"0:-1#1", "0:-1#2", "0:0#1#7=1", "1:-1#99", "0:-1#1,1:-1#5", "", ",", ":", "#",
		"0:-1#-1", "0:-1#99999999999999999999"} {
		f.Add(seed)
	}
	e, _ := mustEngine(f, Options{}, plainContainer)
	create(f, e, `{"id":"1","pk":"a"}`)
	f.Fuzz(func(t *testing.T, token string) {
		a := send(t, e, "GET", docs+"/1", "", append(pk("a"), "X-Ms-Session-Token", token)...)
		expect(t, a, 200, 400, 404)
		if a.status == 404 && a.header.Get("X-Ms-Substatus") != "1002" {
			t.Errorf("%v", a)
		}
	})
}

// FuzzPath sends any path with any method. Only paths of the database or the container itself may
// change them.
func FuzzPath(f *testing.F) {
	for _, seed := range []string{"/", "/dbs", "/dbs/d", "/dbs/d/colls/c", docs, docs + "/1", docs + "/..",
		docs + "/%2e%2e", docs + "/a%2Fb", "//dbs//d/",
		"/dbs/d/colls/c/pkranges", "/dbs/d/colls/c/sprocs/x", "/offers/AAAA/", "/dbs/%00", "/dbs/d/colls/c/docs/%ff",
		"/%64bs", "/dbs/d/colls/c/docs/1%2525", "/../..", "/dbs/./d"} {
		for verb := range verbs {
			f.Add(uint8(verb), seed)
		}
	}
	e, _ := mustEngine(f, Options{}, plainContainer)
	create(f, e, `{"id":"1","pk":"a"}`)
	f.Fuzz(func(t *testing.T, verb uint8, path string) {
		u, err := url.ParseRequestURI(path)
		if err != nil || path[0] != '/' {
			return
		}
		r := httptest.NewRequest(verbs[int(verb)%len(verbs)], "/", strings.NewReader(`{"id":"1","pk":"a"}`))
		r.URL, r.RequestURI = u, path
		r.Header.Set(keyHeader, `["a"]`)
		segs := splitPath(u)
		kind, link := signedResource(segs)
		signAs(e, r, kind, link, time.Now())
		a := serve(e, r)
		if r.Method == "HEAD" {
			if a.status != 400 && a.status != 401 && a.status != 405 && a.status != 501 || a.body != "" {
				t.Errorf("HEAD is answered %v", a)
			}
			return
		}
		expect(t, a, 200, 201, 204, 304, 400, 401, 404, 405, 409, 501)
		if !utf8.ValidString(a.body) {
			t.Errorf("the answer is not UTF-8: %q", a.body)
		}
		addressed := strings.Join(segs, "/")
		if got := send(t, e, "GET", docs+"/1", "", pk("a")...); got.status != 200 {
			if r.Method != "DELETE" || addressed != "dbs/d" && addressed != "dbs/d/colls/c" &&
				addressed != "dbs/d/colls/c/docs/1" {
				t.Fatalf("%s %s deleted the item: %v", r.Method, path, got)
			}
			send(t, e, "POST", "/dbs", `{"id":"d"}`)
			send(t, e, "POST", "/dbs/d/colls", plainContainer)
			create(t, e, `{"id":"1","pk":"a"}`).want(t, 201)
		}
	})
}

var verbs = []string{"GET", "PUT", "POST", "DELETE", "PATCH", "HEAD", "OPTIONS"}
