package embedded

import (
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"
)

// TestOperationsThatTheEngineLacks sends the requests of SDKs for which the engine has no resource, with the signatures
// that the SDKs make.
func TestOperationsThatTheEngineLacks(t *testing.T) {
	e, _ := mustEngine(t, Options{}, plainContainer)
	const container = "dbs/d/colls/c"
	rid := strings.Trim(self(t, send(t, e, "GET", "/"+container, "")), "/")
	ask := func(method, path, kind, link string) answer {
		r := mustRequest(t, method, path, "")
		signAs(e, r, kind, link, time.Now())
		return serve(e, r)
	}
	const truncate, deletion = "/operations/collectiontruncate", "/operations/partitionkeydelete"
	for name, tt := range map[string]struct{ method, path, kind, link, reason string }{
		"delete by partition key, .NET and JavaScript": {"POST", "/" + container + deletion, "colls", container,
			"deletion of all items of a partition key"},
		"delete by partition key, Python": {"POST", "/" + container + deletion + "/", "partitionkey", container,
			"deletion of all items of a partition key"},
		"delete by partition key, by rid": {"POST", "/" + rid + deletion, "colls",
			strings.ToLower(signedRID(strings.Split(rid, "/"))), "deletion of all items of a partition key"},
		"truncation":        {"PUT", "/" + container + truncate, "colls", container, "truncation of containers"},
		"another operation": {"POST", "/" + container + "/operations/defragment", "colls", container, "operation"},
		"addresses of ranges": {"GET",
			"//addresses/?$resolveFor=dbs%2fd%2fcolls%2fc%2fdocs&$filter=protocol%20eq%20rntbd", "docs", container,
			"gateway mode"},
		"addresses by rid": {"GET", "//addresses/?$resolveFor=" + url.QueryEscape(rid+"/docs"), "docs",
			strings.ToLower(signedRID(strings.Split(rid, "/"))), "gateway mode"},
		"addresses of the account": {"GET", "//addresses/?$resolveFor=dbs", "dbs", "", "gateway mode"},
		"keys of clients": {"GET", "/dbs/d/clientencryptionkeys", "clientencryptionkeys", "dbs/d",
			"encryption keys"},
		"attachments": {"POST", "/" + container + "/docs/1/attachments", "attachments", container + "/docs/1",
			"attachments"},
		"an attachment": {"GET", "/" + container + "/docs/1/attachments/a", "attachments",
			container + "/docs/1/attachments/a", "attachments"},
		"permissions":  {"GET", "/dbs/d/users/u/permissions", "permissions", "dbs/d/users/u", "users"},
		"a role":       {"GET", "/roledefinitions", "roledefinitions", "", "role definitions"},
		"user's types": {"GET", "/dbs/d/udts", "udts", "dbs/d", "user-defined types"},
	} {
		t.Run(name, func(t *testing.T) {
			a := ask(tt.method, tt.path, tt.kind, tt.link)
			refusal(t, a, 501)
			if !strings.Contains(a.body, tt.reason) {
				t.Errorf("%s does not mention %s", a.body, tt.reason)
			}
			refusal(t, ask(tt.method, tt.path, tt.kind, "dbs/other"), 401)
			refusal(t, serve(e, httptest.NewRequest(tt.method, "https://localhost"+tt.path, nil)), 401)
		})
	}
	t.Run("a database may have the name of an operation", func(t *testing.T) {
		send(t, e, "POST", "/dbs", `{"id":"operations"}`).want(t, 201)
		send(t, e, "GET", "/dbs/operations/colls", "").want(t, 200)
	})
	t.Run("a trigger that a write asks for is not ignored", func(t *testing.T) {
		for _, name := range []string{"X-Ms-Documentdb-Pre-Trigger-Include", "X-Ms-Documentdb-Post-Trigger-Include"} {
			refusal(t, create(t, e, `{"id":"1","pk":"a"}`, name, "check"), 501)
		}
	})
	t.Run("a bad path is 401 without a credential", func(t *testing.T) {
		for _, path := range []string{"/nonsense", "/dbs/d/%00", docs + "/a%09b", docs + "/%ff"} {
			refusal(t, serve(e, mustRequest(t, "GET", path, "")), 401)
			if a := send(t, e, "GET", path, "", pk("a")...); a.status != 400 && a.status != 404 {
				t.Errorf("%s is answered %v", path, a)
			}
		}
	})
}
