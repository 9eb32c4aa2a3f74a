package embedded

import (
	"encoding/base64"
	"fmt"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"
)

// token returns a JWT like those that SDKs create for the emulator, with one change.
func token(change func(header, claims, key *string)) string {
	now := time.Now().Unix()
	header := `{"typ":"JWT","alg":"RS256","x5t":"CosmosEmulatorPrimaryMaster","kid":"CosmosEmulatorPrimaryMaster"}`
	claims := fmt.Sprintf(
		`{"aud":"https://localhost.localhost","nbf":%d,"exp":%d,"iss":"https://sts.fake-issuer.net/x"}`, now, now+7200)
	key := WellKnownKey
	if change != nil {
		change(&header, &claims, &key)
	}
	encode := base64.RawURLEncoding.EncodeToString
	return encode([]byte(header)) + "." + encode([]byte(claims)) + "." + encode([]byte(key))
}

// sendToken sends a request that is authorised by a token.
func sendToken(e *Engine, token, method, path, body string, headers ...string) answer {
	r := httptest.NewRequest(method, "https://localhost:8081"+path, strings.NewReader(body))
	r.Header.Set("Authorization", url.QueryEscape("type=aad&ver=1.0&sig="+token))
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return serve(e, r)
}

func TestEmulatorTokens(t *testing.T) {
	e, _ := mustEngine(t, Options{}, plainContainer)
	query := []string{"Content-Type", "application/query+json", "X-Ms-Documentdb-Isquery", "True"}
	good := token(nil)

	t.Run("read and write items", func(t *testing.T) {
		sendToken(e, good, "POST", docs, `{"id":"1","pk":"a"}`, pk("a")...).want(t, 201)
		sendToken(e, good, "GET", docs+"/1", "", pk("a")...).want(t, 200)
		sendToken(e, good, "PUT", docs+"/1", `{"id":"1","pk":"a","n":1}`, pk("a")...).want(t, 200)
		sendToken(e, good, "PATCH", docs+"/1", `{"operations":[{"op":"incr","path":"/n","value":1}]}`,
			pk("a")...).want(t, 200)
		sendToken(e, good, "POST", docs, `{"query":"SELECT * FROM c"}`, append(pk("a"), query...)...).want(t, 200)
		sendToken(e, good, "GET", docs, "", "A-IM", "Incremental feed").want(t, 200)
		sendToken(e, good, "DELETE", docs+"/1", "", pk("a")...).want(t, 204)
	})
	t.Run("read the properties of the account and its containers", func(t *testing.T) {
		for _, path := range []string{"/", "/dbs/d", "/dbs/d/colls/c", "/dbs/d/colls/c/pkranges", "/dbs/d/colls"} {
			sendToken(e, good, "GET", path, "").want(t, 200)
		}
		sendToken(e, good, "POST", "/dbs/d/colls", `{"query":"SELECT * FROM c"}`, query...).want(t, 200)
	})
	t.Run("change neither databases nor containers nor throughput", func(t *testing.T) {
		for _, c := range []struct{ method, path, body string }{
			{"POST", "/dbs", `{"id":"e"}`}, {"DELETE", "/dbs/d", ""},
			{"POST", "/dbs/d/colls", `{"id":"e","partitionKey":{"paths":["/pk"]}}`},
			{"PUT", "/dbs/d/colls/c", plainContainer}, {"DELETE", "/dbs/d/colls/c", ""}, {"GET", "/offers", ""},
			{"PUT", "/offers/AAAA", "{}"},
		} {
			a := sendToken(e, good, c.method, c.path, c.body).want(t, 403)
			if a.header.Get("X-Ms-Substatus") != "5300" {
				t.Errorf("%s %s: %v", c.method, c.path, a)
			}
		}
		// Only a POST can be a query, whatever its headers say.
		sendToken(e, good, "DELETE", "/dbs/d/colls/c", "", query...).want(t, 403)
		sendToken(e, good, "PUT", "/dbs/d/colls/c", plainContainer, query...).want(t, 403)
	})
	t.Run("split no feed ranges", func(t *testing.T) {
		for _, headers := range [][]string{nil, query} {
			a := sendToken(e, good, "POST", "/dbs/d/colls/c/pkranges", `{}`, headers...).want(t, 403)
			if a.header.Get("X-Ms-Substatus") != "5300" {
				t.Errorf("%v", a)
			}
		}
	})
	t.Run("are refused by an engine with its own key", func(t *testing.T) {
		own, _ := mustEngine(t, Options{Key: "dGhlIGtleSBvZiB0aGlzIHRlc3Q="}, plainContainer)
		sendToken(own, good, "GET", "/", "").want(t, 401)
		sendToken(own, token(func(_, _, key *string) { *key = own.Key() }), "GET", "/", "").want(t, 401)
	})

	claims := func(text string, args ...any) func(_, claims, _ *string) {
		return func(_, claims, _ *string) { *claims = fmt.Sprintf(text, args...) }
	}
	now := time.Now().Unix()
	for name, tt := range map[string]struct {
		token string
		want  int
	}{
		"for the name of the host are accepted": {token(claims(`{"aud":"https://localhost","nbf":%d,"exp":%d}`,
			now, now+60)), 200},
		"for several audiences are accepted": {
			token(claims(`{"aud":["https://other","https://cosmos.azure.com/"],"nbf":%d,"exp":%d}`, now, now+60)), 200},
		"a little early are accepted": {token(claims(`{"aud":"https://localhost","nbf":%d,"exp":%d}`,
			now+60, now+600)), 200},
		"for another audience are refused": {
			token(claims(`{"aud":"https://management.azure.com","nbf":%d,"exp":%d}`, now, now+60)), 401},
		"for no audience are refused": {token(claims(`{"nbf":%d,"exp":%d}`, now, now+60)), 401},
		"that have expired are refused": {token(claims(`{"aud":"https://localhost","nbf":%d,"exp":%d}`,
			now-7200, now-3600)), 401},
		"that are not valid yet are refused": {token(claims(`{"aud":"https://localhost","nbf":%d,"exp":%d}`,
			now+3600, now+7200)), 401},
		"that never expire are refused": {token(claims(`{"aud":"https://localhost","nbf":%d}`, now)), 401},
		"with times that are not numbers are refused": {
			token(claims(`{"aud":"https://localhost","nbf":"0","exp":"9999999999"}`)), 401},
		"with claims that are not JSON are refused": {token(claims("{")), 401},
		"with a list of claims are refused":         {token(claims("[]")), 401},
		"with another signature are refused":        {token(func(_, _, key *string) { *key = "signature" }), 401},
		"without a signature are refused":           {token(func(_, _, key *string) { *key = "" }), 401},
		"with another key id are refused": {
			token(func(header, _, _ *string) { *header = `{"typ":"JWT","kid":"other"}` }), 401},
		"that are not JWTs are refused": {
			token(func(header, _, _ *string) { *header = `{"kid":"CosmosEmulatorPrimaryMaster"}` }), 401},
		"with an additional part are refused": {good + ".x", 401},
		"with a missing part are refused": {"x." +
			base64.RawURLEncoding.EncodeToString([]byte(WellKnownKey)), 401},
		"in standard base64 are refused":          {strings.Replace(good, ".", "+.", 1), 401},
		"with padding are accepted":               {good + "==", 200},
		"that are plain text are refused":         {"secret", 401},
		"that are the well-known key are refused": {WellKnownKey, 401},
		"that consist of dots are refused":        {"..", 401},
	} {
		t.Run(name, func(t *testing.T) { sendToken(e, tt.token, "GET", "/dbs/d", "").want(t, tt.want) })
	}
}
